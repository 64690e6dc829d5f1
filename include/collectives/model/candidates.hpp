// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../algorithm/all.hpp"
#include "../choice/default_choice.hpp"
#include "../choice/topology.hpp"

#include <string>
#include <vector>

namespace tutti::model {

/// All that is worth a price where these ranks are to do this: each algorithm that has the operation on so many, trees
/// also cut into segments, hierarchical ones where there are levels, and those of the program. In the same order on all
/// ranks.
/// Throws invalid_argument where the operation cannot have so many.
[[nodiscard]] inline std::vector<selection> candidates(schedule::operation what, const topology& on) {
    if (on.size > schedule::most_ranks(what))
        reject("choice of algorithm", std::string(name_of(what)) + " can have " +
                                          std::to_string(schedule::most_ranks(what)) + " ranks at most");
    std::vector<selection> found;
    const auto add = [&](const algorithm::any& of_any_nodes) {
        const algorithm::any how = on.of_nodes(of_any_nodes);
        if (!how.offers(what) || !how.runs_on(on.size) ||
            (how.has_levels() && !(on.has_levels() && on.has_banks_for_levels(what))))
            return;
        if (what == schedule::operation::alltoall && on.size > algorithm::bruck::most_exchanging &&
            how.target<algorithm::bruck>())
            return;
        for (int segments = 1; segments <= how.most_segments(); segments *= 2) found.push_back({how, segments});
    };
    for (const auto& how : algorithm::all()) add(how);
    for (const auto& how : algorithm::compositions()) add(how);
    for (const auto& how : algorithm::added()) add(how);
    return found;
}

} // namespace tutti::model
