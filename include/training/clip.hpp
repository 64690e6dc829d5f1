// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../base/error.hpp"
#include "../collectives/allreduce.hpp"
#include "buckets/square_sum.hpp"

#include <span>

/// Clipping of gradients by the norm of all of them. Source: Pascanu, Mikolov and Bengio, On the difficulty of training
/// recurrent neural networks, 2013; the factor is that of PyTorch's clip_grad_norm_.
namespace tutti::training {

/// By what gradients are multiplied so that their norm is at most `most`: 1 where it is. NaN where the norm is.
[[nodiscard]] inline float clip_factor(double norm, double most) noexcept {
    const double factor = most / (norm + 1e-6);
    return factor >= 1 ? 1.0F : static_cast<float>(factor);
}

namespace detail {
inline void require_positive(double most) {
    if (!(most > 0)) reject("clip", "the largest norm must be more than 0");
}
inline double clip_to(std::span<float> gradients, const square_sum& total, double most) noexcept {
    const double norm = norm_of(total);
    const float factor = clip_factor(norm, most);
    if (factor != 1.0F)
        for (float& g : gradients) g *= factor;
    return norm;
}
} // namespace detail

/// Clips gradients that this rank has all of, and returns the norm that they had. Ranks with the same gradients get the
/// same bits. Throws invalid_argument unless `most` is more than 0.
inline double clip(std::span<float> gradients, double most) {
    detail::require_positive(most);
    square_sum total;
    add_squares(total, gradients);
    return detail::clip_to(gradients, total, most);
}

/// The same of gradients of which each rank has a shard. Collective; the bits are those of a rank that has all.
/// Cost: an allreduce of 48 bytes.
template <class Communicator>
double clip(const Communicator& world, std::span<float> shard, double most) {
    detail::require_positive(most);
    square_sum total;
    add_squares(total, shard);
    return detail::clip_to(shard, world.allreduce(total, sum), most);
}

} // namespace tutti::training
