// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "exact.hpp"
#include "host_device.hpp"
#include "narrow_float.hpp"

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

/// Arithmetic on one pair of elements with exactly one answer: the rules by which every rank gets the same bits. Each
/// function rounds at most once and holds no sum of a product, so no compiler can contract it into an fma. The rules
/// on NaN end where the compiler is told that there are none (-ffast-math, -ffinite-math-only). Numbers of 16 and 8
/// bits are computed with as float. A float has more than twice their digits, so a sum or product that is rounded once
/// more is the nearest number of 16 or 8 bits.
namespace tutti::detail {

/// A constant, because a GPU does not call the functions of std::numeric_limits.
template <std::floating_point T>
inline constexpr T quiet_nan = std::numeric_limits<T>::quiet_NaN();

/// The one form of NaN that is ever stored: quiet and positive. Which payload an addition of two NaNs keeps depends on
/// the order in which the compiler hands them to the processor.
template <std::floating_point T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T canonical(T x) noexcept {
    return is_nan(x) ? quiet_nan<T> : x;
}

/// An unsigned type that wraps and that integer promotion leaves alone: two 16-bit factors would be multiplied as
/// `int`, and overflow it.
template <std::integral T>
using wrapping =
    std::conditional_t<(sizeof(T) < sizeof(unsigned)), std::type_identity<unsigned>, std::make_unsigned<T>>::type;

template <class T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T add(T a, T b) noexcept {
    if constexpr (is_narrow_float<T>)
        return T(add<float>(a, b));
    else if constexpr (std::floating_point<T>)
        return canonical(plus(a, b));
    else
        return static_cast<T>(static_cast<wrapping<T>>(a) + static_cast<wrapping<T>>(b));
}

template <class T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T multiply(T a, T b) noexcept {
    if constexpr (is_narrow_float<T>)
        return T(multiply<float>(a, b));
    else if constexpr (std::floating_point<T>)
        return canonical(times(a, b));
    else
        return static_cast<T>(static_cast<wrapping<T>>(a) * static_cast<wrapping<T>>(b));
}

/// Whether an unsigned integer holds exactly the bits of T: float and double, not the long double of x86.
template <std::floating_point T>
inline constexpr bool has_bits = sizeof(T) <= 8;

template <std::floating_point T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// `a` or `b`, whichever goes first, where -0 goes before +0. Equal numbers other than zeros have equal bits, so `or`
/// of the two candidates sets the sign if either zero has it and changes nothing else. Where one is NaN the candidates
/// are `a` and `b`, and `or` with a NaN is a NaN. Two minimum instructions and no branch, so it vectorises.
template <std::floating_point T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T floating_lesser(T a, T b) noexcept {
    if constexpr (has_bits<T>) {
        const auto one = __builtin_bit_cast(bits_of<T>, less(a, b) ? a : b);
        const auto two = __builtin_bit_cast(bits_of<T>, less(b, a) ? b : a);
        return canonical(__builtin_bit_cast(T, one | two));
    } else {
        if (a != a || b != b) return quiet_nan<T>;
        return a < b || (a == b && __builtin_signbit(a)) ? a : b;
    }
}

/// The smaller one; NaN if either is NaN; -0 before +0.
template <class T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T lesser(T a, T b) noexcept {
    if constexpr (is_narrow_float<T>)
        return T(floating_lesser<float>(a, b));
    else if constexpr (std::floating_point<T>)
        return floating_lesser(a, b);
    else
        return b < a ? b : a;
}

/// The larger one; NaN if either is NaN; -0 before +0.
template <class T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T greater(T a, T b) noexcept {
    if constexpr (is_narrow_float<T>)
        return T(greater<float>(a, b));
    else if constexpr (std::floating_point<T>)
        return canonical(negative(floating_lesser(negative(a), negative(b))));
    else
        return a < b ? b : a;
}

} // namespace tutti::detail
