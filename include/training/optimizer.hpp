// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../base/error.hpp"
#include "buckets/square_sum.hpp"
#include "learning_rate.hpp"
#include "parameter.hpp"
#include "update_rules.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training {

/// A range of one parameter that a rank updates.
struct piece {
    std::size_t parameter = 0; ///< its number
    std::size_t begin = 0;     ///< of the range, in the parameter
    std::size_t count = 0;     ///< elements
};

/// Every parameter as one piece.
[[nodiscard]] inline std::vector<piece> whole(const std::vector<parameter>& parameters) {
    std::vector<piece> all;
    for (std::size_t i = 0; i < parameters.size(); ++i) all.push_back({i, 0, parameters[i].elements});
    return all;
}

/// Updates weights by a rule, and keeps the rule's state for them: for all weights, or for those pieces that this rank
/// owns. Weights and gradients belong to the caller. Ranks with the same weights, gradients and rates get the same
/// bits if they run the same program. Others may differ, since a compiler may fuse products into sums.
/// Memory: Rule::states floats for each weight.
template <update_rule Rule>
class optimizer {
public:
    /// For all weights, in forward order.
    optimizer(const std::vector<parameter>& parameters, Rule rule) : optimizer(parameters, rule, whole(parameters)) {}
    /// For some pieces.
    optimizer(const std::vector<parameter>& parameters, Rule rule, std::vector<piece> pieces)
        : rule_(rule), pieces_(std::move(pieces)), squares_(has_trust_ratio<Rule> ? 2 * parameters.size() : 0) {
        detail::require_finite("optimizer", rule_);
        for (const auto& p : parameters) is_decayed_.push_back(p.is_decayed);
        for (const piece& p : pieces_) {
            begin_.push_back(elements_);
            elements_ += p.count;
        }
        state_.resize(Rule::states * elements_);
    }

    /// One step against the gradients of all pieces, which lie one after the other, as their weights do. Throws
    /// invalid_argument where the lengths are not those of the pieces.
    void step(double rate, std::span<float> weights, std::span<const float> gradients) {
        if (weights.size() != elements_ || gradients.size() != elements_)
            reject("optimizer::step", std::to_string(weights.size()) + " weights and " +
                                          std::to_string(gradients.size()) + " gradients for pieces of " +
                                          std::to_string(elements_) + " elements");
        step(
            rate, [&](std::size_t k) { return weights.subspan(begin_[k], pieces_[k].count); },
            [&](std::size_t k) { return gradients.subspan(begin_[k], pieces_[k].count); },
            [](std::span<square_sum>) {});
    }
    /// The same where weights(k) and gradients(k) are spans of piece k, and total(squares) adds the sums of squares
    /// over the ranks that have the other pieces. It is called once, and only of a rule with trust ratios. Both throw
    /// invalid_argument for a rate that is NaN, infinite or below 0, and change nothing then.
    template <class Weights, class Gradients, class Total>
    void step(double rate, const Weights& weights, const Gradients& gradients, const Total& total) {
        detail::require_rate("optimizer::step", rate);
        const step_facts now{steps_ + 1, rate, last_rate_};
        if constexpr (has_trust_ratio<Rule>) find_norms(weights, gradients, total);
        for (std::size_t k = 0; k < pieces_.size(); ++k) {
            update_range x{weights(k), gradients(k)};
            for (std::size_t s = 0; s < Rule::states; ++s) x.state[s] = state(s).subspan(begin_[k], pieces_[k].count);
            x.is_decayed = is_decayed_[pieces_[k].parameter];
            if constexpr (has_trust_ratio<Rule>)
                if (x.is_decayed) x.trust = trust_of(pieces_[k].parameter);
            rule_.update(now, x);
        }
        ++steps_;
        last_rate_ = rate;
    }

    /// Those that it updates, in the order of its state.
    [[nodiscard]] const std::vector<piece>& pieces() const noexcept { return pieces_; }
    /// Where piece k begins in the array of all, as its state, weights and gradients lie.
    [[nodiscard]] std::size_t begin(std::size_t k) const { return begin_[k]; }
    /// State number `s` of the rule, of all pieces one after the other: for checkpoints.
    [[nodiscard]] std::span<float> state(std::size_t s) noexcept {
        return std::span(state_).subspan(s * elements_, elements_);
    }
    /// Steps so far.
    [[nodiscard]] std::size_t steps() const noexcept { return steps_; }
    /// The rate of the last step; 0 before the first.
    [[nodiscard]] double last_rate() const noexcept { return last_rate_; }
    /// Goes on from a checkpoint, whose state has been put into state().
    void resume(std::size_t steps, double last_rate) noexcept {
        steps_ = steps;
        last_rate_ = last_rate;
    }

private:
    template <class Weights, class Gradients, class Total>
    void find_norms(const Weights& weights, const Gradients& gradients, const Total& total) {
        squares_.assign(squares_.size(), {});
        for (std::size_t k = 0; k < pieces_.size(); ++k) {
            add_squares(squares_[2 * pieces_[k].parameter], weights(k));
            add_squares(squares_[2 * pieces_[k].parameter + 1], gradients(k));
        }
        total(std::span(squares_));
    }
    [[nodiscard]] float trust_of(std::size_t parameter) const {
        return static_cast<float>(
            rule_.trust_ratio(norm_of(squares_[2 * parameter]), norm_of(squares_[2 * parameter + 1])));
    }

    Rule rule_;
    std::vector<piece> pieces_;
    std::vector<std::size_t> begin_;  ///< by piece: where its state begins
    std::vector<bool> is_decayed_;    ///< by parameter
    std::vector<square_sum> squares_; ///< by parameter: of its weights and of its gradients
    std::vector<float> state_;
    std::size_t elements_ = 0, steps_ = 0;
    double last_rate_ = 0;
};

} // namespace tutti::training
