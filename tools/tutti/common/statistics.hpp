// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

namespace tutti::tools {

/// The value that at least `percent` % of the sorted, non-empty samples do not exceed (nearest rank, no interpolation).
[[nodiscard]] inline double percentile(const std::vector<double>& sorted, std::size_t percent) {
    const std::size_t rank = (sorted.size() * percent + 99) / 100;
    return sorted[std::max<std::size_t>(rank, 1) - 1];
}

/// Of values in any order: between the middle two of an even number. Precondition: there is one.
[[nodiscard]] inline double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// From one value to another one.
struct interval {
    double low = 0;
    double high = 0;
};

/// How sure an interval of a median is, for one run.
inline constexpr double median_confidence = 0.999;

/// Which of the sorted samples, counted from each end, hold the true median between them with median_confidence, where
/// samples are independent, whatever their distribution: 0 are the least and the greatest. None where there are too
/// few.
[[nodiscard]] inline std::optional<std::size_t> median_rank(std::size_t samples) {
    const auto n = static_cast<double>(samples);
    constexpr std::size_t many =
        10'000; // from here on the normal distribution is near enough: 3.4 deviations, not 3.29
    if (samples >= many) return static_cast<std::size_t>(n / 2 - 3.4 * std::sqrt(n) / 2) - 1;
    // The k-th of them is above the median if at most k samples are below it, each by a toss of a coin.
    std::optional<std::size_t> rank;
    double chance = 0;
    for (std::size_t i = 0; i < samples / 2; ++i) {
        const auto k = static_cast<double>(i);
        chance += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2.));
        if (chance > (1 - median_confidence) / 2) break;
        rank = i;
    }
    return rank;
}

/// The chance that the true median lies between the depth-th least and the depth-th greatest of so many independent
/// values. Precondition: depth is from 1 to half of them, rounded up.
[[nodiscard]] inline double median_is_within(std::size_t values, std::size_t depth) {
    const auto n = static_cast<double>(values);
    double outside = 0;
    for (std::size_t i = 0; i < depth; ++i) {
        const auto k = static_cast<double>(i);
        outside += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) - n * std::log(2.));
    }
    return std::max(0., 1 - 2 * outside);
}

/// The greatest such depth that holds it as surely, in nine cases of ten; 1 where none does.
[[nodiscard]] inline std::size_t depth_of_median(std::size_t values, double surely = 0.9) {
    std::size_t depth = 1;
    while (2 * (depth + 1) <= values && median_is_within(values, depth + 1) >= surely) ++depth;
    return depth;
}

/// A distribution in a few numbers.
struct summary {
    std::size_t count = 0;
    double p50 = 0;
    std::optional<double> p99; ///< none under 100 samples: it would be no more than their maximum
    double least = 0;
    double most = 0;
    std::optional<interval> p50_interval; ///< of median_confidence; none where there are too few samples
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
    if (const auto rank = median_rank(s.count)) s.p50_interval = {samples[*rank], samples[s.count - 1 - *rank]};
    return s;
}

} // namespace tutti::tools
