// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../machine.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace tutti::model {

/// A figure of a machine that is to be found from samples: a price of the near link, one for some of its segments, or a
/// figure of the machine itself. Positive.
struct parameter {
    /// Gives access to a figure of a machine.
    using figure_of = double& (*)(machine&);

    std::string_view name;          ///< as the figure is called in a machine
    double loggp::*price = nullptr; ///< of the link
    figure_of figure = nullptr;     ///< where it is not the link's
    /// The first and the last of the segments that have it in common.
    int first = 0, last = 0; ///< of the segments that have it in common

    /// Its value in a machine.
    [[nodiscard]] double value(machine m) const noexcept {
        if (figure != nullptr) return figure(m);
        return m.near.ranges[static_cast<std::size_t>(first)].cost.*price;
    }
    /// Gives it this value in a machine.
    void set(machine& m, double value) const noexcept {
        if (figure != nullptr) {
            figure(m) = value;
            return;
        }
        for (int k = first; k <= last; ++k) m.near.ranges[static_cast<std::size_t>(k)].cost.*price = value;
    }
};

/// What `tutti fit` finds: o and L of all messages alike; what a byte costs to move, by segment; what it costs to
/// reduce and to copy, in short and, in the last segment, in long messages; what a call costs besides its steps; the
/// caches; where some samples have enough ranks, what more senders to one rank cost than the machine's threshold; and,
/// where they have more ranks than there are cores, what sharing these costs.
[[nodiscard]] inline std::vector<parameter> parameters_of(const machine& m, int most_ranks) {
    const int last = m.near.count - 1, most = std::max(last - 1, 0);
    std::vector<parameter> all{
        {"overhead_s", &loggp::overhead_s, nullptr, 0, last},
        {"latency_s", &loggp::latency_s, nullptr, 0, last},
    };
    for (int k = 0; k <= last; ++k) all.push_back({"overhead_s_per_byte", &loggp::overhead_s_per_byte, nullptr, k, k});
    all.push_back({"gamma_s_per_byte", &loggp::gamma_s_per_byte, nullptr, 0, most});
    all.push_back({"copy_s_per_byte", &loggp::copy_s_per_byte, nullptr, 0, most});
    if (last > most) {
        all.push_back({"gamma_s_per_byte", &loggp::gamma_s_per_byte, nullptr, last, last});
        all.push_back({"copy_s_per_byte", &loggp::copy_s_per_byte, nullptr, last, last});
    }
    all.push_back({"call_s", nullptr, [](machine& of) -> double& { return of.call_s; }});
    all.push_back({"cache_bytes", nullptr, [](machine& of) -> double& { return of.cache_bytes; }});
    all.push_back({"miss_s_per_byte", nullptr, [](machine& of) -> double& { return of.miss_s_per_byte; }});
    if (m.fan_in.epsilon_s_per_byte > 0 && most_ranks > m.fan_in.threshold + 1)
        all.push_back(
            {"epsilon_s_per_byte", nullptr, [](machine& of) -> double& { return of.fan_in.epsilon_s_per_byte; }});
    if (m.cores > 0 && most_ranks > m.cores) {
        all.push_back({"switch_s", nullptr, [](machine& of) -> double& { return of.switch_s; }});
        all.push_back({"crowded_latency_s", nullptr, [](machine& of) -> double& { return of.crowded_latency_s; }});
    }
    return all;
}

} // namespace tutti::model
