// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../tutti/common/random.hpp"
#include "../train/dataset.hpp"
#include "../train/network/cross_entropy.hpp"
#include "../train/network/network.hpp"
#include "picture_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tutti::tools::study {

/// One rank's share of the pictures, and gradients of a network by them. Its order is new in each pass over the share.
class learner {
public:
    /// The network and the pictures outlive it.
    learner(const neural::network& network, const dataset& training, share own, std::size_t batch, std::uint64_t seed)
        : network_(network), training_(training), batch_(batch), seed_(mix(seed, own.part)) {
        for (std::size_t i = own.part; i < training.size(); i += own.parts) order_.push_back(i);
        at_ = order_.size();
    }

    /// Of its next batch: returns the mean loss, and writes the gradient of it.
    [[nodiscard]] double gradient(std::span<const float> weights, std::span<float> gradient) {
        if (at_ + batch_ > order_.size()) shuffle();
        rows_.take(training_, batch_, [this](std::size_t i) { return order_[at_ + i]; });
        at_ += batch_;
        outputs_.resize(batch_ * network_.columns(network_.size()));
        const neural::matrix output{outputs_.data(), batch_, network_.columns(network_.size())};
        network_.forward(network_.all(), weights, rows_.matrix(), output, kept_);
        const neural::score own = neural::judge_and_slope(output, rows_.labels, 1.F / static_cast<float>(batch_));
        std::ranges::fill(gradient, 0.F);
        network_.backward(network_.all(), weights, rows_.matrix(), kept_, output, {}, gradient);
        return own.loss / static_cast<double>(batch_);
    }

private:
    void shuffle() {
        random_source random{mix(seed_, ++pass_)};
        for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
        at_ = 0;
    }

    const neural::network& network_;
    const dataset& training_;
    const std::size_t batch_;
    const std::uint64_t seed_;
    std::vector<std::size_t> order_;
    std::size_t at_ = 0;
    std::uint64_t pass_ = 0;
    picture_rows rows_;
    std::vector<float> outputs_;
    neural::saved kept_;
};

/// What weights are worth.
struct worth {
    double loss = 0;  ///< mean cross entropy, in nats
    double error = 0; ///< the share that is taken for something else
};

/// On the first `count` pictures of a set, or on all of fewer.
[[nodiscard]] inline worth worth_of(const neural::network& network, std::span<const float> weights, const dataset& of,
                                    std::size_t count) {
    constexpr std::size_t at_once = 500;
    picture_rows rows;
    neural::saved kept;
    std::vector<float> outputs;
    neural::score total;
    count = std::min(count, of.size());
    for (std::size_t first = 0; first < count; first += at_once) {
        rows.take(of, std::min(at_once, count - first), [&](std::size_t i) { return first + i; });
        outputs.resize(rows.labels.size() * network.columns(network.size()));
        const neural::matrix output{outputs.data(), rows.labels.size(), network.columns(network.size())};
        network.forward(network.all(), weights, rows.matrix(), output, kept);
        total += neural::judge(output, rows.labels);
    }
    const auto n = static_cast<double>(total.count);
    return {total.loss / n, 1 - static_cast<double>(total.right) / n};
}

} // namespace tutti::tools::study
