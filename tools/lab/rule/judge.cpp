// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "rule.hpp"

#include <collectives/model/candidates.hpp>
#include <collectives/model/cheapest.hpp>

#include <algorithm>

namespace tutti::tools {
namespace {

double price_of(const model::selection& s, const judged_call& v, const model::topology& on, const rule_question& q) {
    const model::machine& m = q.judges[v.judge].machine;
    const model::collective c{v.what, s.how, v.ranks, v.bytes, 0, s.segments, true};
    return model::detail::soon_simulated(c, on, m, q.most_messages) ? model::detail::simulated_s(c, on, m)
                                                                    : model::detail::estimate_s(c, on, m);
}

judged_call judge_call(std::size_t judge, std::size_t node, schedule::operation what, int ranks, std::size_t bytes,
                       const rule_question& q) {
    using transport::medium;
    const model::topology on{ranks, std::min(q.nodes[node], ranks), medium::memory, medium::network};
    const std::vector<model::selection> candidates = model::candidates(what, on);
    const std::size_t best = model::cheapest(candidates, what, bytes, on, q.judges[judge].machine, q.most_messages);
    judged_call v{judge, node, what, ranks, bytes, model::choose(what, bytes, on), candidates[best]};
    v.best_s = price_of(v.best, v, on, q);
    const bool same = v.taken.how.id() == v.best.how.id() && v.taken.segments == v.best.segments;
    v.taken_s = same ? v.best_s : price_of(v.taken, v, on, q);
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
