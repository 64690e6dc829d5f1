// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "flag.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::transport::detail::shm {

/// A part of a message on its way: the header, and the data or where the sender keeps it. Header and data of a small
/// message share the cache line of the flag.
struct alignas(64) slot {
    static constexpr std::size_t small_bytes = 216; ///< parts up to here lie beside their header

    basic_flag<std::atomic<std::uint32_t>> flag;
    std::uint32_t part_bytes;
    std::uint64_t signature;
    std::uint64_t message_bytes;
    std::uint64_t lent;   ///< where the whole message lies in the sender's memory; 0: the part lies in this lane
    std::uint64_t region; ///< of lent memory: the region that it is part of; 0: it is private to the sender
    std::array<std::byte, small_bytes> data;
};

static_assert(sizeof(slot) == 256 && std::atomic<std::uint32_t>::is_always_lock_free);

/// The way from one rank to another in one context: a ring of slots, used in turn by one sender and one receiver, who
/// each count their own turns. The slots are the context's credits.
struct lane {
    static constexpr std::uint32_t slots = 16;
    static constexpr std::size_t room_bytes = 16 * 1024; ///< the largest part
    static_assert((slots & (slots - 1)) == 0, "turns wrap around at a power of two");

    lane() noexcept {} // pages that no message touches take no memory

    [[nodiscard]] slot& at(std::uint32_t turn) noexcept { return ring[turn % slots]; }
    /// Where the part of that turn lies.
    [[nodiscard]] std::byte* data_of(std::uint32_t turn, std::size_t part) noexcept {
        return part <= slot::small_bytes ? at(turn).data.data() : rooms[turn % slots].data();
    }

    std::array<slot, slots> ring;
    std::array<std::array<std::byte, room_bytes>, slots> rooms;
};

} // namespace tutti::transport::detail::shm
