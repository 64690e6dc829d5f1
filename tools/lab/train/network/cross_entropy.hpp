// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "matrix_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tutti::tools::neural {

/// What a batch came to.
struct score {
    double loss = 0; ///< sum of the cross entropies, in nats
    std::size_t right = 0;
    std::size_t count = 0;

    score& operator+=(const score& more) {
        loss += more.loss;
        right += more.right;
        count += more.count;
        return *this;
    }
};

/// Softmax and cross entropy. `values` has a row for each label; they become probabilities.
inline score judge(matrix values, std::span<const std::uint8_t> labels) {
    score result{0, 0, labels.size()};
    for (std::size_t b = 0; b < labels.size(); ++b) {
        const std::span<float> row = values.row(b);
        const auto best = std::ranges::max_element(row);
        result.right += static_cast<std::size_t>(best - row.begin()) == labels[b];
        const float highest = *best;
        float sum = 0;
        for (float& v : row) sum += v = std::exp(v - highest);
        for (float& v : row) v /= sum;
        result.loss -= std::log(std::max(row[labels[b]], 1e-30f));
    }
    return result;
}

/// Likewise, then the values become the gradient of the summed loss by them, times `scale`.
inline score judge_and_slope(matrix values, std::span<const std::uint8_t> labels, float scale) {
    const score result = judge(values, labels);
    for (std::size_t b = 0; b < labels.size(); ++b) {
        values.row(b)[labels[b]] -= 1;
        for (float& v : values.row(b)) v *= scale;
    }
    return result;
}

} // namespace tutti::tools::neural
