// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "host_device.hpp"
#include "narrow_float.hpp"
#include "scalar.hpp"

#include <concepts>

/// The operators that come with tutti. Each is exact about the bits it gives, so that every rank gets the same:
/// integers wrap on overflow; NaN goes in, NaN comes out, always the quiet positive one; -0 is less than +0.
namespace tutti {

namespace detail {

template <class Op, class... Choice>
inline constexpr bool is_one_of = (std::same_as<Op, Choice> || ...);

/// Types that can be added. Not bool: "true + true" has no agreed meaning.
template <class T>
concept number = arithmetic<T> && !std::same_as<T, bool>;

/// A record whose sum is `a.add(b)`. None but those of reduction/accumulator.hpp.
template <class T>
inline constexpr bool sums_itself = false;

template <arithmetic T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr bool is_true(T x) noexcept {
    if constexpr (is_narrow_float<T>)
        return static_cast<float>(x) != 0;
    else
        return x != T{};
}
template <arithmetic T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T truth(bool x) noexcept {
    return x ? T(1) : T(0);
}

} // namespace detail

/// The type of `sum`.
struct sum_operator {
    /// The sum of two numbers; of integers it wraps.
    template <detail::number T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::add(a, b);
    }
    /// The sum of two accumulators.
    template <class T>
        requires detail::sums_itself<T>
    [[nodiscard]] constexpr T operator()(const T& a, const T& b) const noexcept {
        T total = a;
        total.add(b);
        return total;
    }
};

/// The type of `product`.
struct product_operator {
    /// The product of two numbers; of integers it wraps.
    template <detail::number T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::multiply(a, b);
    }
};

/// The type of `minimum`.
struct minimum_operator {
    /// The smaller of two numbers; NaN if one of them is.
    template <detail::arithmetic T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::lesser(a, b);
    }
};

/// The type of `maximum`.
struct maximum_operator {
    /// The larger of two numbers; NaN if one of them is.
    template <detail::arithmetic T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::greater(a, b);
    }
};

/// The type of `average`.
struct average_operator {
    /// The sum of two numbers. The multiplication by 1/P comes once, at the end of the collective.
    template <detail::floating T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::add(a, b);
    }
};

/// The type of `bitwise_and`.
struct bitwise_and_operator {
    /// The bits that both have.
    template <std::integral T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return static_cast<T>(a & b);
    }
};

/// The type of `bitwise_or`.
struct bitwise_or_operator {
    /// The bits that one of them has.
    template <std::integral T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return static_cast<T>(a | b);
    }
};

/// The type of `bitwise_xor`.
struct bitwise_xor_operator {
    /// The bits that exactly one of them has.
    template <std::integral T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return static_cast<T>(a ^ b);
    }
};

/// The type of `logical_and`.
struct logical_and_operator {
    /// 1 where neither is 0, else 0.
    template <detail::arithmetic T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::truth<T>(detail::is_true(a) && detail::is_true(b));
    }
};

/// The type of `logical_or`.
struct logical_or_operator {
    /// 1 where one of them is not 0, else 0.
    template <detail::arithmetic T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::truth<T>(detail::is_true(a) || detail::is_true(b));
    }
};

/// The type of `logical_xor`.
struct logical_xor_operator {
    /// 1 where exactly one of them is not 0, else 0.
    template <detail::arithmetic T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::truth<T>(detail::is_true(a) != detail::is_true(b));
    }
};

/// The sum, of any arithmetic type but bool.
inline constexpr sum_operator sum{};
/// The product, of any arithmetic type but bool.
inline constexpr product_operator product{};
/// The smallest, of any arithmetic type; on bool the logical and.
inline constexpr minimum_operator minimum{};
/// The largest, of any arithmetic type; on bool the logical or.
inline constexpr maximum_operator maximum{};
/// The sum, and at the end, once, a multiplication by 1/P; of floating-point types.
inline constexpr average_operator average{};
/// The bits that are set everywhere, of integers, characters and bool.
inline constexpr bitwise_and_operator bitwise_and{};
/// The bits that are set anywhere, of integers, characters and bool.
inline constexpr bitwise_or_operator bitwise_or{};
/// The bits that are set an odd number of times, of integers, characters and bool.
inline constexpr bitwise_xor_operator bitwise_xor{};
/// 1 where no operand is 0, else 0; of any arithmetic type. A NaN is not 0.
inline constexpr logical_and_operator logical_and{};
/// 1 where some operand is not 0, else 0.
inline constexpr logical_or_operator logical_or{};
/// 1 where an odd number of operands is not 0, else 0.
inline constexpr logical_xor_operator logical_xor{};

} // namespace tutti
