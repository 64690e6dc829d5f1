// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../collectives/algorithm/any.hpp"
#include "../../collectives/algorithm/halving_doubling.hpp"
#include "../../collectives/allreduce.hpp"
#include "dense_traffic.hpp"
#include "orthonormal.hpp"
#include "random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::training::compressed {

/// How power_sgd takes a vector.
struct power_options {
    std::size_t rank = 2;                               ///< of the approximation
    std::size_t rows = 0;                               ///< of the matrix; 0: about as many as columns
    std::uint64_t seed = 1;                             ///< of the first factor; the same on all ranks
    algorithm::any how = algorithm::halving_doubling{}; ///< of the allreduces
};

/// Sends a matrix as a product of low rank, found by one step of power iteration from the last call's factor. The
/// vector is taken as a matrix by rows; elements that do not fill a row are averaged as they are. For use with
/// error_feedback. A compressor. `sent` is the product with this rank's own second factor, so that the result is the
/// average of what ranks send, but for rounding.
///
/// Cost: two allreduces, of rank x rows and the elements left over, and of rank x columns. Memory: both factors.
/// Source: PowerSGD, Vogels, Karimireddy and Jaggi 2019.
class power_sgd {
public:
    /// Throws invalid_argument for a rank of 0.
    explicit power_sgd(power_options by = {}) : by_(by) {
        if (by.rank == 0) reject("power_sgd", "the rank is 1 at least");
    }

    /// See compressor.
    [[nodiscard]] auto numbers() const { return std::array{double(by_.rank), double(by_.rows), double(by_.seed)}; }
    /// See stream_compressor.
    [[nodiscard]] power_sgd with_stream(std::uint64_t n) const {
        power_options own = by_;
        own.seed = draws::seed_of(by_.seed, n);
        return power_sgd(own);
    }

    /// See compressor. Throws as allreduce, and invalid_argument for vectors shorter than the rows that were given.
    template <class Communicator>
    traffic average(const Communicator& ranks, std::span<float> data, std::span<float> sent) {
        begin(data.size());
        const auto matrix = data.first(rows_ * columns_);
        std::vector<float> p = times_right(matrix);
        p.insert(p.end(), data.begin() + static_cast<std::ptrdiff_t>(matrix.size()), data.end());
        std::ranges::copy(data, sent.begin()); // the elements left over
        ranks.allreduce(p, tutti::average, by_.how);
        orthonormalise(std::span(p).first(rank_ * rows_), rows_, rank_);

        times_left(matrix, p);
        product(p, sent.first(matrix.size()));
        ranks.allreduce(right_, tutti::average, by_.how);
        product(p, matrix);
        std::copy(p.begin() + static_cast<std::ptrdiff_t>(rank_ * rows_), p.end(),
                  data.begin() + static_cast<std::ptrdiff_t>(matrix.size()));

        traffic all = allreduce_traffic(by_.how, ranks, p.size());
        all += allreduce_traffic(by_.how, ranks, right_.size());
        return all;
    }

private:
    /// The shape, and a first factor. A column that is zero, or not finite, would stay so: it is drawn anew, alike on
    /// all ranks.
    void begin(std::size_t elements) {
        const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(elements)));
        rows_ = by_.rows > 0 ? by_.rows : root;
        if (rows_ > elements) reject("power_sgd", "the matrix has more rows than the vector has elements");
        columns_ = rows_ == 0 ? 0 : elements / rows_;
        rank_ = std::min({by_.rank, rows_, columns_});
        right_.resize(rank_ * columns_);
        for (std::size_t k = 0; k < rank_; ++k) {
            const auto column = std::span(right_).subspan(k * columns_, columns_);
            const auto is_zero = [](float x) { return x == 0; };
            const auto is_finite = [](float x) { return std::isfinite(x); };
            if (!std::ranges::all_of(column, is_zero) && std::ranges::all_of(column, is_finite)) continue;
            const draws random(by_.seed, rounds_, k);
            for (std::size_t j = 0; j < columns_; ++j) column[j] = 2 * random.unit(j) - 1;
        }
        ++rounds_;
    }
    /// matrix x right, by columns.
    [[nodiscard]] std::vector<float> times_right(std::span<const float> matrix) const {
        std::vector<float> p(rank_ * rows_);
        for (std::size_t i = 0; i < rows_; ++i)
            for (std::size_t k = 0; k < rank_; ++k)
                for (std::size_t j = 0; j < columns_; ++j)
                    p[k * rows_ + i] += matrix[i * columns_ + j] * right_[k * columns_ + j];
        return p;
    }
    /// right = the transposed matrix x p, by columns.
    void times_left(std::span<const float> matrix, std::span<const float> p) {
        std::ranges::fill(right_, 0.0F);
        for (std::size_t i = 0; i < rows_; ++i)
            for (std::size_t k = 0; k < rank_; ++k)
                for (std::size_t j = 0; j < columns_; ++j)
                    right_[k * columns_ + j] += matrix[i * columns_ + j] * p[k * rows_ + i];
    }
    /// p x the transposed right.
    void product(std::span<const float> p, std::span<float> matrix) const {
        std::ranges::fill(matrix, 0.0F);
        for (std::size_t i = 0; i < rows_; ++i)
            for (std::size_t k = 0; k < rank_; ++k)
                for (std::size_t j = 0; j < columns_; ++j)
                    matrix[i * columns_ + j] += p[k * rows_ + i] * right_[k * columns_ + j];
    }

    power_options by_;
    std::size_t rows_ = 0, columns_ = 0, rank_ = 0;
    std::uint64_t rounds_ = 0;
    std::vector<float> right_; ///< the second factor, by columns
};

} // namespace tutti::training::compressed
