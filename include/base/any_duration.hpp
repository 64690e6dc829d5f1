// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "language.hpp"

#include <chrono>
#include <ratio>

namespace tutti {

/// A duration in any unit, as nanoseconds: one that is longer than these can tell is their longest, as good as never.
/// By itself, the standard library's conversion of `std::chrono::hours::max()` overflows.
class any_duration : public std::chrono::nanoseconds {
public:
    /// As long as the other one, or as near as there is.
    template <class Number, class Unit>
    constexpr any_duration(const std::chrono::duration<Number, Unit>& d) noexcept
        : std::chrono::nanoseconds(saturated(d)) {}

private:
    template <class Duration>
    [[nodiscard]] static constexpr std::chrono::nanoseconds saturated(const Duration& d) noexcept {
        const std::chrono::duration<long double, std::nano> exact = d;
        if (!(exact.count() > static_cast<long double>(min().count()))) return min(); // NaN, too
        if (exact.count() >= static_cast<long double>(max().count())) return max();
        if constexpr (std::ratio_divide<typename Duration::period, std::nano>::den == 1)
            return std::chrono::duration_cast<std::chrono::nanoseconds>(d);
        return std::chrono::nanoseconds(static_cast<rep>(exact.count())); // the cast would overflow on its way
    }
};

} // namespace tutti
