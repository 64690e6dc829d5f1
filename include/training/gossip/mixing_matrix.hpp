// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tutti::training::gossip {

/// A square matrix by rows. Row i has what part of each rank's vector rank i's new one has.
struct mixing_matrix {
    int size = 0;                ///< ranks
    std::vector<double> entries; ///< by rows
    /// Of rank j's vector in rank i's.
    [[nodiscard]] double& at(int i, int j) { return entries[index(i, j)]; }
    /// The same, to read.
    [[nodiscard]] double at(int i, int j) const { return entries[index(i, j)]; }

private:
    [[nodiscard]] std::size_t index(int i, int j) const noexcept {
        return static_cast<std::size_t>(i) * static_cast<std::size_t>(size) + static_cast<std::size_t>(j);
    }
};

/// A matrix of zeros.
[[nodiscard]] inline mixing_matrix zeros(int size) {
    return {size, std::vector<double>(static_cast<std::size_t>(size) * static_cast<std::size_t>(size))};
}
/// What a round of a graph does.
template <graph G>
[[nodiscard]] mixing_matrix matrix_of(const G& g, int size, std::size_t round = 0) {
    mixing_matrix m = zeros(size);
    for (int i = 0; i < size; ++i)
        for (const link& l : incoming(g, i, size, round)) m.at(i, l.rank) = l.weight;
    return m;
}
/// `second` after `first`. Precondition: equal sizes.
[[nodiscard]] inline mixing_matrix product(const mixing_matrix& second, const mixing_matrix& first) {
    mixing_matrix m = zeros(first.size);
    for (int i = 0; i < m.size; ++i)
        for (int k = 0; k < m.size; ++k)
            for (int j = 0; j < m.size; ++j) m.at(i, j) += second.at(i, k) * first.at(k, j);
    return m;
}
/// What a whole period of a graph does.
template <graph G>
[[nodiscard]] mixing_matrix matrix_of_period(const G& g, int size) {
    mixing_matrix m = matrix_of(g, size, 0);
    for (std::size_t round = 1; round < g.period(size); ++round) m = product(matrix_of(g, size, round), m);
    return m;
}
/// Each row and each column adds up to 1, within 10^-6, and nothing is negative: so the average of all ranks stays.
[[nodiscard]] inline bool is_doubly_stochastic(const mixing_matrix& m) {
    for (int i = 0; i < m.size; ++i) {
        double row = 0, column = 0;
        for (int j = 0; j < m.size; ++j) row += m.at(i, j), column += m.at(j, i);
        if (std::abs(row - 1) > 1e-6 || std::abs(column - 1) > 1e-6) return false;
    }
    return std::ranges::all_of(m.entries, [](double x) { return x >= 0; });
}

namespace detail {
/// The largest eigenvalue of a symmetric matrix, which is overwritten. Source: the cyclic method of Jacobi; Golub and
/// Van Loan, Matrix Computations, section 8.5.
[[nodiscard]] inline double largest_eigenvalue(mixing_matrix& a) {
    const auto rotate = [&a](int p, int q) {
        if (a.at(p, q) == 0) return;
        const double angle = (a.at(q, q) - a.at(p, p)) / (2 * a.at(p, q));
        const double t = (angle < 0 ? -1 : 1) / (std::abs(angle) + std::sqrt(1 + angle * angle));
        const double c = 1 / std::sqrt(1 + t * t), s = t * c;
        for (int k = 0; k < a.size; ++k) {
            const double x = a.at(k, p), y = a.at(k, q);
            a.at(k, p) = c * x - s * y, a.at(k, q) = s * x + c * y;
        }
        for (int k = 0; k < a.size; ++k) {
            const double x = a.at(p, k), y = a.at(q, k);
            a.at(p, k) = c * x - s * y, a.at(q, k) = s * x + c * y;
        }
    };
    const auto beside = [&a] {
        double sum = 0;
        for (int i = 0; i < a.size; ++i)
            for (int j = 0; j < a.size; ++j) sum += i == j ? 0 : a.at(i, j) * a.at(i, j);
        return sum;
    };
    for (int sweep = 0; sweep < 50 && beside() > 1e-26; ++sweep) // it converges quadratically: about ten are enough
        for (int p = 0; p < a.size; ++p)
            for (int q = p + 1; q < a.size; ++q) rotate(p, q);
    double most = 0;
    for (int i = 0; i < a.size; ++i) most = std::max(most, a.at(i, i));
    return most;
}
} // namespace detail

/// By what factor the consensus distance shrinks at least: the largest singular value beside the one of the average.
/// Where the matrix is symmetric it is the second largest magnitude of its eigenvalues. Exact to about 10^-7, since
/// weights are floats. Precondition: is_doubly_stochastic(). Cost: the third power of the ranks.
[[nodiscard]] inline double contraction(const mixing_matrix& m) {
    mixing_matrix rest = m, square = zeros(m.size);
    for (double& x : rest.entries) x -= 1.0 / m.size;
    for (int i = 0; i < m.size; ++i)
        for (int j = 0; j < m.size; ++j)
            for (int k = 0; k < m.size; ++k) square.at(i, j) += rest.at(k, i) * rest.at(k, j);
    return std::sqrt(detail::largest_eigenvalue(square));
}
/// 1 less the contraction: 1 where one round brings the average, 0 where ranks never agree.
[[nodiscard]] inline double spectral_gap(const mixing_matrix& m) { return 1 - contraction(m); }

} // namespace tutti::training::gossip
