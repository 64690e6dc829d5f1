// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../narrow_formats.hpp"
#include "instructions.hpp"
#include "vectors.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// clang refuses the registers of AVX-512 in assembler text within what is inlined into a function that has them. For
/// other processors it refuses such text wherever it stands, used or not.
#if defined(__x86_64__) && !defined(__clang__)
#define TUTTI_WIDE_ASM(...) asm(__VA_ARGS__)
inline constexpr bool has_wide_assembler = true;
#else
#define TUTTI_WIDE_ASM(...) static_cast<void>(0)
inline constexpr bool has_wide_assembler = false;
#endif

/// bfloat16. Of two packs, the first holds the lower halves of all 32-bit words as float, the second the upper halves,
/// so each number takes one instruction to widen.
template <std::size_t width, instructions set>
struct brain_pack {
    static constexpr std::size_t fewest = 2, bytes = width / fewest;
    using types = vector_of<std::uint32_t, width>;
    using words = types::type;
    using vector = vector_of<float, width>::type;

    template <std::size_t i>
    [[gnu::always_inline]] static void load(vector& x, const std::byte* from) noexcept {
        const words all = reinterpret_cast<const types::unaligned*>(from)[i / fewest];
        x = __builtin_bit_cast(vector, i % fewest == 0 ? all << 16U : all & upper);
    }

    /// To the nearest, ties to even, in integers. It keeps a NaN one, because the lower half of a float that was
    /// computed from bfloat16 and is NaN is 0.
    template <std::size_t i, bool streamed>
    [[gnu::always_inline]] static void store(std::byte* to, const vector* packs) noexcept {
        if constexpr (i % fewest == 0) {
            words first, second;
            round(first, packs[i]);
            round(second, packs[i + 1]);
            merge(second, first);
            auto halves = __builtin_bit_cast(stored, second);
            if (may_have_nan(packs[i], packs[i + 1])) make_stored_canonical<brain16, width>(halves);
            put<streamed>(to + i * bytes, halves);
        }
    }

private:
    using stored = vector_of<std::int16_t, width>::type;
    static constexpr std::uint32_t upper = 0xffff0000U, odd = 0x00010000U, below_half = 0x00007fffU;

    static constexpr bool is_wide = has_wide_assembler && set >= instructions::avx512,
                          has_products = has_wide_assembler && set >= instructions::avx512_vnni;

    /// By one comparison of both, where that spares the instructions that mend what is none.
    [[gnu::always_inline]] static bool may_have_nan([[maybe_unused]] const vector& a,
                                                    [[maybe_unused]] const vector& b) noexcept {
        bool any = true;
        if constexpr (is_wide)
            TUTTI_WIDE_ASM("vcmpps {$3, %2, %1, %%k1|k1, %1, %2, 3}\n\tkortestw {%%k1, %%k1|k1, k1}"
                           : "=@ccnz"(any)
                           : "v"(a), "v"(b)
                           : "k1");
        return any;
    }

    /// Adds what makes the upper half the rounded number: less than half a step, and one more if that half is odd. The
    /// sum of products adds the two halves of a word, each times one.
    [[gnu::always_inline]] static void round(words& to, const vector& from) noexcept {
        const words bits = __builtin_bit_cast(words, from);
        if constexpr (has_products) {
            const words halves = (bits & odd) | below_half, ones = words{} + 0x00010001U;
            to = bits;
            TUTTI_WIDE_ASM("vpdpwssd {%2, %1, %0|%0, %1, %2}" : "+v"(to) : "v"(halves), "v"(ones));
        } else {
            to = bits + below_half + (bits >> 16U & 1U);
        }
    }

    /// The upper halves of `first` become the lower ones of `second`.
    [[gnu::always_inline]] static void merge(words& second, const words& first) noexcept {
        if constexpr (is_wide) {
            [[maybe_unused]] constexpr std::uint64_t lower_bytes = 0x3333333333333333U;
            const words from = {0x0302, 0x0706, 0x0b0a, 0x0f0e, 0x0302, 0x0706, 0x0b0a, 0x0f0e,
                                0x0302, 0x0706, 0x0b0a, 0x0f0e, 0x0302, 0x0706, 0x0b0a, 0x0f0e};
            TUTTI_WIDE_ASM("vpshufb {%2, %1, %0%{%3%}|%0%{%3%}, %1, %2}"
                           : "+v"(second)
                           : "v"(first), "v"(from), "Yk"(lower_bytes));
        } else {
            second = first >> 16U | (second & upper);
        }
    }
};

#undef TUTTI_WIDE_ASM

} // namespace tutti::detail
