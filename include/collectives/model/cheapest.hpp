// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../choice/default_choice.hpp"
#include "../choice/topology.hpp"
#include "estimate.hpp"
#include "residuals.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tutti::model {

namespace detail {

/// What a candidate costs at least as far as is known, which becomes its price step by step: a closed form takes
/// microseconds; what the network needs for the bytes, a look at every rank's steps; a simulation, milliseconds.
class quote {
public:
    /// An estimate may be so many times the simulated time: where ranks share nodes, those of algorithms that know
    /// nothing of nodes, since near messages are priced as far.
    static constexpr double overestimated = 1.25, overestimated_on_nodes = 3;

    quote(const selection& s, schedule::operation what, std::size_t bytes, const topology& on,
          const calibrated_machine& m, std::size_t most_messages)
        : call_{what, s.how, on.size, bytes, 0, s.segments, true},
          simulated_(soon_simulated(call_, on, m, most_messages)),
          doubt_(!simulated_                              ? 1
                 : on.has_levels() && !s.how.has_levels() ? overestimated_on_nodes
                                                          : overestimated),
          factor_(on.ranks_per_node >= on.size ? m.residual.factor(call_) : 1) {
        offer(estimate_without_network_s(call_, on, m));
        // Without a form nothing is known but by simulation.
        if (simulated_ && at_least_s_ == std::numeric_limits<double>::infinity()) at_least_s_ = 0;
    }

    [[nodiscard]] double at_least_s() const noexcept { return at_least_s_; }
    [[nodiscard]] bool is_price() const noexcept { return known_ == what_is_known::price; }
    void refine(const topology& on, const machine& m) {
        if (known_ == what_is_known::form) {
            known_ = simulated_ ? what_is_known::estimate : what_is_known::price;
            if (at_least_s_ > 0) offer(estimate_s(call_, on, m));
        } else {
            known_ = what_is_known::price;
            at_least_s_ = simulated_s(call_, on, m) * factor_;
        }
    }

private:
    enum class what_is_known : std::uint8_t { form, estimate, price };

    void offer(double estimate) noexcept { at_least_s_ = estimate * factor_ / doubt_; }

    collective call_;
    bool simulated_;
    double doubt_;
    double factor_; ///< measured over predicted
    what_is_known known_ = what_is_known::form;
    double at_least_s_ = 0;
};

} // namespace detail

/// The number of the candidate with the least price_s(), to a millionth; the first of equal ones. For worlds that are
/// large, where all prices take dozens of simulations, and a look at every rank's steps: a candidate that is estimated
/// at far more than the winner's price, see detail::quote, gets neither. Candidates of more than `most_messages` are
/// not simulated. Deterministic.
[[nodiscard]] inline std::size_t cheapest(const std::vector<selection>& candidates, schedule::operation what,
                                          std::size_t bytes, const topology& on, const calibrated_machine& m,
                                          std::size_t most_messages = detail::soon) {
    constexpr double noticeable = 1 + 1e-6;
    std::vector<detail::quote> quotes;
    quotes.reserve(candidates.size());
    for (const selection& s : candidates) quotes.emplace_back(s, what, bytes, on, m, most_messages);
    for (;;) {
        double least_s = std::numeric_limits<double>::infinity();
        for (const detail::quote& q : quotes) least_s = std::min(least_s, q.at_least_s());
        const auto first = std::find_if(quotes.begin(), quotes.end(),
                                        [&](const detail::quote& q) { return q.at_least_s() <= least_s * noticeable; });
        if (first->is_price()) return static_cast<std::size_t>(first - quotes.begin());
        first->refine(on, m);
    }
}

} // namespace tutti::model
