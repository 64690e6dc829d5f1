// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools::study {

/// Of samples, the mean and the standard deviation of what they were drawn from.
struct spread {
    double mean = 0;
    double deviation = 0;
};

/// Precondition: two samples at least.
[[nodiscard]] inline spread spread_of(std::span<const double> samples) {
    const auto n = static_cast<double>(samples.size());
    spread found;
    for (const double x : samples) found.mean += x / n;
    double squares = 0;
    for (const double x : samples) squares += (x - found.mean) * (x - found.mean);
    found.deviation = std::sqrt(squares / (n - 1));
    return found;
}

/// Of value(seed) for each of some seeds.
[[nodiscard]] spread spread_of(const auto& seeds, const auto& value) {
    std::vector<double> all;
    for (const auto& one : seeds) all.push_back(value(one));
    return spread_of(all);
}

/// "12.07 ± 0.31": the mean, and two standard deviations.
[[nodiscard]] inline std::string words_of(const spread& s, int digits, double unit = 1) {
    return fmt::format("{:.{}f} ± {:.{}f}", unit * s.mean, digits, 2 * unit * s.deviation, digits);
}

/// From where on a curve is no longer flat: the first place from which all means are above that of the reference. They
/// are so by more than two of its standard deviations, and by more than `least` of it. The curve's own deviations do
/// not count: one that fails now and then has broken. None where the last place is as good.
[[nodiscard]] inline std::optional<std::size_t> where_it_breaks(const std::vector<spread>& curve,
                                                                const spread& reference, double least = 0.05) {
    std::optional<std::size_t> first;
    for (std::size_t i = curve.size(); i-- > 0;) {
        const double above = curve[i].mean - reference.mean;
        const bool worse = above > 2 * reference.deviation && above > least * reference.mean;
        if (!worse) break;
        first = i;
    }
    return first;
}

} // namespace tutti::tools::study
