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

/// Types that can be added. Not bool: "true + true" has no agreed meaning.
template <class T>
concept number = arithmetic<T> && !std::same_as<T, bool>;

} // namespace detail

struct sum_operator {
    template <detail::number T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::add(a, b);
    }
};

struct product_operator {
    template <detail::number T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::multiply(a, b);
    }
};

struct minimum_operator {
    template <detail::arithmetic T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::lesser(a, b);
    }
};

struct maximum_operator {
    template <detail::arithmetic T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::greater(a, b);
    }
};

struct average_operator {
    template <detail::floating T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return detail::add(a, b);
    }
};

struct bitwise_and_operator {
    template <std::integral T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return static_cast<T>(a & b);
    }
};

struct bitwise_or_operator {
    template <std::integral T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return static_cast<T>(a | b);
    }
};

struct bitwise_xor_operator {
    template <std::integral T>
    [[nodiscard]] TUTTI_HOST_DEVICE constexpr T operator()(const T& a, const T& b) const noexcept {
        return static_cast<T>(a ^ b);
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

} // namespace tutti
