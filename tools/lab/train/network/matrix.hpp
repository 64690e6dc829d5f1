// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "plain_product.hpp"

#ifdef TUTTI_BLAS
#include <mutex>

#include <cblas.h>
#endif

/// Products of matrices: by OpenBLAS where the build has it, else by plain loops. Both sum in float; their orders
/// differ.
namespace tutti::tools::neural {

#ifdef TUTTI_BLAS
namespace detail {

/// Ranks are what runs side by side here. A product that starts threads of its own would take their cores.
inline void use_one_thread() {
    static const bool done = (openblas_set_num_threads(1), true);
    static_cast<void>(done);
}

/// An OpenBLAS that was built without threads shares a buffer without a lock: two products at once spoil each other.
/// With ranks as threads they take turns. The mutex guards that buffer; nothing else is held while it is waited for.
[[nodiscard]] inline std::unique_lock<std::mutex> turn() {
    static std::mutex one_product;
    static const bool is_needed = openblas_get_parallel() == OPENBLAS_SEQUENTIAL;
    return is_needed ? std::unique_lock(one_product) : std::unique_lock<std::mutex>();
}

/// `inner` is the length of the sums.
inline void multiply(const_matrix a, CBLAS_TRANSPOSE turn_a, const_matrix b, CBLAS_TRANSPOSE turn_b, std::size_t inner,
                     matrix c, float beta) {
    use_one_thread();
    const auto number = [](std::size_t n) { return static_cast<blasint>(n); };
    const auto mine = turn();
    cblas_sgemm(CblasRowMajor, turn_a, turn_b, number(c.rows), number(c.columns), number(inner), 1.f, a.data,
                number(a.stride), b.data, number(b.stride), beta, c.data, number(c.stride));
}

} // namespace detail
#endif

/// c = a b + beta c. With a beta of 0, what c held does not count.
inline void multiply(const_matrix a, const_matrix b, matrix c, float beta) {
#ifdef TUTTI_BLAS
    detail::multiply(a, CblasNoTrans, b, CblasNoTrans, a.columns, c, beta);
#else
    plain::multiply(a, b, c, beta);
#endif
}

/// c = (a transposed) b + beta c.
inline void multiply_left_transposed(const_matrix a, const_matrix b, matrix c, float beta) {
#ifdef TUTTI_BLAS
    detail::multiply(a, CblasTrans, b, CblasNoTrans, a.rows, c, beta);
#else
    plain::multiply_left_transposed(a, b, c, beta);
#endif
}

/// c = a (b transposed) + beta c.
inline void multiply_right_transposed(const_matrix a, const_matrix b, matrix c, float beta) {
#ifdef TUTTI_BLAS
    detail::multiply(a, CblasNoTrans, b, CblasTrans, a.columns, c, beta);
#else
    plain::multiply_right_transposed(a, b, c, beta);
#endif
}

} // namespace tutti::tools::neural
