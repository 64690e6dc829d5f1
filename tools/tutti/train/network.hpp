// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::tools {

/// What a batch came to.
struct score {
    double loss = 0; ///< sum of the cross entropies, in nats
    std::size_t right = 0;
    std::size_t count = 0;
};

/// A multilayer perceptron: full layers, rectified except for the last, softmax and cross entropy at the end. All
/// weights lie in one array, and so do their gradients, so that one collective moves them.
class network {
public:
    /// Layers from the input to the output. Equal seeds give equal weights (He initialisation).
    network(std::vector<std::size_t> layers, std::uint64_t seed) : layers_(std::move(layers)), values_(layers_.size()) {
        for (std::size_t l = 0; l + 1 < layers_.size(); ++l) {
            begin_.push_back(weights_.size());
            random_source random{mix(seed, l)};
            const double bound = std::sqrt(6. / static_cast<double>(layers_[l]));
            for (std::size_t i = 0; i < layers_[l] * layers_[l + 1]; ++i)
                weights_.push_back(static_cast<float>(random.between(-bound, bound)));
            weights_.resize(weights_.size() + layers_[l + 1]); // biases
        }
        gradients_.resize(weights_.size());
    }

    [[nodiscard]] std::span<float> weights() noexcept { return weights_; }
    [[nodiscard]] std::span<float> gradients() noexcept { return gradients_; }

    /// Space for the input of `count` pictures, one after another, to be filled by the caller.
    [[nodiscard]] std::span<float> inputs(std::size_t count) {
        values_[0].resize(count * layers_[0]);
        return values_[0];
    }

    /// What the network makes of the input.
    score test(std::span<const std::uint8_t> labels) {
        forward(labels.size());
        return judge(labels);
    }

    /// Likewise, and gradients() = the sum of the loss's gradients over the batch, times `scale`.
    score train(std::span<const std::uint8_t> labels, float scale) {
        const score result = test(labels);
        std::vector<float>& last = values_.back(); // judge() left the probabilities there
        for (std::size_t b = 0; b < labels.size(); ++b) last[b * layers_.back() + labels[b]] -= 1;
        for (float& v : last) v *= scale;
        std::fill(gradients_.begin(), gradients_.end(), 0.f);
        for (std::size_t l = begin_.size(); l-- > 0;) backward(l, labels.size());
        return result;
    }

    /// One step against the gradients.
    void descend(float rate) {
        for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] -= rate * gradients_[i];
    }

private:
    // to += factor * from: the loop in which nearly all time is spent.
    static void add_scaled(float* __restrict to, const float* __restrict from, float factor, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) to[i] += factor * from[i];
    }

    void forward(std::size_t batch) {
        for (std::size_t l = 0; l < begin_.size(); ++l) {
            const std::size_t in = layers_[l], out = layers_[l + 1];
            const float* const weights = weights_.data() + begin_[l];
            const float* const biases = weights + in * out;
            values_[l + 1].resize(batch * out);
            for (std::size_t b = 0; b < batch; ++b) {
                const float* const from = values_[l].data() + b * in;
                float* const to = values_[l + 1].data() + b * out;
                std::copy_n(biases, out, to);
                for (std::size_t i = 0; i < in; ++i)
                    if (from[i] != 0) add_scaled(to, weights + i * out, from[i], out); // paper is mostly black: skip it
                if (l + 1 < begin_.size())
                    for (std::size_t o = 0; o < out; ++o) to[o] = std::max(to[o], 0.f);
            }
        }
    }

    // Replaces the last layer's values by probabilities.
    score judge(std::span<const std::uint8_t> labels) {
        score result{0, 0, labels.size()};
        const std::size_t out = layers_.back();
        for (std::size_t b = 0; b < labels.size(); ++b) {
            const std::span<float> row{values_.back().data() + b * out, out};
            const auto best = std::max_element(row.begin(), row.end());
            result.right += static_cast<std::size_t>(best - row.begin()) == labels[b];
            const float highest = *best;
            float sum = 0;
            for (float& v : row) sum += v = std::exp(v - highest);
            for (float& v : row) v /= sum;
            result.loss -= std::log(std::max(row[labels[b]], 1e-30f));
        }
        return result;
    }

    // The gradients of layer l's weights from those of its outputs, which are replaced by those of its inputs.
    void backward(std::size_t l, std::size_t batch) {
        const std::size_t in = layers_[l], out = layers_[l + 1];
        const float* const weights = weights_.data() + begin_[l];
        float* const gradients = gradients_.data() + begin_[l];
        for (std::size_t b = 0; b < batch; ++b) {
            float* const from = values_[l].data() + b * in;
            const float* const slope = values_[l + 1].data() + b * out;
            add_scaled(gradients + in * out, slope, 1, out);
            for (std::size_t i = 0; i < in; ++i) {
                if (from[i] == 0) continue; // no input, or cut off by the rectifier: nothing flows either way
                add_scaled(gradients + i * out, slope, from[i], out);
                if (l == 0) continue;
                float sum = 0;
                for (std::size_t o = 0; o < out; ++o) sum += weights[i * out + o] * slope[o];
                from[i] = sum;
            }
        }
    }

    std::vector<std::size_t> layers_;
    std::vector<std::size_t> begin_; // of each layer's weights; its biases follow them
    std::vector<float> weights_;
    std::vector<float> gradients_;
    std::vector<std::vector<float>> values_; // per layer, batch by width; on the way back, the gradients of these
};

} // namespace tutti::tools
