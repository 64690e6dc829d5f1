// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "rule.hpp"

#include <collectives/model/candidates.hpp>
#include <collectives/model/estimate.hpp>
#include <collectives/model/price.hpp>

#include <algorithm>

namespace tutti::tools {
namespace {

double price_of(const model::selection& s, const judged_call& v, const model::topology& on, const rule_question& q) {
    const model::machine& m = q.judges[v.judge].machine;
    const model::collective c{v.what, s.how, v.ranks, v.bytes, 0, s.segments, true};
    return model::detail::soon_simulated(c, on, m, q.most_messages) ? model::detail::simulated_s(c, on, m)
                                                                    : model::detail::estimate_s(c, on, m);
}

constexpr double noticeable = 1 - 1e-6;

judged_call judge_call(std::size_t judge, std::size_t node, schedule::operation what, int ranks, std::size_t bytes,
                       const rule_question& q) {
    using transport::medium;
    const model::topology on{ranks, std::min(q.nodes[node], ranks), medium::memory, medium::network};
    const model::selection taken = model::choose(what, bytes, on);
    judged_call v{judge, node, what, ranks, bytes, taken, taken};
    v.taken_s = v.best_s = price_of(taken, v, on, q);
    for (const model::selection& s : model::candidates(what, on))
        if (const double seconds = price_of(s, v, on, q); seconds < v.best_s * noticeable) {
            v.best = s;
            v.best_s = seconds;
        }
    return v;
}

} // namespace

std::vector<judged_call> judge_rule(const rule_question& q, std::size_t judge, schedule::operation what,
                                    std::size_t node) {
    std::vector<judged_call> found;
    for (const int ranks : q.ranks)
        for (const std::size_t bytes : q.bytes)
            if (ranks <= schedule::most_ranks(what)) found.push_back(judge_call(judge, node, what, ranks, bytes, q));
    return found;
}

} // namespace tutti::tools
