// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../collectives/allreduce.hpp"
#include "gate.hpp"

namespace tutti::training::tensor::experts {

/// The loss of balance of all ranks' tokens, and its gradient on this rank.
template <std::floating_point Real>
struct balance {
    Real loss = 0;                    ///< 1 where all experts are chosen alike
    std::vector<Real> by_probability; ///< tokens by experts, for route_backward()
};

/// The number of experts times the sum over experts of (share of first choices) times (mean probability). Shares count
/// choices before any is dropped, and have no gradient. Collective: each rank passes its own tokens, of the same number
/// of experts. Errors: as of allreduce; invalid_argument if no rank has a token. Cost: an allreduce of two numbers an
/// expert and one. Source: Fedus et al., Switch Transformer, 2022, equation 4.
template <class Communicator, std::floating_point Real>
[[nodiscard]] balance<Real> load_balance(const Communicator& ranks, const routing<Real>& r) {
    const std::size_t experts = r.by.experts;
    std::vector<Real> totals(2 * experts + 1); // first choices, probabilities, tokens
    for (std::size_t t = 0; t < r.tokens; ++t) {
        totals[r.expert[t * r.by.choices]] += 1;
        for (std::size_t e = 0; e < experts; ++e) totals[experts + e] += r.probabilities[t * experts + e];
    }
    totals.back() = static_cast<Real>(r.tokens);
    ranks.allreduce(std::span(totals), sum);
    const Real tokens = totals.back(), scale = static_cast<Real>(experts) / (tokens * tokens);
    if (tokens == 0) reject("load_balance", "no rank has a token");
    balance<Real> result;
    for (std::size_t e = 0; e < experts; ++e) result.loss += scale * totals[e] * totals[experts + e];
    for (std::size_t t = 0; t < r.tokens; ++t)
        for (std::size_t e = 0; e < experts; ++e) result.by_probability.push_back(scale * totals[e]);
    return result;
}

} // namespace tutti::training::tensor::experts
