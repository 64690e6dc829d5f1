// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/transport.hpp"

#include <chrono>
#include <ctime>

namespace tutti::engine {

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
template <transport::transport Transport>
[[nodiscard]] transport::clock::time_point coarse_now([[maybe_unused]] const Transport& t) {
    if constexpr (transport::timed_transport<Transport>)
        return t.now();
    else
        return coarse_now();
}

} // namespace tutti::engine
