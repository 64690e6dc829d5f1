// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "exact.hpp"
#include "host_device.hpp"

#include <cstdint>

/// Floating-point numbers of 16 and 8 bits, to and from float. Each conversion is written once, for one number and for
/// a vector of them: `Bits` is std::uint32_t and `Float` is float, or both are vectors of these. By reference, because
/// how a vector is passed by value depends on the instruction set. Every branch is a choice between two values.
namespace tutti::detail {

/// A format with numbers below the normal ones. Its exponents are those of a float less `rebias`; `fraction` is the
/// number of its fraction's bits. `infinity` are the bits of infinity, or 0 in a format without one. `nan` are the bits
/// of the one NaN that is stored. `most` are the bits of the largest float that becomes a number, and not infinity or
/// NaN.
template <class Storage, unsigned fraction, unsigned rebias, unsigned infinity, unsigned nan, unsigned most>
struct narrow_format {
    using storage = Storage;
    static constexpr int digits = fraction + 1;
    /// Bits of the one NaN, and of the largest magnitude that is not NaN.
    static constexpr unsigned stored_nan = nan, last = infinity != 0 ? infinity : nan - 1;

    /// Exact. Numbers below the normal ones get an exponent that they do not have. The subtraction of what it is worth
    /// leaves them exact and normal.
    template <class Float, class Bits>
    [[gnu::always_inline]] TUTTI_HOST_DEVICE static constexpr void widen(Float& to, const Bits& stored) noexcept {
        const Bits magnitude = (stored & (sign - 1)) << shift;
        const Bits normal = magnitude + rebasing;
        Float above = __builtin_bit_cast(Float, normal + one_exponent);
        add_to(above, -__builtin_bit_cast(float, least_normal));
        const Bits small = __builtin_bit_cast(Bits, above);
        const Bits finite = magnitude < one_exponent ? small : normal;
        const Bits beyond = infinity != 0 ? normal + rebasing : Bits{} + 0x7fc00000U;
        const Bits bits = (magnitude >= (infinity != 0 ? infinity : nan) << shift ? beyond : finite) |
                          (stored & sign) << (32 - stored_bits);
        to = __builtin_bit_cast(Float, bits);
    }

    /// To the nearest, ties to even. Where the result is below the normal ones, an addition rounds at the right place:
    /// a float just above `round_off` has the steps of these numbers.
    template <class Float, class Bits>
    [[gnu::always_inline]] TUTTI_HOST_DEVICE static constexpr void narrow(Bits& to, const Float& from) noexcept {
        const Bits bits = __builtin_bit_cast(Bits, from);
        const Bits magnitude = bits & 0x7fffffffU;
        const Bits rebased = magnitude - rebasing;
        const Bits normal = (rebased + half_step + (rebased >> shift & 1U)) >> shift;
        const Bits below = magnitude < least_normal ? magnitude : Bits{};
        Float above = __builtin_bit_cast(Float, below);
        add_to(above, __builtin_bit_cast(float, round_off));
        const Bits small = __builtin_bit_cast(Bits, above) - round_off;
        const Bits finite = magnitude < least_normal ? small : normal;
        const Bits number = (magnitude > most ? Bits{} + infinity : finite) | (bits >> (32 - stored_bits) & sign);
        to = magnitude > (infinity != 0 ? 0x7f800000U : most) ? Bits{} + nan : number;
    }

private:
    static constexpr unsigned stored_bits = 8 * sizeof(Storage), sign = 1U << (stored_bits - 1), shift = 23 - fraction;
    // The following constants are bits of floats.
    static constexpr unsigned one_exponent = 1U << 23, rebasing = rebias * one_exponent,
                              half_step = (1U << shift) / 2 - 1;
    static constexpr unsigned least_normal = rebasing + one_exponent, round_off = least_normal + shift * one_exponent;
};

/// IEEE 754 binary16: 5 bits of exponent, 10 of fraction. From 65520 on it is infinity.
struct binary16 : narrow_format<std::uint16_t, 10, 112, 0x7c00, 0x7e00, 0x477fefff> {
    static constexpr const char* name = "float16";
};

/// E4M3 of "OCP 8-bit Floating Point Specification (OFP8)", revision 1.0, 2023: 4 bits of exponent, 3 of fraction, no
/// infinity. What is above 464, in the middle between the largest number and the next that there would be, is NaN.
struct e4m3 : narrow_format<std::uint8_t, 3, 120, 0, 0x7f, 0x43e80000> {
    static constexpr const char* name = "float8_e4m3";
};

/// E5M2 of the same: 5 bits of exponent, 2 of fraction. From 61440 on it is infinity.
struct e5m2 : narrow_format<std::uint8_t, 2, 112, 0x7c, 0x7f, 0x476fffff> {
    static constexpr const char* name = "float8_e5m2";
};

/// The upper half of a float: 8 bits of exponent, 7 of fraction.
struct brain16 {
    using storage = std::uint16_t;
    static constexpr int digits = 8;
    static constexpr unsigned stored_nan = 0x7fc0, last = 0x7f80;
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
    return is_nan(x) ? 0x7e00U : bits;
}
__device__ inline std::uint32_t device_narrowed(brain16, float x) noexcept {
    const std::uint32_t bits = __float_as_uint(x);
    return is_nan(x) ? 0x7fc0U : (bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U;
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
