// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

namespace tutti::tools {

/// The value that at least `percent` % of the sorted, non-empty samples do not exceed (nearest rank, no interpolation).
[[nodiscard]] inline double percentile(const std::vector<double>& sorted, std::size_t percent) {
    const std::size_t rank = (sorted.size() * percent + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// A distribution in a few numbers.
struct summary {
    std::size_t count = 0;
    double p50 = 0;
    std::optional<double> p99; ///< none under 100 samples: it would be no more than their maximum
    double least = 0;
    double most = 0;
    double mean = 0;
};

[[nodiscard]] inline summary summarise(std::vector<double> samples) {
    summary s;
    if (samples.empty()) return s;
    std::sort(samples.begin(), samples.end());
    s.count = samples.size();
    s.p50 = percentile(samples, 50);
    if (s.count >= 100) s.p99 = percentile(samples, 99);
    s.least = samples.front();
    s.most = samples.back();
    s.mean = std::accumulate(samples.begin(), samples.end(), 0.) / static_cast<double>(s.count);
    return s;
}

} // namespace tutti::tools
