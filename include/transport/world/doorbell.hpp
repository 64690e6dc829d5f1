// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "futex.hpp"

namespace tutti::transport::detail {

/// Wakes a sleeping rank; lies where all that ring reach it. Any thread of any process rings; only the rank itself
/// waits.
///
/// A ring is never lost: it leaves `rung` set until a wait has ended because of it. Ringer: sets `rung`, then looks at
/// `asleep`. Sleeper: sets `asleep`, then looks at `rung`. All four are sequentially consistent, so at least one sees
/// the other: the ringer wakes, or the sleeper does not sleep. Between the sleeper's look and its sleep the kernel
/// itself compares `rung` again.
///
/// A sleeper that waits for more than this sleeps by descriptors instead, around which it calls lie_down() and
/// get_up(): the same argument holds, but the ringer has to make a descriptor readable (bell_pipe), which stays so
/// until the sleeper has looked.
///
/// `Word` is futex_word, or its replacement in a test of all interleavings.
template <class Word>
class basic_doorbell {
public:
    /// True if the sleeper is to be woken by its descriptor.
    bool ring() noexcept {
        rung_.store(1, std::memory_order_seq_cst);
        const std::uint32_t how = asleep_.load(std::memory_order_seq_cst);
        if (how == on_futex) wake_all(rung_);
        return how == by_descriptor;
    }

    /// True once for any number of rings since the last time.
    [[nodiscard]] bool answer() noexcept {
        // A relaxed load first keeps the cache line shared between rings. The exchange acquires the ringer's writes.
        return rung_.load(std::memory_order_relaxed) != 0 && rung_.exchange(0, std::memory_order_acquire) != 0;
    }

    /// Returns after a ring, or at `until`; maybe earlier.
    void sleep(clock::time_point until) noexcept {
        asleep_.store(on_futex, std::memory_order_seq_cst);
        if (rung_.load(std::memory_order_seq_cst) == 0) sleep_on(rung_, 0, until);
        asleep_.store(0, std::memory_order_relaxed); // a ringer that has not seen it makes a needless wake-up call
        static_cast<void>(answer());
    }

    /// Before a sleep by descriptors. False: it has been rung, do not sleep.
    [[nodiscard]] bool lie_down() noexcept {
        asleep_.store(by_descriptor, std::memory_order_seq_cst);
        return rung_.load(std::memory_order_seq_cst) == 0;
    }
    /// After it, and after the descriptor has been emptied: who made it readable had rung before, and is heard here.
    void get_up() noexcept {
        asleep_.store(0, std::memory_order_relaxed); // as in sleep()
        static_cast<void>(answer());
    }

private:
    static constexpr std::uint32_t on_futex = 1, by_descriptor = 2;

    Word rung_{0};
    Word asleep_{0}; ///< 0: awake, as far as it has said
};

using doorbell = basic_doorbell<futex_word>;

} // namespace tutti::transport::detail
