// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace tutti::model::detail {

/// How fast transfers go that want the same memories and links at once: of each, the share of the speed that it would
/// have alone. `wanted[f][k]` is for how long transfer f alone would keep k busy, over how long it alone would take.
/// All shares grow together; who wants something of which nothing is left stays at what it has.
/// Source: max-min fairness by progressive filling (Bertsekas and Gallager, Data Networks, 1992, section 6.5).
[[nodiscard]] inline std::vector<double> fair_shares(std::span<const std::vector<double>> wanted) {
    std::vector<double> shares(wanted.size(), 0);
    if (wanted.empty()) return shares;
    std::vector<double> left(wanted.front().size(), 1);
    std::vector<bool> grows(wanted.size(), true);
    const auto all_want = [&](std::size_t k) {
        double sum = 0;
        for (std::size_t f = 0; f < wanted.size(); ++f) sum += grows[f] ? wanted[f][k] : 0;
        return sum;
    };
    for (;;) {
        double more = std::numeric_limits<double>::infinity();
        std::size_t scarcest = 0;
        for (std::size_t k = 0; k < left.size(); ++k)
            if (const double sum = all_want(k); sum > 0 && left[k] / sum < more) {
                more = left[k] / sum;
                scarcest = k;
            }
        if (more == std::numeric_limits<double>::infinity()) return shares;
        for (std::size_t k = 0; k < left.size(); ++k) left[k] = std::max(0.0, left[k] - more * all_want(k));
        for (std::size_t f = 0; f < wanted.size(); ++f) {
            if (!grows[f]) continue;
            shares[f] += more;
            grows[f] = wanted[f][scarcest] <= 0;
        }
    }
}

} // namespace tutti::model::detail
