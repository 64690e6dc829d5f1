// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../world/slot_flag.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace tutti::transport::detail::shm {

/// A part of a message on its way: the header, and the data or where the sender keeps it. Header and data of a small
/// message share the cache line of the flag.
struct alignas(64) slot {
    static constexpr std::size_t small_bytes = 216; ///< parts up to here lie beside their header

    basic_slot_flag<std::atomic<std::uint32_t>> flag;
    std::uint32_t part_bytes; ///< of lent memory: transfer::answer; 0 of a message that has bytes: it is an answer
    std::uint64_t signature;
    std::uint64_t message_bytes;
    std::uint64_t lent; ///< where the whole message lies in the sender's memory; 0: the part lies in this segment
    /// Of lent memory: the region that it is part of, 0 if it is private to the sender. Of a part that is not small:
    /// the number of the room in which it lies.
    std::uint64_t region;
    std::array<std::byte, small_bytes> data;

    /// Of lent memory that is answered: from which byte on the receiver writes a piece of at most answered_bytes. In a
    /// line of its own, which the sender does not poll.
    [[nodiscard]] std::atomic<std::uint64_t>& answered() noexcept {
        return *std::launder(reinterpret_cast<std::atomic<std::uint64_t>*>(&data[88]));
    }
    static constexpr std::size_t answered_bytes = 8 * 1024;
    static constexpr std::uint64_t nothing_answered = ~std::uint64_t{0};
};

static_assert(sizeof(slot) == 256 && std::atomic<std::uint32_t>::is_always_lock_free);

/// The way from one rank to another in one context: a ring of slots, used in turn by one sender and one receiver, which
/// each count their own turns. The slots are the context's credits. A page of zeros is a lane whose slots are all free.
struct lane {
    static constexpr std::uint32_t slot_count = 16;
    static_assert((slot_count & (slot_count - 1)) == 0, "turns wrap around at a power of two");

    [[nodiscard]] slot& at(std::uint32_t turn) noexcept { return ring[turn % slot_count]; }

    std::array<slot, slot_count> ring;
};

/// Memory for a part that is too long for its slot. Rooms belong to the sender, which lends them to slots: see
/// room_pool.
struct room {
    static constexpr std::size_t most_bytes = 32 * 1024; ///< the largest part
    std::array<std::byte, most_bytes> bytes;
};

} // namespace tutti::transport::detail::shm
