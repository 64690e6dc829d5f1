// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../built_in.hpp"
#include "pack.hpp"

#include <concepts>
#include <cstddef>
#include <type_traits>

/// The built-in operators on vectors, with the same bits as those of scalar.hpp. A reduction enters each operand, adds
/// it to the total, and leaves with the result. A NaN stays one on the way; its form is settled when it is stored.
namespace tutti::detail {

template <class Op, class Lane, std::size_t width>
struct fold {
    using vector = vector_of<Lane, width>::type;
    using bits = vector_of<integer_of<sizeof(Lane), false>, width>::type;
    static constexpr bool is_floating = std::is_floating_point_v<Lane>;
    static constexpr bool is_mirrored = is_floating && std::same_as<Op, maximum_operator>;

    /// The sign is turned as a bit: clang would move a minus in front of the conversion from float16, and do it there
    /// one by one.
    [[gnu::always_inline]] static void enter(vector& x) noexcept {
        constexpr auto sign = integer_of<sizeof(Lane), false>{1} << (8 * sizeof(Lane) - 1);
        if constexpr (is_mirrored) x = __builtin_bit_cast(vector, __builtin_bit_cast(bits, x) ^ sign);
    }

    [[gnu::always_inline]] static void add(vector& total, const vector& next) noexcept {
        if constexpr (is_floating)
            add_floating(total, next);
        else
            add_integers(total, next);
    }

    [[gnu::always_inline]] static void leave(vector& x) noexcept { enter(x); }

private:
    /// The largest is the smallest of the numbers with their signs turned; see floating_lesser for the `or`.
    [[gnu::always_inline]] static void add_floating(vector& total, const vector& next) noexcept {
        if constexpr (std::same_as<Op, sum_operator>) {
            total += next;
        } else if constexpr (std::same_as<Op, product_operator>) {
            total *= next;
        } else {
            static_assert(is_one_of<Op, minimum_operator, maximum_operator>,
                          "tutti: this operator has no vector kernel");
            const vector one = total < next ? total : next;
            const vector two = next < total ? next : total;
            total = __builtin_bit_cast(vector, __builtin_bit_cast(bits, one) | __builtin_bit_cast(bits, two));
        }
    }

    /// All but minimum and maximum work on unsigned lanes, which wrap.
    [[gnu::always_inline]] static void add_integers(vector& total, const vector& next) noexcept {
        const bits a = __builtin_bit_cast(bits, total), b = __builtin_bit_cast(bits, next);
        if constexpr (std::same_as<Op, sum_operator>)
            total = __builtin_bit_cast(vector, a + b);
        else if constexpr (std::same_as<Op, product_operator>)
            total = __builtin_bit_cast(vector, a * b);
        else if constexpr (std::same_as<Op, bitwise_and_operator>)
            total = __builtin_bit_cast(vector, a & b);
        else if constexpr (std::same_as<Op, bitwise_or_operator>)
            total = __builtin_bit_cast(vector, a | b);
        else if constexpr (std::same_as<Op, bitwise_xor_operator>)
            total = __builtin_bit_cast(vector, a ^ b);
        else if constexpr (std::same_as<Op, minimum_operator>)
            total = next < total ? next : total;
        else if constexpr (std::same_as<Op, maximum_operator>)
            total = total < next ? next : total;
        else
            static_assert(std::same_as<Op, void>, "tutti: this operator has no vector kernel");
    }
};

} // namespace tutti::detail
