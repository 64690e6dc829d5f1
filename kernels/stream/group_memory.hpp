// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fused_call.hpp"
#include "limits.hpp"

#include <tutti/transport/contract/stream_runtime.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>

namespace tutti::kernels::detail {

/// What a rank's device memory has for kernels that wait for each other: flags, counters, and a box of packets. Zeroed
/// before the first of them.
struct group_memory {
    unsigned ranks = 1, blocks = 1; ///< of the group, and of each rank's kernel
    std::size_t packets = 0;        ///< of a box

    group_memory(unsigned size, unsigned of_each, const stream_limits& limits) noexcept
        : ranks(size), blocks(of_each), packets(limits.packet_bytes / packet_bytes) {}

    [[nodiscard]] std::size_t bytes() const noexcept {
        return box_at + packet_box_words(ranks, blocks, packets) * sizeof(std::uint64_t);
    }
    /// `memory` of all ranks, by rank, as this rank reaches it; `report` as its device reaches it.
    [[nodiscard]] peer_group group_of(unsigned rank, std::span<std::byte* const> memory, std::uint64_t* report,
                                      std::chrono::nanoseconds timeout) const noexcept {
        peer_group g{.rank = rank, .size = ranks, .blocks = blocks};
        for (unsigned p = 0; p < ranks; ++p) g.pages[p] = reinterpret_cast<flag_page*>(memory[p]);
        g.counters = reinterpret_cast<block_counters*>(memory[rank] + sizeof(flag_page));
        g.report = report;
        g.timeout_ns = static_cast<std::uint64_t>(timeout.count());
        return g;
    }
    [[nodiscard]] packet_boxes boxes(std::span<std::byte* const> memory) const noexcept {
        packet_boxes all;
        all.capacity = packets;
        for (unsigned p = 0; p < ranks; ++p) all.of[p] = reinterpret_cast<std::uint64_t*>(memory[p] + box_at);
        return all;
    }

    /// What the device engine meets by.
    [[nodiscard]] static device_page* page_in(std::byte* memory) noexcept {
        return reinterpret_cast<device_page*>(memory + engine_at);
    }
    /// What it counts by; of the memory's own rank.
    [[nodiscard]] static device_counters* counters_in(std::byte* memory) noexcept {
        return reinterpret_cast<device_counters*>(memory + engine_at + sizeof(device_page));
    }

private:
    static constexpr std::size_t engine_at = sizeof(flag_page) + sizeof(block_counters) * most_group_blocks;
    static constexpr std::size_t box_at = engine_at + sizeof(device_page) + sizeof(device_counters) * most_group_blocks;
    static_assert(engine_at % alignof(device_page) == 0 && box_at % alignof(std::uint64_t) == 0);
};

/// The host waits for an event. False: it takes longer. Throws device_error.
template <transport::stream_runtime R>
[[nodiscard]] bool ends_within(const R& device, const typename R::event& e, std::chrono::nanoseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (!device.is_done(e)) {
        if (std::chrono::steady_clock::now() >= until) return false;
        std::this_thread::sleep_for(std::chrono::microseconds{20});
    }
    return true;
}

/// A word of the host's that the device reaches as well, 0 at first.
template <transport::stream_runtime R>
class mapped_word {
public:
    explicit mapped_word(const R& device)
        : device_(device), page_(std::make_unique<page>()),
          seen_(reinterpret_cast<std::uint64_t*>(device.map(reinterpret_cast<std::byte*>(page_.get()), sizeof(page)))) {
    }
    mapped_word(const mapped_word&) = delete;
    mapped_word& operator=(const mapped_word&) = delete;
    /// No kernel or stream uses it any more.
    ~mapped_word() { device_.unmap(reinterpret_cast<std::byte*>(page_.get())); }

    [[nodiscard]] std::uint64_t* seen() const noexcept { return seen_; }
    [[nodiscard]] std::uint64_t load() const noexcept {
        return std::atomic_ref(page_->word).load(std::memory_order_acquire);
    }
    /// Unless there is another one already.
    void store_first(std::uint64_t value) noexcept {
        std::uint64_t none = 0;
        std::atomic_ref(page_->word).compare_exchange_strong(none, value, std::memory_order_acq_rel);
    }

private:
    /// The device maps whole pages.
    struct alignas(4096) page {
        std::uint64_t word = 0;
    };
    R device_;
    std::unique_ptr<page> page_;
    std::uint64_t* seen_; ///< as the device reaches it
};

/// How so many bytes are reduced.
[[nodiscard]] inline group_way way_of(std::size_t bytes, bool in_place, const stream_limits& limits) noexcept {
    if (bytes <= limits.packet_bytes) return group_way::packets;
    return bytes <= limits.one_shot_bytes && !in_place ? group_way::one_shot : group_way::two_shots;
}

} // namespace tutti::kernels::detail
