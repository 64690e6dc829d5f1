// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/any.hpp"

#include <chrono>
#include <ctime>

/// Timeouts and polling intervals of the driver, and the clock that it reads.
namespace tutti::engine {

/// How long past its deadline a run waits for the coordinator's verdict before it judges by itself: longer than a rank
/// 0 that says nothing passes for alive, and what is left of a second is for the machine to be busy.
inline constexpr std::chrono::milliseconds verdict_grace{850};
/// How long a run waits for the coordinator's word on a peer that it cannot reach, which is due in a third of that.
inline constexpr std::chrono::milliseconds accusation_timeout{300};
/// How long a rank that is asked about a call which it has not begun gives itself to come to it.
inline constexpr std::chrono::milliseconds late_call_grace{200};
/// The control plane is looked at whenever nothing moves, and this often while things do.
inline constexpr std::chrono::milliseconds look_interval{50};
/// The same where the transport has a clock of its own: news end its waits, and only looks by chance come later.
inline constexpr std::chrono::seconds timed_look_interval{1};
/// How long calls are entered without a look at the control plane, which may be a system call; by coarse_now(), so not
/// before the next tick.
inline constexpr std::chrono::microseconds entry_interval{100};
/// A thread that polls without progress yields after so many polls. On a busy host each yield may cost a time slice.
inline constexpr int vain_polls_a_yield = 64;
/// A peer that is gone is a fault once nothing has moved for this long: its last messages may still be in flight.
inline constexpr std::chrono::milliseconds stall_before_fault{200};

/// The point in time `d` after `now`; the last one that there is where that lies beyond it.
[[nodiscard]] inline transport::clock::time_point later(transport::clock::time_point now, std::chrono::nanoseconds d) {
    using clock = transport::clock;
    return d < clock::time_point::max() - now ? now + std::chrono::duration_cast<clock::duration>(d)
                                              : clock::time_point::max();
}

/// The kernel's ticks are this far apart at most; 4 ms and 1 ms are common as well.
inline constexpr std::chrono::milliseconds longest_tick{10};

/// The clock as it stood at the kernel's last tick: never ahead, and behind by longest_tick at most, unless the machine
/// is held up. Costs a look at memory that the kernel keeps, where the clock itself asks the processor's counter, which
/// a small message would feel.
[[nodiscard]] inline transport::clock::time_point coarse_now() noexcept {
#if defined(CLOCK_MONOTONIC_COARSE)
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &t); // cannot fail: both arguments are right
    return transport::clock::time_point{std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec}};
#else
    return transport::clock::now();
#endif
}

/// The same by the clock of a transport, which is exact where it has its own.
[[nodiscard]] inline transport::clock::time_point coarse_now(const transport::any& t) {
    return t.is_timed() ? t.now() : coarse_now();
}

} // namespace tutti::engine
