// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../collectives/reduction/accumulator.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace tutti::training {

/// The sum of squares of floats, which is itself an element: ranks add theirs by an allreduce with `sum`. Its bits do
/// not depend on the order of the numbers, nor on how they are spread over ranks. So a norm is the same whether one
/// rank has all gradients or each has a shard. 48 bytes; see reduction/accumulator.hpp for its error.
using square_sum = accumulator<double>;

/// Adds the products of two vectors of one length, each of which is exact in double.
inline void add_products(accumulator<double>& to, std::span<const float> x, std::span<const float> y) noexcept {
    constexpr std::size_t at_once = 512;
    double products[at_once];
    for (std::size_t first = 0; first < x.size(); first += at_once) {
        const std::size_t count = std::min(at_once, x.size() - first);
        for (std::size_t i = 0; i < count; ++i) products[i] = static_cast<double>(x[first + i]) * y[first + i];
        to.add(std::span<const double>(products, count));
    }
}
/// Adds the squares of these numbers.
inline void add_squares(square_sum& to, std::span<const float> numbers) noexcept { add_products(to, numbers, numbers); }

/// The root of the total. NaN or infinite where a number is.
[[nodiscard]] inline double norm_of(const square_sum& total) noexcept { return std::sqrt(total.value()); }

} // namespace tutti::training
