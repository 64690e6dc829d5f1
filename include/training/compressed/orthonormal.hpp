// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace tutti::training::compressed {

/// Makes `count` columns of `rows` numbers, one behind the other, orthonormal, by the modified Gram-Schmidt method with
/// sums in double. A column that depends on those before it, to a relative 10^-6, becomes zero. Ranks with the same
/// columns get the same bits.
inline void orthonormalise(std::span<float> columns, std::size_t rows, std::size_t count) noexcept {
    const auto column = [&](std::size_t k) { return columns.subspan(k * rows, rows); };
    const auto product = [&](std::size_t j, std::size_t k) {
        double sum = 0;
        for (std::size_t i = 0; i < rows; ++i) sum += static_cast<double>(column(j)[i]) * column(k)[i];
        return sum;
    };
    for (std::size_t k = 0; k < count; ++k) {
        const double before = product(k, k);
        for (std::size_t j = 0; j < k; ++j) {
            const double share = product(j, k);
            for (std::size_t i = 0; i < rows; ++i)
                column(k)[i] = static_cast<float>(column(k)[i] - share * column(j)[i]);
        }
        const double left = product(k, k), factor = left > 1e-12 * before ? 1 / std::sqrt(left) : 0;
        for (float& x : column(k)) x = static_cast<float>(x * factor);
    }
}

} // namespace tutti::training::compressed
