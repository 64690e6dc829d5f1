// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

/// Whether times became longer, judged by their order alone: nothing is assumed of how they are distributed.
namespace tutti::tools {

/// The chance that, of n + m values in random order, the `depth`-th least of the n is above the `depth`-th greatest of
/// the m: that n times are called longer than m of the same kind. Precondition: depth is from 1 to both n and m.
[[nodiscard]] inline double false_alarm(std::size_t n, std::size_t m, std::size_t depth) {
    const auto choose = [](std::size_t of, std::size_t some) {
        const auto a = static_cast<double>(of), b = static_cast<double>(some);
        return std::lgamma(a + 1) - std::lgamma(b + 1) - std::lgamma(a - b + 1);
    };
    double chance = 0;
    for (std::size_t before = m - depth + 1; before <= m; ++before) // so many of the m come before that one of the n
        chance += std::exp(choose(depth - 1 + before, before) + choose(n - depth + m - before, m - before) -
                           choose(n + m, n));
    return std::min(chance, 1.);
}

/// The depth that judges best among those whose false alarms are no more frequent than that; 1 if none is so rare.
[[nodiscard]] inline std::size_t depth_for(std::size_t n, std::size_t m, double most_alarms) {
    std::size_t depth = 1;
    while (2 * (depth + 1) <= std::min(n, m) + 1 && false_alarm(n, m, depth + 1) <= most_alarms) ++depth;
    return depth;
}

/// From as many rounds on, on both sides, their spread judges a row. Fewer say too little of it.
inline constexpr std::size_t least_rounds = 5;

/// One row in all rounds of a run, or of several. A round is a launch: what one launch measures twice has its
/// processes, its memory and its cores in common.
struct measured_times {
    std::vector<double> rounds; ///< the time of each

    [[nodiscard]] double median() const { return median_of(rounds); }
    /// Between the `depth`-th least and the `depth`-th greatest round.
    [[nodiscard]] interval between_rounds(std::size_t depth) const {
        std::vector<double> sorted = rounds;
        std::sort(sorted.begin(), sorted.end());
        return {sorted[depth - 1], sorted[sorted.size() - depth]};
    }
};

/// Rows that are not judged have too few rounds, or other work beside them, or nothing is told of that.
enum class change : unsigned char { none, slower, faster, unknown, disturbed, untold };
inline constexpr std::size_t kinds_of_change = 6;
[[nodiscard]] constexpr bool is_judged(change c) noexcept { return c < change::unknown; }

/// A row then and now.
struct compared_times {
    double earlier = 0, now = 0; ///< medians of the rounds
    interval ratio;              ///< of now over earlier: what the intervals of both leave possible
    change what = change::unknown;
    double false_alarm = 0; ///< the chance of `slower` where nothing changed and rounds are independent
};

/// What an interval of now over earlier says, if times may differ by a tolerance relative to the shorter ones.
[[nodiscard]] inline change change_of(const interval& ratio, double tolerance) {
    return ratio.low > 1 + tolerance          ? change::slower
           : ratio.high * (1 + tolerance) < 1 ? change::faster
                                              : change::none;
}

/// By rounds where both have least_rounds; else unknown. `tolerance` is what times may differ by, relative to the
/// shorter ones; `most_alarms` the wanted chance of a false alarm.
[[nodiscard]] inline compared_times compare(const measured_times& earlier, const measured_times& now, double tolerance,
                                            double most_alarms) {
    compared_times c{earlier.median(), now.median(), {}, change::unknown, 0};
    const std::size_t n = now.rounds.size(), m = earlier.rounds.size();
    if (std::min(n, m) < least_rounds) return c;
    const std::size_t depth = depth_for(n, m, most_alarms);
    c.false_alarm = false_alarm(n, m, depth);
    const interval then = earlier.between_rounds(depth), since = now.between_rounds(depth);
    c.ratio = {since.low / then.high, since.high / then.low};
    c.what = change_of(c.ratio, tolerance);
    return c;
}

} // namespace tutti::tools
