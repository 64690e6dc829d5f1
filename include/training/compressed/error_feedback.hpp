// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "traffic.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::training::compressed {

/// Adds what a compressor left out of this rank's vectors to the next one. A compressor itself, for vectors of one
/// length. In the long run all of a vector arrives. Memory: 4 bytes an element.
///
/// An element that was sent as NaN or infinity leaves nothing for the next vector. The others have seen it, and a
/// caller that skips such a step goes on with numbers.
/// Sources: Seide et al., 1-bit stochastic gradient descent, 2014; Karimireddy et al., Error feedback fixes SignSGD and
/// other gradient compression schemes, 2019.
template <class Compressor>
class error_feedback {
public:
    /// Over this compressor.
    explicit error_feedback(Compressor inner) : inner_(std::move(inner)) {}

    /// See compressor. `sent` is of the vector with what was left out before.
    template <class Communicator>
        requires compressor<Compressor, Communicator>
    traffic average(const Communicator& ranks, std::span<float> data, std::span<float> sent) {
        left_.resize(data.size());
        for (std::size_t i = 0; i < data.size(); ++i) data[i] = left_[i] += data[i];
        const traffic cost = inner_.average(ranks, data, sent);
        for (std::size_t i = 0; i < data.size(); ++i) left_[i] = std::isfinite(sent[i]) ? left_[i] - sent[i] : 0.0F;
        return cost;
    }

    /// See stream_compressor.
    [[nodiscard]] error_feedback with_stream(std::uint64_t n) const {
        return error_feedback(detail::with_stream(inner_, n));
    }

    /// What has been left out so far, of this rank. Empty before the first call.
    [[nodiscard]] std::span<const float> left_out() const noexcept { return left_; }
    /// The compressor below.
    [[nodiscard]] const Compressor& inner() const noexcept { return inner_; }

private:
    Compressor inner_;
    std::vector<float> left_;
};

} // namespace tutti::training::compressed
