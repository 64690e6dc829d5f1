// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../narrow_float.hpp"
#include "brain_pack.hpp"
#include "instructions.hpp"
#include "vectors.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tutti::detail {

/// How elements become vectors of what they are computed in, and vectors elements again, NaN in its one form. A pack is
/// `width` bytes in a register, and stands for `bytes` of memory. `load<i>` reads the i-th of the packs that begin at
/// an address, `store<i>` writes the i-th of an array, which has a multiple of `fewest`.
template <class T, std::size_t width>
struct plain_pack {
    static constexpr std::size_t bytes = width, fewest = 1;
    using types = vector_of<T, width>;
    using vector = types::type;

    template <std::size_t i>
    [[gnu::always_inline]] static void load(vector& x, const std::byte* from) noexcept {
        x = reinterpret_cast<const types::unaligned*>(from)[i];
    }
    template <std::size_t i, bool streamed>
    [[gnu::always_inline]] static void store(std::byte* to, const vector* packs) noexcept {
        vector x = packs[i];
        if constexpr (std::is_floating_point_v<T>) make_canonical(x);
        put<streamed>(to + i * bytes, x);
    }
};

/// float16 where the processor converts it.
template <std::size_t width>
struct half_pack {
    static constexpr std::size_t bytes = width / 2, fewest = 1;
    using types = vector_of<std::uint16_t, bytes>;
    using vector = vector_of<float, width>::type;

    template <std::size_t i>
    [[gnu::always_inline]] static void load(vector& x, const std::byte* from) noexcept {
        const typename types::type halves = reinterpret_cast<const types::unaligned*>(from)[i];
        widen_half(x, halves);
    }
    template <std::size_t i, bool streamed>
    [[gnu::always_inline]] static void store(std::byte* to, const vector* packs) noexcept {
        vector x = packs[i];
        make_canonical(x);
        typename types::type halves;
        narrow_to_half(halves, x);
        put<streamed>(to + i * bytes, halves);
    }
};

/// Numbers of 16 or 8 bits, converted by arithmetic. Of two or four packs, each holds the numbers of one place in all
/// 32-bit words, so nothing moves from lane to lane.
template <class T, std::size_t width>
struct spread_pack {
    static constexpr std::size_t fewest = sizeof(std::uint32_t) / sizeof(T), bytes = width / fewest;
    using types = vector_of<std::uint32_t, width>;
    using words = types::type;
    using vector = vector_of<float, width>::type;

    template <std::size_t i>
    [[gnu::always_inline]] static void load(vector& x, const std::byte* from) noexcept {
        const words all = reinterpret_cast<const types::unaligned*>(from)[i / fewest];
        const words numbers = all >> place<i> & mask;
        T::format::widen(x, numbers);
    }
    template <std::size_t i, bool streamed>
    [[gnu::always_inline]] static void store(std::byte* to, const vector* packs) noexcept {
        if constexpr (i % fewest == 0) {
            words all;
            T::format::narrow(all, packs[i]);
            add<i + 1>(all, packs);
            put<streamed>(to + i * bytes, all);
        }
    }

private:
    static constexpr unsigned bits = 8 * sizeof(T), mask = (1U << bits) - 1;
    /// The bit of a word at which the numbers of the i-th pack begin.
    template <std::size_t i>
    static constexpr unsigned place = i % fewest * bits;

    /// The numbers of the packs from the i-th on that share words with it.
    template <std::size_t i>
    [[gnu::always_inline]] static void add(words& all, const vector* packs) noexcept {
        if constexpr (i % fewest != 0) {
            words numbers;
            T::format::narrow(numbers, packs[i]);
            all |= numbers << place<i>;
            add<i + 1>(all, packs);
        }
    }
};

template <class T, instructions set, std::size_t width>
using pack = std::conditional_t<
    !is_narrow_float<T>, plain_pack<wide<T>, width>,
    std::conditional_t<std::is_same_v<T, bfloat16>, brain_pack<width, set>,
                       std::conditional_t<std::is_same_v<T, float16> && set != instructions::baseline, half_pack<width>,
                                          spread_pack<T, width>>>>;

} // namespace tutti::detail
