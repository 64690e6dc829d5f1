// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "built_in.hpp"

#include <concepts>
#include <cstdint>
#include <string_view>

/// The smallest or largest value and where it is, as MPI's MINLOC and MAXLOC.
namespace tutti {

/// An element: a value and a number that says where it is, such as a rank or an index.
///
/// @snippet reference.cpp located
template <detail::arithmetic T>
struct located {
    T value{};              ///< what is compared
    std::int64_t index = 0; ///< where it is; the lowest of equal values wins
    friend constexpr bool operator==(const located&, const located&) = default;
};

namespace detail {

/// A NaN goes before all numbers, -0 before +0.
template <arithmetic T>
[[nodiscard]] constexpr bool precedes(T a, T b) noexcept {
    if constexpr (is_narrow_float<T>) {
        return precedes(static_cast<float>(a), static_cast<float>(b));
    } else if constexpr (std::floating_point<T>) {
        if (a != a || b != b) return a != a && b == b;
        return a < b || (a == b && __builtin_signbit(a) && !__builtin_signbit(b));
    } else {
        return a < b;
    }
}
template <arithmetic T>
[[nodiscard]] constexpr located<T> first_of(const located<T>& a, const located<T>& b, bool a_wins,
                                            bool b_wins) noexcept {
    const located<T>& x = a_wins || (!b_wins && a.index <= b.index) ? a : b;
    return {lesser(x.value, x.value), x.index}; // which gives a NaN its one form
}

} // namespace detail

/// The type of `minimum_location`.
struct minimum_location_operator {
    /// For errors, and to compare ranks.
    static constexpr std::string_view name = "minimum_location";
    /// The smaller one; of equal values that of the lower index.
    template <detail::arithmetic T>
    [[nodiscard]] constexpr located<T> operator()(const located<T>& a, const located<T>& b) const noexcept {
        return detail::first_of(a, b, detail::precedes(a.value, b.value), detail::precedes(b.value, a.value));
    }
};
/// The type of `maximum_location`.
struct maximum_location_operator {
    /// For errors, and to compare ranks.
    static constexpr std::string_view name = "maximum_location";
    /// The larger one; of equal values that of the lower index.
    template <detail::arithmetic T>
    [[nodiscard]] constexpr located<T> operator()(const located<T>& a, const located<T>& b) const noexcept {
        const bool a_is_nan = a.value != a.value, b_is_nan = b.value != b.value;
        const bool any_nan = a_is_nan || b_is_nan;
        return detail::first_of(a, b, any_nan ? a_is_nan && !b_is_nan : detail::precedes(b.value, a.value),
                                any_nan ? b_is_nan && !a_is_nan : detail::precedes(a.value, b.value));
    }
};

/// The smallest value of `located` elements, and the lowest index that has it. A NaN wins over all numbers.
inline constexpr minimum_location_operator minimum_location{};
/// The largest value of `located` elements, and the lowest index that has it. A NaN wins over all numbers.
inline constexpr maximum_location_operator maximum_location{};

} // namespace tutti
