// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

/// Vectors of elements, as those that both compilers know without a header: <immintrin.h> would cost every
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

/// A NaN in any form becomes the one that is stored. For lanes as they lie in memory.
template <class Format, std::size_t width>
[[gnu::always_inline]] inline void
make_stored_canonical(typename vector_of<integer_of<sizeof(typename Format::storage), true>, width>::type& x) noexcept {
    using lanes = std::remove_reference_t<decltype(x)>;
    using lane = lane_of<lanes>;
    constexpr auto nan = static_cast<lane>(Format::stored_nan), last = static_cast<lane>(Format::last);
    const lanes magnitude = x & std::numeric_limits<lane>::max();
    x = magnitude > last ? lanes{} + nan : x;
}

} // namespace tutti::detail
