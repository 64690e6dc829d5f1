// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../built_in.hpp"
#include "vectors.hpp"

#include <concepts>
#include <cstddef>

/// Minimum and maximum of 16 and 8 bits without a conversion to float: numbers are compared as integers.
namespace tutti::detail {

/// A number's key is an integer in the order of the numbers, and above all others if the number is NaN. The key for the
/// maximum is signed: a positive number is its own key, and a negative one is taken from `last`, the largest magnitude
/// that is not NaN. So -0 becomes a key below 0, the least number the least key, and what goes beyond it, a negative
/// NaN, wraps around to the positive ones. The key for the minimum mirrors this: it is unsigned, grows as numbers
/// shrink, and a negative number is its own key. Both are their own inverse.
template <class T, class Op, std::size_t width>
struct key_fold {
    static_assert(is_one_of<Op, minimum_operator, maximum_operator>);
    static constexpr bool is_maximum = std::same_as<Op, maximum_operator>;
    using lane = integer_of<sizeof(T), is_maximum>;
    using vector = vector_of<lane, width>::type;

    [[gnu::always_inline]] static void enter(vector& x) noexcept {
        const auto other = __builtin_bit_cast(vector, last - __builtin_bit_cast(unsigned_lanes, x)); // wraps
        if constexpr (is_maximum)
            x = x < 0 ? other : x;
        else
            x = __builtin_bit_cast(signed_lanes, x) < 0 ? x : other;
    }

    [[gnu::always_inline]] static void add(vector& total, const vector& next) noexcept {
        total = total < next ? next : total;
    }

    [[gnu::always_inline]] static void leave(vector& x) noexcept {
        constexpr auto largest = static_cast<lane>(is_maximum ? T::format::last : T::format::last | sign);
        constexpr auto nan = static_cast<lane>(T::format::stored_nan);
        vector number = x;
        enter(number);
        x = x > largest ? vector{} + nan : number;
    }

private:
    using signed_lanes = vector_of<integer_of<sizeof(T), true>, width>::type;
    using unsigned_lanes = vector_of<integer_of<sizeof(T), false>, width>::type;
    static constexpr auto last = static_cast<integer_of<sizeof(T), false>>(T::format::last);
    static constexpr unsigned sign = 1U << (8 * sizeof(T) - 1);
};

} // namespace tutti::detail
