// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "host_device.hpp"

#include <concepts>
#include <cstdint>

/// Operations on floating-point numbers with one answer, whatever the compiler was told. A GPU's compiler flushes
/// subnormal numbers under --use_fast_math, and fuses products into sums by default. No macro tells either. So the
/// device gets these as PTX. The host gets the plain operators, which vectorise.
namespace tutti::detail {

#if defined(__CUDA_ARCH__)
#define TUTTI_PTX_OF_TWO(name, instruction)                                                                            \
    __device__ inline float ptx_##name(float a, float b) noexcept {                                                    \
        float x;                                                                                                       \
        asm(instruction ".rn.f32 %0, %1, %2;" : "=f"(x) : "f"(a), "f"(b));                                             \
        return x;                                                                                                      \
    }                                                                                                                  \
    __device__ inline double ptx_##name(double a, double b) noexcept {                                                 \
        double x;                                                                                                      \
        asm(instruction ".rn.f64 %0, %1, %2;" : "=d"(x) : "d"(a), "d"(b));                                             \
        return x;                                                                                                      \
    }
TUTTI_PTX_OF_TWO(add, "add")
TUTTI_PTX_OF_TWO(mul, "mul")
TUTTI_PTX_OF_TWO(div, "div")
#undef TUTTI_PTX_OF_TWO

__device__ inline float ptx_fma(float a, float b, float c) noexcept {
    float x;
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(x) : "f"(a), "f"(b), "f"(c));
    return x;
}
__device__ inline double ptx_fma(double a, double b, double c) noexcept {
    double x;
    asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(x) : "d"(a), "d"(b), "d"(c));
    return x;
}
__device__ inline float ptx_sqrt(float a) noexcept {
    float x;
    asm("sqrt.rn.f32 %0, %1;" : "=f"(x) : "f"(a));
    return x;
}
__device__ inline double ptx_sqrt(double a) noexcept {
    double x;
    asm("sqrt.rn.f64 %0, %1;" : "=d"(x) : "d"(a));
    return x;
}
__device__ inline float ptx_neg(float a) noexcept {
    float x;
    asm("neg.f32 %0, %1;" : "=f"(x) : "f"(a));
    return x;
}
__device__ inline double ptx_neg(double a) noexcept { return -a; }
__device__ inline double ptx_to_double(float a) noexcept {
    double x;
    asm("cvt.f64.f32 %0, %1;" : "=d"(x) : "f"(a));
    return x;
}
__device__ inline float ptx_to_float(double a) noexcept {
    float x;
    asm("cvt.rn.f32.f64 %0, %1;" : "=f"(x) : "d"(a));
    return x;
}
__device__ inline bool ptx_less(float a, float b) noexcept {
    std::uint32_t x;
    asm("{.reg .pred p; setp.lt.f32 p, %1, %2; selp.u32 %0, 1, 0, p;}" : "=r"(x) : "f"(a), "f"(b));
    return x != 0;
}
__device__ inline bool ptx_less(double a, double b) noexcept { return a < b; }
#define TUTTI_ON_DEVICE(ptx, otherwise)                                                                                \
    if (!__builtin_is_constant_evaluated()) return ptx;                                                                \
    return otherwise
#else
/// Returns the first expression on a GPU, and the second one on the host and where the compiler evaluates it.
#define TUTTI_ON_DEVICE(ptx, otherwise) return otherwise
#endif

/// a + b.
template <std::floating_point T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T plus(T a, T b) noexcept {
    TUTTI_ON_DEVICE(ptx_add(a, b), a + b);
}

/// a b.
template <std::floating_point T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T times(T a, T b) noexcept {
    TUTTI_ON_DEVICE(ptx_mul(a, b), a * b);
}

/// a / b.
template <std::floating_point T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T divided(T a, T b) noexcept {
    TUTTI_ON_DEVICE(ptx_div(a, b), a / b);
}

/// a b + c, rounded once. A sum of a product is always this, so no compiler can choose between one rounding and two.
/// Of float and double.
template <std::floating_point T>
    requires(sizeof(T) <= 8)
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T fused(T a, T b, T c) noexcept {
    TUTTI_ON_DEVICE(ptx_fma(a, b, c), sizeof(T) == 4 ? T(__builtin_fmaf(float(a), float(b), float(c)))
                                                     : T(__builtin_fma(double(a), double(b), double(c))));
}

/// Of float and double, rounded once.
template <std::floating_point T>
    requires(sizeof(T) <= 8)
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T square_root(T a) noexcept {
    TUTTI_ON_DEVICE(ptx_sqrt(a), sizeof(T) == 4 ? T(__builtin_sqrtf(float(a))) : T(__builtin_sqrt(double(a))));
}

template <std::floating_point T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr bool less(T a, T b) noexcept {
    TUTTI_ON_DEVICE(ptx_less(a, b), a < b);
}

/// On the device by its bits: a comparison of floats would be one that flushes.
template <std::floating_point T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr bool is_nan(T a) noexcept {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 4) return (__builtin_bit_cast(std::uint32_t, a) & 0x7fffffffU) > 0x7f800000U;
#endif
    return a != a;
}

/// -a.
template <std::floating_point T>
[[nodiscard]] TUTTI_HOST_DEVICE constexpr T negative(T a) noexcept {
    TUTTI_ON_DEVICE(ptx_neg(a), -a);
}

[[nodiscard]] TUTTI_HOST_DEVICE constexpr double to_double(float a) noexcept { TUTTI_ON_DEVICE(ptx_to_double(a), a); }

/// The nearest float.
[[nodiscard]] TUTTI_HOST_DEVICE constexpr float to_float(double a) noexcept {
    TUTTI_ON_DEVICE(ptx_to_float(a), static_cast<float>(a));
}

/// x += y, where `x` may be a vector of floats on the host.
template <class Float>
[[gnu::always_inline]] TUTTI_HOST_DEVICE constexpr void add_to(Float& x, float y) noexcept {
#if defined(__CUDA_ARCH__)
    x = plus(x, y);
#else
    x += y;
#endif
}

#undef TUTTI_ON_DEVICE

} // namespace tutti::detail
