// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

/// A mixture of experts: each token goes to one expert or two, which lie spread over ranks. Sources: Fedus et al.,
/// Switch Transformer, 2022 (one expert); Lepikhin et al., GShard, 2020 (two).
namespace tutti::training::tensor::experts {

/// How tokens choose. Experts are numbered over all ranks.
struct gate {
    std::size_t experts = 0;                                    ///< of all ranks together
    std::size_t choices = 1;                                    ///< of each token: 1 or 2
    std::size_t most = std::numeric_limits<std::size_t>::max(); ///< tokens of one rank that an expert takes

    /// Throws invalid_argument for a gate that cannot be.
    void examine() const {
        if (experts == 0 || choices == 0 || choices > 2 || choices > experts)
            reject("gate", "a token chooses 1 or 2 of at least as many experts");
    }
};

/// How many tokens of one rank an expert takes: its equal share of the choices, times `factor`, rounded up.
[[nodiscard]] inline std::size_t capacity(std::size_t tokens, const gate& g, double factor) {
    g.examine();
    const double share = static_cast<double>(tokens * g.choices) / static_cast<double>(g.experts);
    return static_cast<std::size_t>(std::ceil(share * factor));
}

/// What the tokens of one rank have chosen. Choice c of token t stands at t * choices + c.
template <std::floating_point Real>
struct routing {
    /// The slot of a choice that its expert does not take.
    static constexpr std::size_t dropped = std::numeric_limits<std::size_t>::max();

    gate by;                         ///< how they chose
    std::size_t tokens = 0;          ///< of this rank
    std::vector<Real> probabilities; ///< tokens by experts
    std::vector<std::size_t> expert; ///< of each choice, the likeliest first
    std::vector<Real> weight;        ///< of each choice: the expert's probability, of two divided by their sum
    std::vector<std::size_t> slot;   ///< of each choice among those of its expert, or `dropped`
    std::vector<std::size_t> counts; ///< tokens that go to each expert
};

namespace detail {

template <class Real>
void softmax(std::span<Real> row) {
    const Real highest = *std::ranges::max_element(row);
    Real total = 0;
    for (Real& v : row) total += v = std::exp(v - highest);
    for (Real& v : row) v /= total;
}

/// The likeliest, of equal ones the first, but for one that is taken.
template <class Real>
std::size_t likeliest(std::span<const Real> row, std::size_t taken) {
    std::size_t best = taken == 0 ? 1 : 0;
    for (std::size_t e = best + 1; e < row.size(); ++e)
        if (e != taken && row[e] > row[best]) best = e;
    return best;
}

/// First choices come before second ones, and tokens in their order. What is beyond an expert's capacity is dropped.
template <class Real>
void give_slots(routing<Real>& r) {
    r.slot.assign(r.expert.size(), r.dropped);
    r.counts.assign(r.by.experts, 0);
    for (std::size_t c = 0; c < r.by.choices; ++c)
        for (std::size_t i = c; i < r.expert.size(); i += r.by.choices)
            if (std::size_t& count = r.counts[r.expert[i]]; count < r.by.most) r.slot[i] = count++;
}

} // namespace detail

/// Chooses by `logits`, tokens by experts. The same logits give the same choices: nothing is drawn. Not collective.
/// Throws invalid_argument if the logits are no rows of so many experts.
template <std::floating_point Real>
[[nodiscard]] routing<Real> route(const gate& by, std::span<const Real> logits) {
    by.examine();
    if (logits.size() % by.experts != 0) reject("route", "there is a logit for each token and expert");
    routing<Real> r{by, logits.size() / by.experts, {logits.begin(), logits.end()}, {}, {}, {}, {}};
    for (std::size_t t = 0; t < r.tokens; ++t) {
        const std::span<Real> row = std::span(r.probabilities).subspan(t * by.experts, by.experts);
        detail::softmax(row);
        std::size_t taken = routing<Real>::dropped;
        Real total = 0;
        for (std::size_t c = 0; c < by.choices; ++c) {
            taken = detail::likeliest(std::span<const Real>(row), taken);
            r.expert.push_back(taken);
            r.weight.push_back(row[taken]);
            total += row[taken];
        }
        if (by.choices == 2)
            for (Real& w : std::span(r.weight).last(2)) w /= total;
    }
    detail::give_slots(r);
    return r;
}

/// The gradient by the logits, which it overwrites. `by_weight` is that by the weight of each choice, and
/// `by_probability`, tokens by experts or empty, that by the probabilities, as a loss of balance has it.
template <std::floating_point Real>
void route_backward(const routing<Real>& r, std::span<const Real> by_weight, std::span<const Real> by_probability,
                    std::span<Real> by_logit) {
    const std::size_t experts = r.by.experts;
    if (by_weight.size() != r.weight.size() || by_logit.size() != r.probabilities.size() ||
        (!by_probability.empty() && by_probability.size() != by_logit.size()))
        reject("route_backward", "the gradients have the shapes of what they are gradients by");
    for (std::size_t t = 0; t < r.tokens; ++t) {
        const std::span<const Real> p = std::span(r.probabilities).subspan(t * experts, experts);
        const std::span<Real> slope = by_logit.subspan(t * experts, experts);
        if (by_probability.empty())
            std::ranges::fill(slope, Real{0});
        else
            std::ranges::copy(by_probability.subspan(t * experts, experts), slope.begin());
        const std::size_t i = t * r.by.choices;
        if (r.by.choices == 1) {
            slope[r.expert[i]] += by_weight[i];
        } else {
            const Real total = p[r.expert[i]] + p[r.expert[i + 1]], difference = by_weight[i] - by_weight[i + 1];
            slope[r.expert[i]] += difference * r.weight[i + 1] / total;
            slope[r.expert[i + 1]] -= difference * r.weight[i] / total;
        }
        Real along = 0;
        for (std::size_t e = 0; e < experts; ++e) along += slope[e] * p[e];
        for (std::size_t e = 0; e < experts; ++e) slope[e] = p[e] * (slope[e] - along);
    }
}

} // namespace tutti::training::tensor::experts
