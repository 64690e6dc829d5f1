// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tutti::transport::detail {

/// One message on its way: its header, and its data or where the sender keeps it. Header and data of a tiny message
/// share the cache line of the flag.
///
/// `state` is the one flag between the two ranks; only atomic read-modify-writes change it, so of two events one always
/// sees the other:
///
/// - `full`, set by the sender: header and data are complete. Its release publishes them to the receiver's acquiring
///   look. The receiver clears it; that release tells the sender's acquire that slot and lent memory are no longer
///   read.
/// - `reading`, set by the receiver: it is reading the sender's own memory. Cleared (release) after each piece, or
/// after
///   a look at a viewed message.
/// - `withdrawn`, set by the sender: it wants its memory back. The side that sets its bit second sees the other's: a
/// receiver
///   that finds `withdrawn` reads nothing, a sender that finds `reading` waits (acquire) until that piece is done.
/// - `awaited`, set by either: it is about to sleep until `full` changes. The other side changes `full` by an exchange
///   and rings this side's bell if this bit was set. A side that sets the bit too late sees the changed `full` and
///   does not sleep. A stale bit costs a needless ring.
struct alignas(64) slot {
    static constexpr std::uint32_t full = 1, reading = 2, withdrawn = 4, awaited = 8;
    static constexpr std::size_t eager_bytes = 2048; ///< messages up to here travel in the slot

    // Left uninitialized but for the flag: nothing is read before a message has been written.
    slot() noexcept : state{0} {} // NOLINT(cppcoreguidelines-pro-type-member-init)

    [[nodiscard]] static constexpr bool has_message(std::uint32_t seen) noexcept {
        return (seen & (full | withdrawn)) == full;
    }

    std::atomic<std::uint32_t> state;
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
