// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../meeting.hpp"

#include <transport/stream_runtime.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::kernels {

// clang-format off
/// How the stream-ordered calls of a communicator go: a function of who its ranks are.
///
/// | ranks                                     | path | allreduce |
/// |-------------------------------------------|------|-----------|
/// | threads of one process, one GPU           | together | one cooperative launch has all ranks' blocks: by packets, in one shot, in two |
/// | processes, one GPU                        | leader   | a kernel of rank 0 reads all inputs and writes all outputs |
/// | on several GPUs or hosts, or more than 8  | host     | the host waits for the stream, and makes a call through an executor |
///
/// Processes on one GPU have no kernels that wait for each other: each would wait for its time slice of the GPU.
// clang-format on
enum class stream_path : std::uint8_t { together, leader, host };

/// The path in words.
[[nodiscard]] constexpr std::string_view name_of(stream_path p) noexcept {
    constexpr std::array<std::string_view, 3> names{"one cooperative launch of all ranks", "a kernel of rank 0",
                                                    "calls of the host"};
    return names[static_cast<std::size_t>(p)];
}

namespace detail {

/// Who a rank is.
struct rank_place {
    std::int64_t process = 0;            ///< its id
    std::uint64_t program = 0;           ///< unlike that of any other process
    transport::device_identity device{}; ///< what it computes on
    std::uint64_t has_words = 0;         ///< device_runtime::orders_by_words()
    friend bool operator==(const rank_place&, const rank_place&) = default;
};

template <transport::stream_runtime R>
[[nodiscard]] rank_place place_of(const R& device) {
    static const std::uint64_t program = [] {
        std::random_device random;
        return std::uint64_t{random()} << 32 | random();
    }();
    // A child made by fork(2) has its parent's `program` and another process id.
    return {::getpid(), program, device.identity(), device.orders_by_words() ? 1U : 0U};
}

struct chosen_path {
    stream_path path;
    std::string why;
};

/// `hosts`: how many there are. All ranks choose alike.
[[nodiscard]] inline chosen_path path_of(std::span<const rank_place> ranks, int hosts) {
    const auto all = [&](const auto& holds) { return std::all_of(ranks.begin(), ranks.end(), holds); };
    const auto same_process = [&](const rank_place& a, const rank_place& b) {
        return a.process == b.process && a.program == b.program;
    };
    if (hosts > 1) return {stream_path::host, "the ranks are on several hosts"};
    if (ranks.size() > most_peers)
        return {stream_path::host, "there are more than " + std::to_string(most_peers) + " ranks"};
    if (!all([&](const rank_place& r) { return r.device == ranks[0].device; }))
        return {stream_path::host, "the ranks are on several GPUs"};
    if (all([&](const rank_place& r) { return same_process(r, ranks[0]); }))
        return {stream_path::together, "the ranks are threads of one process, on one GPU"};
    for (std::size_t a = 0; a < ranks.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (same_process(ranks[a], ranks[b]))
                return {stream_path::host, "some ranks are threads of one process, and others are not"};
    if (!all([](const rank_place& r) { return r.has_words != 0; }))
        return {stream_path::host, "the GPU's streams cannot wait for words in memory"};
    return {stream_path::leader, "the ranks are processes on one GPU"};
}

} // namespace detail

} // namespace tutti::kernels
