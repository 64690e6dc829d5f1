// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "host_device.hpp"

#include <cstdint>

/// Floating-point numbers of 16 bits, to and from float. Each conversion is written once, for one number and for a
/// vector of them: `Bits` is std::uint32_t and `Float` is float, or both are vectors of these. By reference, because
/// how a vector is passed by value depends on the instruction set. Every branch is a choice between two values.
namespace tutti::detail {

/// IEEE 754 binary16: 5 bits of exponent, 10 of fraction.
struct binary16 {
    using storage = std::uint16_t;
    static constexpr int digits = 11;
    static constexpr const char* name = "float16";

    /// Exact. A float's exponent exceeds a half's by 112. Numbers below the normal ones get an exponent that they do
    /// not have, and the subtraction of what it is worth leaves them exact and normal.
    template <class Float, class Bits>
    [[gnu::always_inline]] TUTTI_HOST_DEVICE static constexpr void widen(Float& to, const Bits& half) noexcept {
        const Bits magnitude = (half & 0x7fffU) << 13U;
        const Bits normal = magnitude + 0x38000000U;
        const Bits infinite = normal + 0x38000000U;
        const Float above = __builtin_bit_cast(Float, normal + 0x00800000U) - 0x1p-14F;
        const Bits small = __builtin_bit_cast(Bits, above);
        const Bits finite = magnitude < 0x00800000U ? small : normal;
        const Bits bits = (magnitude >= 0x0f800000U ? infinite : finite) | (half & 0x8000U) << 16U;
        to = __builtin_bit_cast(Float, bits);
    }

    /// To the nearest, ties to even; 65520 and above to infinity; NaN to the one form of it. Where the result is below
    /// the normal ones, adding 0.5 rounds at the right place, since a float just above 0.5 has steps of 2^-24.
    template <class Float, class Bits>
    [[gnu::always_inline]] TUTTI_HOST_DEVICE static constexpr void narrow(Bits& to, const Float& from) noexcept {
        const Bits bits = __builtin_bit_cast(Bits, from);
        const Bits magnitude = bits & 0x7fffffffU;
        const Bits rebased = magnitude - 0x38000000U;
        const Bits normal = (rebased + 0xfffU + (rebased >> 13U & 1U)) >> 13U;
        const Bits below = magnitude < 0x38800000U ? magnitude : Bits{};
        const Float above = __builtin_bit_cast(Float, below) + 0.5F;
        const Bits small = __builtin_bit_cast(Bits, above) - 0x3f000000U;
        const Bits finite = magnitude < 0x38800000U ? small : normal;
        const Bits number = (magnitude >= 0x477ff000U ? Bits{} + 0x7c00U : finite) | (bits >> 16U & 0x8000U);
        to = from == from ? number : Bits{} + 0x7e00U;
    }
};

/// The upper half of a float: 8 bits of exponent, 7 of fraction.
struct brain16 {
    using storage = std::uint16_t;
    static constexpr int digits = 8;
    static constexpr const char* name = "bfloat16";

    /// Exact.
    template <class Float, class Bits>
    [[gnu::always_inline]] TUTTI_HOST_DEVICE static constexpr void widen(Float& to, const Bits& half) noexcept {
        to = __builtin_bit_cast(Float, half << 16U);
    }

    /// To the nearest, ties to even; NaN to the one form of it.
    template <class Float, class Bits>
    [[gnu::always_inline]] TUTTI_HOST_DEVICE static constexpr void narrow(Bits& to, const Float& from) noexcept {
        const Bits bits = __builtin_bit_cast(Bits, from);
        const Bits rounded = (bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U;
        to = from == from ? rounded : Bits{} + 0x7fc0U;
    }
};

// A GPU's compiler knows no vectors, so it does not take what is written for both: on the device these stand for it.
#if defined(__CUDACC__)
__device__ inline float device_widened(binary16, std::uint32_t bits) noexcept {
    float x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(static_cast<unsigned short>(bits)));
    return x;
}
__device__ inline float device_widened(brain16, std::uint32_t bits) noexcept { return __uint_as_float(bits << 16U); }
__device__ inline std::uint32_t device_narrowed(binary16, float x) noexcept {
    unsigned short bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
    return x == x ? bits : 0x7e00U;
}
__device__ inline std::uint32_t device_narrowed(brain16, float x) noexcept {
    const std::uint32_t bits = __float_as_uint(x);
    return x == x ? (bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U : 0x7fc0U;
}
#endif

/// One number as float.
template <class Format>
TUTTI_HOST_DEVICE constexpr float widened(std::uint32_t bits) noexcept {
#if defined(__CUDA_ARCH__)
    if constexpr (requires { device_widened(Format{}, bits); }) return device_widened(Format{}, bits);
#endif
    float x = 0;
    Format::widen(x, bits);
    return x;
}

/// The bits of the number nearest to a float.
template <class Format>
TUTTI_HOST_DEVICE constexpr std::uint32_t narrowed(float x) noexcept {
#if defined(__CUDA_ARCH__)
    if constexpr (requires { device_narrowed(Format{}, x); }) return device_narrowed(Format{}, x);
#endif
    std::uint32_t nearest = 0;
    Format::narrow(nearest, x);
    return nearest;
}

} // namespace tutti::detail
