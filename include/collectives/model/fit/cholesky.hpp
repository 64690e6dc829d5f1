// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace tutti::model::detail {

/// A symmetric matrix of a few rows, by rows.
struct matrix {
    explicit matrix(std::size_t n) : rows(n), values(n * n, 0) {}
    [[nodiscard]] double& operator()(std::size_t i, std::size_t k) noexcept { return values[i * rows + k]; }
    [[nodiscard]] double operator()(std::size_t i, std::size_t k) const noexcept { return values[i * rows + k]; }

    std::size_t rows;
    std::vector<double> values;
};

/// The factor of a matrix that is positive definite: a = l l^T, with which equations are solved.
class cholesky {
public:
    explicit cholesky(const matrix& a) : l_(a.rows) {
        for (std::size_t i = 0; i < a.rows; ++i)
            for (std::size_t k = 0; k <= i; ++k) {
                double rest = a(i, k);
                for (std::size_t j = 0; j < k; ++j) rest -= l_(i, j) * l_(k, j);
                l_(i, k) = i == k ? std::sqrt(rest) : rest / l_(k, k);
            }
    }

    /// x with a x = b.
    [[nodiscard]] std::vector<double> solve(std::vector<double> b) const {
        for (std::size_t i = 0; i < b.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) b[i] -= l_(i, k) * b[k];
            b[i] /= l_(i, i);
        }
        for (std::size_t i = b.size(); i-- > 0;) {
            for (std::size_t k = i + 1; k < b.size(); ++k) b[i] -= l_(k, i) * b[k];
            b[i] /= l_(i, i);
        }
        return b;
    }

    /// The k-th number on the diagonal of the inverse of a.
    [[nodiscard]] double inverse_at(std::size_t k) const {
        std::vector<double> unit(l_.rows, 0);
        unit[k] = 1;
        return solve(std::move(unit))[k];
    }

private:
    matrix l_;
};

} // namespace tutti::model::detail
