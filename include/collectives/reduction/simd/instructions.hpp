// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/// The instructions that a kernel may use. Sets beyond those that the program is compiled for are chosen at run time.
namespace tutti::detail {

enum class instructions : std::uint8_t {
    baseline,    ///< those that the program is compiled for; at least SSE2 on x86-64
    avx2,        ///< with F16C, which every processor with AVX2 has but a virtual one may hide
    avx512,      ///< F, BW, DQ and VL
    avx512_vnni, ///< with sums of 16-bit products, for bfloat16
    avx512_fp16, ///< with arithmetic on float16
};

/// Bytes of the widest register.
[[nodiscard]] constexpr std::size_t register_bytes(instructions set) noexcept {
    return set >= instructions::avx512 ? 64 : set == instructions::avx2 ? 32 : 16;
}

#if defined(__x86_64__)
/// Asked of the processor itself: clang 16 has no name for F16C in __builtin_cpu_supports. That the system saves the
/// registers is part of "avx2".
[[nodiscard]] inline bool has_half_conversion() noexcept {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

/// Asked of the processor itself too, for the same reason. The registers are those of "avx512f".
[[nodiscard]] inline bool has_half_arithmetic() noexcept {
    constexpr unsigned avx512_fp16 = 1U << 23U;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & avx512_fp16) != 0;
}

[[nodiscard]] inline bool has(instructions set) noexcept {
    __builtin_cpu_init(); // a kernel may be asked for before constructors run
    const bool avx2 = __builtin_cpu_supports("avx2") && has_half_conversion();
    switch (set) {
    case instructions::baseline: return true;
    case instructions::avx2: return avx2;
    default: break;
    }
    if (set == instructions::avx512_fp16 && !has_half_arithmetic()) return false;
    if (set != instructions::avx512 && !__builtin_cpu_supports("avx512vnni")) return false;
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#else
[[nodiscard]] inline bool has(instructions set) noexcept { return set == instructions::baseline; }
#endif

/// The best that this processor has. Asked of it once.
[[nodiscard]] inline instructions best_instructions() noexcept {
    static const instructions best = has(instructions::avx512_fp16)   ? instructions::avx512_fp16
                                     : has(instructions::avx512_vnni) ? instructions::avx512_vnni
                                     : has(instructions::avx512)      ? instructions::avx512
                                     : has(instructions::avx2)        ? instructions::avx2
                                                                      : instructions::baseline;
    return best;
}

} // namespace tutti::detail
