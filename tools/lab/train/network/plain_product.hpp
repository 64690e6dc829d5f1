// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "matrix_view.hpp"

/// Products without a library for them.
namespace tutti::tools::neural::plain {

namespace detail {

/// to += factor * from: the loop in which nearly all time is spent.
inline void add_scaled(std::span<float> to, const float* __restrict from, float factor) {
    if (factor == 0) return; // pictures are mostly black, and a rectifier leaves half
    float* __restrict into = to.data();
    for (std::size_t i = 0, count = to.size(); i < count; ++i) into[i] += factor * from[i];
}

inline void scale(matrix c, float beta) {
    for (std::size_t i = 0; i < c.rows; ++i)
        for (float& v : c.row(i)) v = beta == 0 ? 0 : beta * v;
}

} // namespace detail

/// c = a b + beta c.
inline void multiply(const_matrix a, const_matrix b, matrix c, float beta) {
    detail::scale(c, beta);
    for (std::size_t i = 0; i < c.rows; ++i)
        for (std::size_t k = 0; k < a.columns; ++k) detail::add_scaled(c.row(i), b.row(k).data(), a.row(i)[k]);
}

/// c = (a transposed) b + beta c.
inline void multiply_left_transposed(const_matrix a, const_matrix b, matrix c, float beta) {
    detail::scale(c, beta);
    for (std::size_t k = 0; k < a.rows; ++k)
        for (std::size_t i = 0; i < c.rows; ++i) detail::add_scaled(c.row(i), b.row(k).data(), a.row(k)[i]);
}

/// c = a (b transposed) + beta c.
inline void multiply_right_transposed(const_matrix a, const_matrix b, matrix c, float beta) {
    detail::scale(c, beta);
    for (std::size_t i = 0; i < c.rows; ++i)
        for (std::size_t j = 0; j < c.columns; ++j) {
            float sum = 0;
            for (std::size_t k = 0; k < a.columns; ++k) sum += a.row(i)[k] * b.row(j)[k];
            c.row(i)[j] += sum;
        }
}

} // namespace tutti::tools::neural::plain
