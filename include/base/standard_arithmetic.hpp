// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tutti::detail {

/// As long as it lives, the thread's arithmetic is that of IEEE 754 by default: it rounds to nearest and keeps
/// subnormal numbers. Libraries linked with -ffast-math, and fesetround(), change that for threads of some ranks, whose
/// sums would have other bits. Costs a look at one register; where the mode is another one, it is changed and restored.
/// Exceptions that the program traps, and flags, stay the program's. Where the processor is no x86-64 or AArch64, only
/// the rounding counts.
class standard_arithmetic {
public:
    standard_arithmetic() noexcept {
        const auto found = mode();
        if ((found & deviating) != 0) [[unlikely]]
            change(found);
    }
    standard_arithmetic(const standard_arithmetic&) = delete;
    standard_arithmetic& operator=(const standard_arithmetic&) = delete;
    ~standard_arithmetic() {
        if (was_ != 0) [[unlikely]]
            restore();
    }

private:
#if defined(__x86_64__)
    using control = std::uint32_t;
    static constexpr control rounding = 0x6000, flushing = 0x8040; // operands as well as results
    static control mode() noexcept { return _mm_getcsr(); }
    static void set_mode(control to) noexcept { _mm_setcsr(to); }
#elif defined(__aarch64__)
    using control = std::uint64_t;
    static constexpr control rounding = 3U << 22, flushing = 1U << 24 | 1U << 19; // of 16 bits as well
    static control mode() noexcept {
        control now;
        asm volatile("mrs %0, fpcr" : "=r"(now));
        return now;
    }
    static void set_mode(control to) noexcept { asm volatile("msr fpcr, %0" ::"r"(to)); }
#else
    using control = std::uint32_t;
    static constexpr control rounding = 1, flushing = 0;
    static control mode() noexcept { return std::fegetround() == FE_TONEAREST ? 0 : rounding; }
    static void set_mode(control) noexcept {}
#endif
    static constexpr control deviating = rounding | flushing;

    // fesetround() sets the mode of long double on x86 as well, and fegetround() reads that one.
    [[gnu::noinline, gnu::cold]] void change(control found) noexcept {
        was_ = found & deviating;
        rounded_ = std::fegetround();
        std::fesetround(FE_TONEAREST);
        set_mode(mode() & ~flushing);
    }
    [[gnu::noinline, gnu::cold]] void restore() const noexcept {
        std::fesetround(rounded_);
        set_mode((mode() & ~deviating) | was_);
    }

    control was_ = 0; ///< what was not the default of the bits that count
    int rounded_ = 0; ///< as fegetround() has it, where was_ is not 0
};

} // namespace tutti::detail
