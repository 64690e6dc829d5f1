// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti::transport::detail {

/// The one flag between a sender and a receiver, on a slot that they use in turn. Only atomic read-modify-writes change
/// it, so of two events one always sees the other:
///
/// - `full`, set by the sender: header and data are complete. Its release publishes them to the receiver's acquiring
///   look. The receiver clears it; that release tells the sender's acquire that slot and lent memory are no longer
///   read.
/// - `withdrawn`, set by the sender: it wants its lent memory back. Between processes at once: a receiver that copies
///   private memory, or uses mapped memory in place, looks for this bit after each piece: what it has read may have
///   changed, and is not delivered. (The sender's fence comes after the bit and before its memory changes; the
///   receiver's after its reading and before its look. So who has read anything newer sees the bit.)
/// - `reading`, set by the receiver while it uses mapped memory, or that of its own process, in place: it reads there,
///   and may write an answer. Whoever of
///   `reading` and `withdrawn` comes second sees the other: a receiver that finds `withdrawn` reads nothing, a sender
///   that finds `reading` waits (acquire) until that piece is done, or not for ever: see `withdrawn`.
/// - `awaited`, set by either: it is about to sleep until `full` changes. The other side changes `full` by an exchange
///   and rings this side's bell if this bit was set. A side that sets the bit too late sees the changed `full` and
///   does not sleep. A stale bit costs a needless ring.
///
/// `Word` is std::atomic<std::uint32_t>, or its replacement in a test of all interleavings.
template <class Word>
class basic_slot_flag {
public:
    /// The sender: the slot is free.
    [[nodiscard]] bool is_free() const noexcept { return (state_.load(std::memory_order_acquire) & full) == 0; }
    /// The same; if not, the receiver's release() will say that it is awaited.
    [[nodiscard]] bool is_free_asking() noexcept {
        return (state_.fetch_or(awaited, std::memory_order_acq_rel) & full) == 0;
    }
    /// The sender: header and data are there. True if the receiver is to be rung.
    [[nodiscard]] bool publish() noexcept {
        // Acquire as well: a set `awaited` came with the receiver's going to sleep.
        return (state_.exchange(full, std::memory_order_acq_rel) & awaited) != 0;
    }
    /// The sender: lent memory is wanted back. Where receivers copy private memory it takes effect with the fence of
    /// finish_withdrawals().
    void withdraw() noexcept { state_.fetch_or(withdrawn, std::memory_order_acq_rel); }
    static void finish_withdrawals() noexcept { std::atomic_thread_fence(std::memory_order_seq_cst); }

    /// The sender, after that: a piece is still being used.
    [[nodiscard]] bool is_being_read() const noexcept {
        return (state_.load(std::memory_order_acquire) & reading) != 0;
    }

    /// The receiver: there is something to read.
    [[nodiscard]] bool has_part() const noexcept { return has_part(state_.load(std::memory_order_acquire)); }
    /// The same; if not, the sender's publish() will say that it is awaited.
    [[nodiscard]] bool has_part_asking() noexcept {
        return has_part(state_.fetch_or(awaited, std::memory_order_acq_rel));
    }
    /// The receiver, after it has read lent memory: those data must not be delivered.
    [[nodiscard]] bool was_withdrawn() const noexcept {
        std::atomic_thread_fence(std::memory_order_seq_cst);
        return (state_.load(std::memory_order_relaxed) & withdrawn) != 0;
    }
    /// The receiver, around the use of mapped memory; false: it is not to be used.
    [[nodiscard]] bool begin_reading() noexcept {
        return (state_.fetch_or(reading, std::memory_order_acq_rel) & withdrawn) == 0;
    }
    /// False: it was withdrawn meanwhile.
    bool end_reading() noexcept { return (state_.fetch_and(~reading, std::memory_order_release) & withdrawn) == 0; }
    /// The receiver: all has been read. True if the sender is to be rung.
    [[nodiscard]] bool release() noexcept { return (state_.exchange(0, std::memory_order_acq_rel) & awaited) != 0; }

private:
    static constexpr std::uint32_t full = 1, withdrawn = 2, awaited = 4, reading = 8;

    [[nodiscard]] static constexpr bool has_part(std::uint32_t seen) noexcept {
        return (seen & (full | withdrawn)) == full;
    }

    Word state_{0};
};

} // namespace tutti::transport::detail
