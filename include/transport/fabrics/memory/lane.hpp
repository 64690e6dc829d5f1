// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../world/slot_flag.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::transport::detail {

/// One message on its way: its header, and its data or where the sender keeps it. Header and data of a tiny message
/// share the cache line of the flag.
struct alignas(64) slot {
    static constexpr std::size_t eager_bytes = 2048; ///< messages up to here travel in the slot

    static constexpr std::uint32_t is_there = ~std::uint32_t{0};

    // Left uninitialized but for the flag: nothing is read before a message has been written.
    slot() noexcept {} // NOLINT(cppcoreguidelines-pro-type-member-init)

    basic_slot_flag<std::atomic<std::uint32_t>> flag;
    std::uint32_t answer; ///< of the transfer; `is_there`: it is an answer, and brings nothing
    std::uint64_t signature;
    std::size_t bytes;
    const std::byte* from; ///< `data`, or the sender's own memory
    std::array<std::byte, eager_bytes> data;
};

/// The way from one rank to another in one context: a ring of slots, used in turn by one sender and one receiver.
/// Each counts its own turns. The slots are the context's credits.
struct lane {
    static constexpr std::uint32_t slot_count = 16;
    lane() noexcept {} // leaves the slots' data uninitialized

    static_assert((slot_count & (slot_count - 1)) == 0, "turns wrap around at a power of two");

    [[nodiscard]] slot& at(std::uint32_t turn) noexcept { return ring[turn % slot_count]; }

    std::array<slot, slot_count> ring;
};

} // namespace tutti::transport::detail
