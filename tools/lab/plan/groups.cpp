// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "groups.hpp"

#include <collectives/model/candidates.hpp>
#include <collectives/model/price.hpp>

#include <algorithm>
#include <cmath>

namespace tutti::tools::planner {
namespace {

double message_s(const model::link& l, double bytes, double share) {
    const model::loggp& p = l.at(static_cast<std::size_t>(bytes));
    return p.latency_s + 2 * p.overhead_s + share * l.sum(bytes, &model::loggp::gap_s_per_byte);
}

} // namespace

/// Adapters are shared with the other groups of a node: some are left for this one, or a part of one.
model::machine group_prices::seen_by(const group& g) const {
    model::machine m = on_.links;
    const double left = 1. * m.nics * g.on_node / on_.gpus_per_node;
    if (m.nics > 0) m.nics = std::max(1, static_cast<int>(left));
    if (on_.links.nics > 0 && left < 1)
        for (model::price_range& r : m.far.ranges) r.cost.gap_s_per_byte /= left;
    return m;
}

const group_price& group_prices::of(schedule::operation what, double bytes, const group& g) {
    const auto whole = static_cast<std::size_t>(std::ceil(bytes));
    const auto [at, is_new] = known_.try_emplace({what, whole, g});
    if (!is_new || g.ranks == 1) return at->second;
    using transport::medium;
    const model::topology on{g.ranks, std::min(g.on_node, g.ranks), medium::memory, medium::network};
    const model::calibrated_machine m{seen_by(g), {}};
    for (const model::selection& s : model::candidates(what, on)) {
        const double seconds = model::price_s({what, s.how, g.ranks, whole, 0, s.segments, true}, on, m);
        if (!at->second.by || seconds < at->second.seconds) at->second = {seconds, s};
    }
    return at->second;
}

double group_prices::between_nodes_s(double bytes) const {
    const double ranks_on_adapter = on_.links.nics > 0 ? std::max(1., 1. * on_.gpus_per_node / on_.links.nics) : 1;
    return message_s(on_.links.far, bytes, ranks_on_adapter);
}
double group_prices::within_node_s(double bytes) const { return message_s(on_.links.near, bytes, 1); }

} // namespace tutti::tools::planner
