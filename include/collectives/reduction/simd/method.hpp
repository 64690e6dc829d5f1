// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../built_in.hpp"
#include "fold.hpp"
#include "keys.hpp"
#include "pack.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tutti::detail {

/// How Op reduces elements of type T by vectors of `width` bytes: the pack that loads and stores them, and the fold.
template <class T, class Op, instructions set, std::size_t width>
struct method {
    using pack = detail::pack<T, set, width>;
    using fold = detail::fold<Op, wide<T>, width>;
};

template <class T, class Op, instructions set, std::size_t width>
    requires is_narrow_float<T> && is_one_of<Op, minimum_operator, maximum_operator>
struct method<T, Op, set, width> {
    using fold = key_fold<T, Op, width>;
    using pack = plain_pack<typename fold::lane, width>;
};

#if defined(__x86_64__)
/// Two operands in float16 itself. The processor's arithmetic rounds once, to nearest and with the numbers below the
/// normal ones, as does float, which has more than twice the digits.
template <class Op, std::size_t width>
struct half_fold {
    using vector = vector_of<std::int16_t, width>::type;

    [[gnu::always_inline]] static void enter(vector&) noexcept {}
    [[gnu::always_inline]] static void add(vector& total, const vector& next) noexcept {
#if defined(__clang__)
        using halves = vector_of<_Float16, width>::type;
        const auto a = __builtin_bit_cast(halves, total), b = __builtin_bit_cast(halves, next);
        total = __builtin_bit_cast(vector, std::same_as<Op, sum_operator> ? a + b : a * b);
#else
        if constexpr (std::same_as<Op, sum_operator>)
            asm("vaddph {%1, %0, %0|%0, %0, %1}" : "+v"(total) : "vm"(next));
        else
            asm("vmulph {%1, %0, %0|%0, %0, %1}" : "+v"(total) : "vm"(next));
#endif
    }
    [[gnu::always_inline]] static void leave(vector& x) noexcept { make_stored_canonical<binary16, width>(x); }
};

template <class Op, std::size_t width>
    requires is_one_of<Op, sum_operator, product_operator>
struct method<float16, Op, instructions::avx512_fp16, width> {
    using fold = half_fold<Op, width>;
    using pack = plain_pack<std::int16_t, width>;
};
#endif

} // namespace tutti::detail
