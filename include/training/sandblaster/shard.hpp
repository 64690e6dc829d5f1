// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../buckets/square_sum.hpp"
#include "command.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace tutti::training::sandblaster {

/// A sum of products in progress. Its bits do not depend on how a vector is cut into shards.
using product_sum = accumulator<double>;

using training::add_products;

/// y = y + factor x. The product is exact in double, so compilers that fuse it with the addition give the same bits.
inline void add_scaled(std::span<float> y, float factor, std::span<const float> x) noexcept {
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = static_cast<float>(static_cast<double>(y[i]) + static_cast<double>(factor) * x[i]);
}

/// One shard's part of all vectors. Memory: 4 bytes a parameter of the shard, for each vector.
class shard {
public:
    /// Vector 0 is the first weights.
    explicit shard(std::vector<float> first) : size_(first.size()), vectors_{std::move(first)} {}

    /// The parameters of this part.
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// This part of a vector, until another one is first used. It is zero where it was never written.
    [[nodiscard]] std::span<float> vector(vector_id v) {
        if (v >= vectors_.size()) vectors_.resize(std::size_t{v} + 1);
        if (vectors_[v].size() != size_) vectors_[v].resize(size_);
        return vectors_[v];
    }

    /// This part of x . y.
    [[nodiscard]] product_sum dot(vector_id x, vector_id y) {
        product_sum sum;
        add_products(sum, vector(x), vector(y));
        return sum;
    }
    /// Carries out scale, axpy, copy or set_zero.
    void change(const command& c) {
        const std::span<float> x = vector(c.x), y = vector(c.y);
        switch (c.what) {
        case operation::scale:
            for (float& v : y) v *= c.factor;
            return;
        case operation::axpy: return add_scaled(y, c.factor, x);
        case operation::copy: std::copy(x.begin(), x.end(), y.begin()); return;
        default: std::fill(y.begin(), y.end(), 0.F);
        }
    }

private:
    std::size_t size_;
    std::vector<std::vector<float>> vectors_;
};

} // namespace tutti::training::sandblaster
