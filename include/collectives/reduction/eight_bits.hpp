// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "host_device.hpp"

#include <cstdint>

/// Floating-point numbers of 8 bits as the bits of 32-bit words, and the floats that they stand for: of single numbers,
/// and with vector types for `Float` and `Bits` of many at once. The formats are those of "OCP 8-bit Floating Point
/// Specification (OFP8)", revision 1.0, 2023. See sixteen_bits.hpp for how the arithmetic works.
namespace tutti::detail {

/// 4 bits of exponent, 3 of fraction; no infinity, one NaN for each sign. Numbers from 2^-9 to 448.
struct e4m3 {
    using storage = std::uint8_t;
    static constexpr int digits = 4;
    static constexpr const char* name = "float8_e4m3";

    /// Exact. A float's exponent exceeds that of this format by 120.
    template <class Float, class Bits>
    [[gnu::always_inline]] TUTTI_HOST_DEVICE static constexpr void widen(Float& to, const Bits& stored) noexcept {
        const Bits magnitude = (stored & 0x7fU) << 20U;
        const Bits normal = magnitude + 0x3c000000U;
        const Float above = __builtin_bit_cast(Float, normal + 0x00800000U) - 0x1p-6F;
        const Bits small = __builtin_bit_cast(Bits, above);
        const Bits finite = magnitude < 0x00800000U ? small : normal;
        const Bits bits = (magnitude == 0x07f00000U ? Bits{} + 0x7fc00000U : finite) | (stored & 0x80U) << 24U;
        to = __builtin_bit_cast(Float, bits);
    }

    /// To the nearest, ties to even. What is nearer to 480 than to 448 is NaN, as is infinity; NaN has one form.
    template <class Float, class Bits>
    [[gnu::always_inline]] TUTTI_HOST_DEVICE static constexpr void narrow(Bits& to, const Float& from) noexcept {
        const Bits bits = __builtin_bit_cast(Bits, from);
        const Bits magnitude = bits & 0x7fffffffU;
        const Bits rebased = magnitude - 0x3c000000U;
        const Bits normal = (rebased + 0x7ffffU + (rebased >> 20U & 1U)) >> 20U;
        const Bits below = magnitude < 0x3c800000U ? magnitude : Bits{};
        const Float above = __builtin_bit_cast(Float, below) + 0x1p14F; // whose steps are of 2^-9
        const Bits small = __builtin_bit_cast(Bits, above) - 0x46800000U;
        const Bits finite = (magnitude < 0x3c800000U ? small : normal) | (bits >> 24U & 0x80U);
        to = magnitude > 0x43e80000U ? Bits{} + 0x7fU : finite; // 464; the bits of NaN are above
    }
};

/// 5 bits of exponent, 2 of fraction, with infinities: a binary16 without its last 8 bits. Numbers from 2^-16 to 57344.
struct e5m2 {
    using storage = std::uint8_t;
    static constexpr int digits = 3;
    static constexpr const char* name = "float8_e5m2";

    /// Exact. A float's exponent exceeds that of this format by 112.
    template <class Float, class Bits>
    [[gnu::always_inline]] TUTTI_HOST_DEVICE static constexpr void widen(Float& to, const Bits& stored) noexcept {
        const Bits magnitude = (stored & 0x7fU) << 21U;
        const Bits normal = magnitude + 0x38000000U;
        const Bits infinite = normal + 0x38000000U;
        const Float above = __builtin_bit_cast(Float, normal + 0x00800000U) - 0x1p-14F;
        const Bits small = __builtin_bit_cast(Bits, above);
        const Bits finite = magnitude < 0x00800000U ? small : normal;
        const Bits bits = (magnitude >= 0x0f800000U ? infinite : finite) | (stored & 0x80U) << 24U;
        to = __builtin_bit_cast(Float, bits);
    }

    /// To the nearest, ties to even; 61440 and above to infinity; NaN has one form.
    template <class Float, class Bits>
    [[gnu::always_inline]] TUTTI_HOST_DEVICE static constexpr void narrow(Bits& to, const Float& from) noexcept {
        const Bits bits = __builtin_bit_cast(Bits, from);
        const Bits magnitude = bits & 0x7fffffffU;
        const Bits rebased = magnitude - 0x38000000U;
        const Bits normal = (rebased + 0xfffffU + (rebased >> 21U & 1U)) >> 21U;
        const Bits below = magnitude < 0x38800000U ? magnitude : Bits{};
        const Float above = __builtin_bit_cast(Float, below) + 0x1p7F; // whose steps are of 2^-16
        const Bits small = __builtin_bit_cast(Bits, above) - 0x43000000U;
        const Bits finite = magnitude < 0x38800000U ? small : normal;
        const Bits number = (magnitude >= 0x47700000U ? Bits{} + 0x7cU : finite) | (bits >> 24U & 0x80U);
        to = magnitude > 0x7f800000U ? Bits{} + 0x7fU : number;
    }
};

} // namespace tutti::detail
