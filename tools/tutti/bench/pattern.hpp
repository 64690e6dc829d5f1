// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/random.hpp"

#include <collectives/runtime_call.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

/// What a bench puts into the buffers, and how it knows what must come out of them: exactly, element by element,
/// without a second run of the operation.
namespace tutti::tools {

/// Patterns repeat after this many elements. A prime: no chunk boundary falls on a period but by being a multiple of
/// it, so data of a wrong chunk is seen.
inline constexpr std::size_t period = 251;

template <class T>
using period_of = std::array<T, period>;

namespace detail {

using tutti::detail::is_narrow_float;
using tutti::detail::wide; // what patterns of a narrow type are computed in

/// Integers up to 2^digits are exact in T.
template <class T>
inline constexpr int digits = std::min(std::numeric_limits<T>::digits, 62);
template <class Format>
inline constexpr int digits<narrow_float<Format>> = Format::digits;

/// Up to so many ranks put values other than 0 into a sum, so that narrow types hold it.
template <class T>
[[nodiscard]] std::uint64_t summands(int ranks) {
    return std::min(static_cast<std::uint64_t>(ranks), std::uint64_t{1} << (digits<T> - 1));
}

/// It sums, whatever is done before or behind.
[[nodiscard]] constexpr bool adds(operator_type op) noexcept {
    return op == operator_type::sum || op == operator_type::average || op == operator_type::premultiplied_sum;
}

/// How many values a pattern may use, so that no result over `ranks` ranks leaves the range where T is exact.
template <class T>
[[nodiscard]] std::uint64_t spread(operator_type op, int ranks) {
    constexpr std::uint64_t exact = std::uint64_t{1} << digits<T>;
    if (adds(op)) return std::clamp<std::uint64_t>(exact / summands<T>(ranks), 2, 128);
    return std::min<std::uint64_t>(exact, 1 << 16);
}

/// -1 or 1, doubled on a window of at most six ranks: the product of all stays exact in every type.
template <class T>
[[nodiscard]] wide<T> factor(std::uint64_t bits, std::size_t place) {
    constexpr std::size_t window = 6;
    const int size = place < window && (bits & 2) != 0 ? 2 : 1;
    return static_cast<wide<T>>(std::is_signed_v<wide<T>> && (bits & 1) != 0 ? -size : size);
}

[[nodiscard]] constexpr bool is_logical(operator_type op) noexcept {
    return op >= operator_type::logical_and && op <= operator_type::logical_xor;
}

/// The element `index` < period of what rank `rank` of `ranks` puts in.
template <class T>
[[nodiscard]] wide<T> value(operator_type op, int rank, int ranks, std::size_t index) {
    const std::uint64_t bits = mix(static_cast<std::uint64_t>(rank) + 1, index + 1);
    const std::size_t place = (static_cast<std::size_t>(rank) + index) % static_cast<std::size_t>(ranks);
    if (op == operator_type::product) return factor<T>(bits, place);
    if (is_logical(op) && bits % 3 == 0) return 0; // else it is one by chance, and hardly ever
    if (adds(op) && place >= summands<T>(ranks)) return 0;
    const std::uint64_t values = spread<T>(op, ranks);
    const auto magnitude = static_cast<std::int64_t>(bits % values);
    return static_cast<wide<T>>(std::is_signed_v<wide<T>> ? magnitude - static_cast<std::int64_t>(values / 2)
                                                          : magnitude);
}

/// One operand more, by the serial rules: integers wrap.
template <class T>
[[nodiscard]] T combined(operator_type op, T a, T b) {
    if (op == operator_type::minimum) return std::min(a, b);
    if (op == operator_type::maximum) return std::max(a, b);
    if (op == operator_type::logical_and) return static_cast<T>(a != 0 && b != 0);
    if (op == operator_type::logical_or) return static_cast<T>(a != 0 || b != 0);
    if (op == operator_type::logical_xor) return static_cast<T>((a != 0) != (b != 0));
    if constexpr (std::floating_point<T>) {
        return op == operator_type::product ? a * b : a + b;
    } else {
        const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
        switch (op) {
        case operator_type::product: return static_cast<T>(x * y);
        case operator_type::bitwise_and: return static_cast<T>(x & y);
        case operator_type::bitwise_or: return static_cast<T>(x | y);
        case operator_type::bitwise_xor: return static_cast<T>(x ^ y);
        default: return static_cast<T>(x + y);
        }
    }
}

} // namespace detail

/// What a premultiplied sum multiplies a rank's input by: -1 or 1, so that results stay exact. Unsigned numbers wrap.
template <class T>
[[nodiscard]] tutti::detail::wide<T> factor_of(operator_type op, int rank) {
    const int factor = op == operator_type::premultiplied_sum && rank % 2 == 0 ? -1 : 1;
    return static_cast<tutti::detail::wide<T>>(factor);
}

/// One period of what a rank puts in.
template <class T>
[[nodiscard]] period_of<T> input_of(operator_type op, int rank, int ranks) {
    period_of<T> values;
    for (std::size_t i = 0; i < period; ++i) values[i] = static_cast<T>(detail::value<T>(op, rank, ranks, i));
    return values;
}

/// One period of the reduction of the inputs of the first `operands` ranks.
template <class T>
[[nodiscard]] period_of<T> prefix_of(operator_type op, int ranks, int operands) {
    period_of<T> result;
    for (std::size_t i = 0; i < period; ++i) {
        const auto operand = [&](int rank) {
            return static_cast<detail::wide<T>>(detail::value<T>(op, rank, ranks, i) * factor_of<T>(op, rank));
        };
        auto total = operand(0);
        for (int rank = 1; rank < operands; ++rank) total = detail::combined(op, total, operand(rank));
        if constexpr (tutti::detail::floating<T>)
            if (op == operator_type::average) total *= detail::wide<T>{1} / static_cast<detail::wide<T>>(ranks);
        result[i] = static_cast<T>(total);
    }
    return result;
}

/// One period of the reduction of all inputs.
template <class T>
[[nodiscard]] period_of<T> reduction_of(operator_type op, int ranks) {
    return prefix_of<T>(op, ranks, ranks);
}

/// Writes a pattern, its element `first` first.
template <class T>
void fill(std::span<T> to, const period_of<T>& pattern, std::size_t first = 0) {
    for (std::size_t i = 0, at = first % period; i < to.size(); at = 0) {
        const std::size_t piece = std::min(period - at, to.size() - i);
        std::memcpy(to.data() + i, pattern.data() + at, piece * sizeof(T));
        i += piece;
    }
}

/// How many elements are not those of the pattern, its element `first` first. Compares values: -0 is 0.
template <class T>
[[nodiscard]] std::size_t count_wrong(std::span<const T> found, const period_of<T>& pattern, std::size_t first = 0) {
    std::size_t wrong = 0;
    for (std::size_t i = 0, at = first % period; i < found.size(); at = 0) {
        const std::size_t piece = std::min(period - at, found.size() - i);
        if (std::memcmp(found.data() + i, pattern.data() + at, piece * sizeof(T)) != 0)
            for (std::size_t k = 0; k < piece; ++k) wrong += !(found[i + k] == pattern[at + k]);
        i += piece;
    }
    return wrong;
}

} // namespace tutti::tools
