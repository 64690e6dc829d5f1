// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../allreduce/meeting.hpp"

#include <tutti/transport/contract/stream_runtime.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>

namespace tutti::kernels {

// clang-format off
/// How the stream-ordered calls of a communicator go: a function of who its ranks are.
///
/// | ranks                                     | path | allreduce |
/// |-------------------------------------------|------|-----------|
/// | threads of one process, one GPU           | together | one cooperative launch has all ranks' blocks: by packets, in one shot, in two; an algorithm that is named, by the device engine |
/// | processes, one GPU                        | leader   | a kernel of rank 0 reads all inputs and writes all outputs |
/// | processes, each with a GPU of its own     | peers    | a kernel of each rank, which wait for each other: as above |
/// | others, on several hosts, or more than 8  | host     | the host waits for the stream, and makes a call through an executor |
///
/// Processes on one GPU have no kernels that wait for each other: each would wait for its time slice of the GPU.
// clang-format on
enum class stream_path : std::uint8_t {
    together, ///< one launch for all ranks
    leader,   ///< a kernel of rank 0 for all ranks
    peers,    ///< a kernel of each rank
    host,     ///< calls through an executor
};

/// The path in words.
[[nodiscard]] constexpr std::string_view name_of(stream_path p) noexcept {
    constexpr std::array<std::string_view, 4> names{"one cooperative launch of all ranks", "a kernel of rank 0",
                                                    "a kernel of each rank", "calls of the host"};
    return names[static_cast<std::size_t>(p)];
}

namespace detail {

/// Who a rank is.
struct rank_place {
    std::int64_t process = 0;            ///< its id
    std::uint64_t program = 0;           ///< unlike that of any other process
    transport::device_identity device{}; ///< what it computes on
    std::uint64_t has_words = 0;         ///< stream_runtime's orders_by_words()
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
    const auto same_process = [](const rank_place& a, const rank_place& b) {
        return a.process == b.process && a.program == b.program;
    };
    const auto same_device = [](const rank_place& a, const rank_place& b) { return a.device == b.device; };
    const auto of_pairs = [&](const auto& holds) { // how many
        std::size_t number = 0;
        for (std::size_t b = 0; b < ranks.size(); ++b)
            for (std::size_t a = 0; a < b; ++a) number += holds(ranks[a], ranks[b]);
        return number;
    };
    const std::size_t pairs = ranks.size() * (ranks.size() - 1) / 2;
    const std::size_t in_process = of_pairs(same_process), on_device = of_pairs(same_device);
    if (hosts > 1) return {stream_path::host, "the ranks are on several hosts"};
    if (ranks.size() > most_peers)
        return {stream_path::host, "there are more than " + std::to_string(most_peers) + " ranks"};
    if (in_process == pairs && on_device == pairs)
        return {stream_path::together, "the ranks are threads of one process, on one GPU"};
    if (in_process > 0)
        return {stream_path::host, "the ranks are threads of a process, on several GPUs or beside others"};
    if (on_device == 0) return {stream_path::peers, "the ranks are processes, each with a GPU of its own"};
    if (on_device < pairs) return {stream_path::host, "some ranks share a GPU, and others do not"};
    if (!std::all_of(ranks.begin(), ranks.end(), [](const rank_place& r) { return r.has_words != 0; }))
        return {stream_path::host, "the GPU's streams cannot wait for words in memory"};
    return {stream_path::leader, "the ranks are processes on one GPU"};
}

} // namespace detail

} // namespace tutti::kernels
