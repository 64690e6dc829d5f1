// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/reducer.hpp"
#include "../operators.hpp"
#include "compiled.hpp"
#include "over_sources.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>

/// The kernels of the built-in operators, one for each set of instructions. Only those of the element and operator of a
/// call are instantiated, and types that reduce alike share them.
namespace tutti::detail {

/// Op on elements of type T has vector kernels. Not the logical operators, which compilers vectorise as they are.
template <class T, class Op>
concept vectorised =
    operator_on<Op, T> &&
    (std::same_as<T, float> || std::same_as<T, double> || is_narrow_float<T> || (std::integral<T> && sizeof(T) <= 8)) &&
    !built_in_name<Op>().empty() && !is_one_of<Op, logical_and_operator, logical_or_operator, logical_xor_operator>;

/// The element that stands for T, by size and sign: for long and long long one, for bool the byte that holds it.
template <class T>
struct stand_in {
    using type = T;
};
template <std::integral T>
struct stand_in<T> {
    using type = integer_of<sizeof(T), std::is_signed_v<T>>;
};

/// The operator that stands for Op: an average is a sum until its last stage.
template <class Op>
using plain_operator = std::conditional_t<std::same_as<Op, average_operator>, sum_operator, Op>;

template <class T, class Op, std::size_t streamed_from = streamed_bytes>
struct reduce_kernel {
    using signature = void(std::byte*, const std::byte* const*, std::size_t, std::size_t, const void*);
    static constexpr bool is_computed = is_one_of<Op, sum_operator, product_operator>;
    static constexpr instructions furthest = is_computed && std::same_as<T, float16>    ? instructions::avx512_fp16
                                             : is_computed && std::same_as<T, bfloat16> ? instructions::avx512_vnni
                                                                                        : instructions::avx512;

    /// A sum or product of two float16 is the same in float16 as in float. Of more, each step would be rounded.
    template <instructions set>
    [[gnu::always_inline]] static void run(std::byte* to, const std::byte* const* sources, std::size_t number,
                                           std::size_t count, const void* state) noexcept {
        if constexpr (set == instructions::avx512_fp16)
            if (number != 2)
                return compiled<reduce_kernel, instructions::avx512>::run(to, sources, number, count, state);
        reduce_all<T, Op, set, streamed_from>(to, {sources, number}, count);
    }
};

/// Two sources are the common case of many.
template <reducer::many_kernel many>
void combine_two(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count, const void* state) {
    const std::byte* const sources[] = {left, right};
    many(to, sources, 2, count, state);
}

template <reducer::many_kernel many>
[[nodiscard]] constexpr reducer reducer_of(std::size_t element_bytes) noexcept {
    return {&combine_two<many>, nullptr, element_bytes, many};
}

/// Precondition: this processor has the instructions.
template <class T, class Op>
    requires vectorised<T, Op>
[[nodiscard]] reducer vector_reducer(instructions set) noexcept {
    using kernel = reduce_kernel<typename stand_in<T>::type, plain_operator<Op>>;
    return choose<kernel>(set, [](auto function) { return reducer_of<&decltype(function)::run>(sizeof(T)); });
}

} // namespace tutti::detail
