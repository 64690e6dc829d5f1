// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../narrow_formats.hpp"
#include "vectors.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// bfloat16. Of two packs, the first holds the lower halves of all 32-bit words as float, the second the upper halves,
/// so each number takes one instruction to widen.
template <std::size_t width>
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
            const words all = first >> 16U | (second & upper);
            auto halves = __builtin_bit_cast(stored, all);
            make_stored_canonical<brain16, width>(halves);
            put<streamed>(to + i * bytes, halves);
        }
    }

private:
    using stored = vector_of<std::int16_t, width>::type;
    static constexpr std::uint32_t upper = 0xffff0000U;

    [[gnu::always_inline]] static void round(words& to, const vector& from) noexcept {
        const words bits = __builtin_bit_cast(words, from);
        to = bits + 0x7fffU + (bits >> 16U & 1U);
    }
};

} // namespace tutti::detail
