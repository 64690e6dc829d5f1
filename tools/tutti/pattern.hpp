// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "random.hpp"

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

/// The operators of a bench, and none for the operations that do not reduce.
enum class reduction : std::uint8_t {
    none,
    sum,
    product,
    minimum,
    maximum,
    average,
    bitwise_and,
    bitwise_or,
    bitwise_xor
};

/// Patterns repeat after this many elements. A prime: no chunk boundary falls on a period but by being a multiple of
/// it, so data of a wrong chunk is seen.
inline constexpr std::size_t period = 251;

template <class T>
using period_of = std::array<T, period>;

namespace detail {

/// How many values a pattern may use, so that no result over `ranks` ranks leaves the range where T is exact.
template <class T>
[[nodiscard]] std::uint64_t spread(reduction op, int ranks) {
    constexpr int digits = std::min(std::numeric_limits<T>::digits, 62);
    constexpr std::uint64_t exact = std::uint64_t{1} << digits;
    if (op == reduction::sum || op == reduction::average)
        return std::clamp<std::uint64_t>(exact / static_cast<std::uint64_t>(ranks), 2, 128);
    return std::min<std::uint64_t>(exact, 1 << 16);
}

/// -1 or 1, doubled on a window of at most six ranks: the product of all stays exact in every type.
template <class T>
[[nodiscard]] T factor(std::uint64_t bits, int rank, int ranks, std::size_t index) {
    constexpr std::size_t window = 6;
    const bool doubled = (static_cast<std::size_t>(rank) + index) % static_cast<std::size_t>(ranks) < window;
    const int size = doubled && (bits & 2) != 0 ? 2 : 1;
    return static_cast<T>(std::is_signed_v<T> && (bits & 1) != 0 ? -size : size);
}

/// The element `index` < period of what rank `rank` of `ranks` puts in.
template <class T>
[[nodiscard]] T value(reduction op, int rank, int ranks, std::size_t index) {
    const std::uint64_t bits = mix(static_cast<std::uint64_t>(rank) + 1, index + 1);
    if (op == reduction::product) return factor<T>(bits, rank, ranks, index);
    const std::uint64_t values = spread<T>(op, ranks);
    const auto magnitude = static_cast<std::int64_t>(bits % values);
    return static_cast<T>(std::is_signed_v<T> ? magnitude - static_cast<std::int64_t>(values / 2) : magnitude);
}

/// One operand more, by the serial rules: integers wrap.
template <class T>
[[nodiscard]] T combined(reduction op, T a, T b) {
    if (op == reduction::minimum) return std::min(a, b);
    if (op == reduction::maximum) return std::max(a, b);
    if constexpr (std::floating_point<T>) {
        return op == reduction::product ? a * b : a + b;
    } else {
        const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
        switch (op) {
        case reduction::product: return static_cast<T>(x * y);
        case reduction::bitwise_and: return static_cast<T>(x & y);
        case reduction::bitwise_or: return static_cast<T>(x | y);
        case reduction::bitwise_xor: return static_cast<T>(x ^ y);
        default: return static_cast<T>(x + y);
        }
    }
}

} // namespace detail

/// One period of what a rank puts in.
template <class T>
[[nodiscard]] period_of<T> input_of(reduction op, int rank, int ranks) {
    period_of<T> values;
    for (std::size_t i = 0; i < period; ++i) values[i] = detail::value<T>(op, rank, ranks, i);
    return values;
}

/// One period of the reduction of all inputs.
template <class T>
[[nodiscard]] period_of<T> reduction_of(reduction op, int ranks) {
    period_of<T> result = input_of<T>(op, 0, ranks);
    for (int rank = 1; rank < ranks; ++rank)
        for (std::size_t i = 0; i < period; ++i)
            result[i] = detail::combined(op, result[i], detail::value<T>(op, rank, ranks, i));
    if constexpr (std::floating_point<T>)
        if (op == reduction::average)
            for (T& v : result) v *= T{1} / static_cast<T>(ranks);
    return result;
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
