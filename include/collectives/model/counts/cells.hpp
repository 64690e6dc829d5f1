// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../schedule/step.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace tutti::model::detail {

/// Renames the chunks of one rank's steps to cells, the ranges between neighbouring bounds of its places, which no step
/// tells apart; and says how many there are. So what is known of each place is linear in steps, not in chunks.
inline int into_cells(std::vector<schedule::step>& steps) {
    const auto places = [](schedule::step& s) { return std::array{&s.from, &s.to}; };
    std::vector<int> bounds{0};
    for (schedule::step& s : steps)
        for (const schedule::place* x : places(s)) bounds.insert(bounds.end(), {x->first, x->first + x->count});
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    const auto cell = [&](int chunk) {
        return static_cast<int>(std::lower_bound(bounds.begin(), bounds.end(), chunk) - bounds.begin());
    };
    for (schedule::step& s : steps)
        for (schedule::place* x : places(s)) {
            const int first = cell(x->first);
            *x = {x->where, first, cell(x->first + x->count) - first};
        }
    return static_cast<int>(bounds.size()) - 1;
}

} // namespace tutti::model::detail
