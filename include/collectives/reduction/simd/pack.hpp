// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../narrow_float.hpp"
#include "instructions.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

/// Elements side by side, as the vectors that both compilers know without a header: <immintrin.h> would cost every
/// program that includes the library more to compile than all kernels do. What is here, in fold.hpp and in
/// over_sources.hpp carries no target attribute: it is inlined into a function that does, and is compiled for that
/// one's instructions. Vectors are passed by reference, because how one is passed by value depends on the instructions.
namespace tutti::detail {

/// A vector type. The others are the same one as it lies in the user's memory: the bytes of any type, at an address of
/// its own alignment or at any.
template <class Lane, std::size_t bytes>
struct vector_of {
    typedef Lane type __attribute__((vector_size(bytes)));
    typedef Lane aligned __attribute__((vector_size(bytes), may_alias));
    typedef Lane unaligned __attribute__((vector_size(bytes), aligned(1), may_alias));
};

template <std::size_t bytes, bool is_signed>
using integer_of = std::conditional_t<
    bytes == 1, std::conditional_t<is_signed, std::int8_t, std::uint8_t>,
    std::conditional_t<bytes == 2, std::conditional_t<is_signed, std::int16_t, std::uint16_t>,
                       std::conditional_t<bytes == 4, std::conditional_t<is_signed, std::int32_t, std::uint32_t>,
                                          std::conditional_t<is_signed, std::int64_t, std::uint64_t>>>>;

template <class Vector>
using lane_of = std::remove_cvref_t<decltype(std::declval<Vector&>()[0])>;

#if defined(__x86_64__)
inline constexpr bool has_streaming = true;

/// The instructions that g++ 12 has no expression for, or only within functions that have the target attribute: as
/// assembler text they are checked where they end up.
#if defined(__clang__)
template <class Floats, class Halves>
[[gnu::always_inline]] inline void widen_half(Floats& to, const Halves& from) noexcept {
    using halves = vector_of<_Float16, sizeof(Halves)>::type;
    to = __builtin_convertvector(__builtin_bit_cast(halves, from), Floats);
}
template <class Floats, class Halves>
[[gnu::always_inline]] inline void narrow_to_half(Halves& to, const Floats& from) noexcept {
    using halves = vector_of<_Float16, sizeof(Halves)>::type;
    to = __builtin_bit_cast(Halves, __builtin_convertvector(from, halves));
}
template <class Vector>
[[gnu::always_inline]] inline void stream(std::byte* to, const Vector& x) noexcept {
    __builtin_nontemporal_store(x, reinterpret_cast<vector_of<lane_of<Vector>, sizeof(Vector)>::aligned*>(to));
}
#else
template <class Floats, class Halves>
[[gnu::always_inline]] inline void widen_half(Floats& to, const Halves& from) noexcept {
    asm("vcvtph2ps {%1, %0|%0, %1}" : "=v"(to) : "v"(from));
}
template <class Floats, class Halves>
[[gnu::always_inline]] inline void narrow_to_half(Halves& to, const Floats& from) noexcept {
    asm("vcvtps2ph {$0, %1, %0|%0, %1, 0}" : "=v"(to) : "v"(from));
}
/// Past the caches: the line of the destination is not read first. `to` is aligned to the vector.
template <class Vector>
[[gnu::always_inline]] inline void stream(std::byte* to, const Vector& x) noexcept {
    auto& place = *reinterpret_cast<vector_of<lane_of<Vector>, sizeof(Vector)>::aligned*>(to);
    if constexpr (sizeof(Vector) == 16)
        asm("movntdq {%1, %0|%0, %1}" : "=m"(place) : "x"(x));
    else
        asm("vmovntdq {%1, %0|%0, %1}" : "=m"(place) : "v"(x));
}
#endif

/// Streamed stores are not ordered with later ones, such as that of the flag by which another thread learns of them.
inline void end_stream() noexcept { asm volatile("sfence" ::: "memory"); }
#else
inline constexpr bool has_streaming = false;
inline void end_stream() noexcept {}
#endif

/// With `streamed`, past the caches: `to` is then aligned to the vector.
template <bool streamed, class Vector>
[[gnu::always_inline]] inline void put(std::byte* to, const Vector& x) noexcept {
    if constexpr (streamed)
        stream(to, x);
    else
        *reinterpret_cast<vector_of<lane_of<Vector>, sizeof(Vector)>::unaligned*>(to) = x;
}

template <class Vector>
[[gnu::always_inline]] inline void make_canonical(Vector& x) noexcept {
    x = x == x ? x : Vector{} + std::numeric_limits<lane_of<Vector>>::quiet_NaN();
}

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
using pack = std::conditional_t<!is_narrow_float<T>, plain_pack<wide<T>, width>,
                                std::conditional_t<std::is_same_v<T, float16> && set != instructions::baseline,
                                                   half_pack<width>, spread_pack<T, width>>>;

} // namespace tutti::detail
