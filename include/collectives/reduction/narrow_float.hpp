// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "host_device.hpp"
#include "narrow_formats.hpp"

#include <type_traits>

namespace tutti {

/// A number that is stored in 16 or 8 bits and computed with as float: a + b is a float, and an expression rounds where
/// it is stored. It is the library's own type, because compilers differ in the narrow types that they offer, and where.
template <class Format>
struct narrow_float {
    /// Its format: bits of exponent and fraction.
    using format = Format;
    /// The unsigned integer that its bits are stored in.
    using storage = Format::storage;

    narrow_float() = default;

    /// The nearest number, ties to even. Beyond the largest it is an infinity, or NaN in a format that has none. A NaN
    /// is stored in one form, quiet and positive. docs/numerics.md has all cases.
    TUTTI_HOST_DEVICE explicit constexpr narrow_float(float x) noexcept
        : bits(static_cast<storage>(detail::narrowed<Format>(x))) {}

    /// The number that these bits stand for.
    [[nodiscard]] TUTTI_HOST_DEVICE static constexpr narrow_float from_bits(storage stored) noexcept {
        narrow_float x(0.0F);
        x.bits = stored;
        return x;
    }

    /// The same number.
    TUTTI_HOST_DEVICE constexpr operator float() const noexcept { return detail::widened<Format>(bits); }

    storage bits; ///< as they are stored
};

/// IEEE 754 binary16, "half": 11 significant bits, up to 65504.
using float16 = narrow_float<detail::binary16>;
/// The upper half of a float: 8 significant bits, float's range.
using bfloat16 = narrow_float<detail::brain16>;
/// OFP8 E4M3: 4 significant bits, up to 448; larger numbers and infinity become NaN.
using float8_e4m3 = narrow_float<detail::e4m3>;
/// OFP8 E5M2: 3 significant bits, up to 57344; larger numbers become infinity.
using float8_e5m2 = narrow_float<detail::e5m2>;

namespace detail {

template <class T>
inline constexpr bool is_narrow_float = false;
template <class Format>
inline constexpr bool is_narrow_float<narrow_float<Format>> = true;

/// The type in which a reduction of T is computed: float for 16 and 8 bits, else T itself.
template <class T>
using wide = std::conditional_t<is_narrow_float<T>, float, T>;

/// A floating-point element.
template <class T>
concept floating = std::is_floating_point_v<T> || is_narrow_float<T>;

/// An element with the built-in arithmetic.
template <class T>
concept arithmetic = std::is_arithmetic_v<T> || is_narrow_float<T>;

} // namespace detail

} // namespace tutti
