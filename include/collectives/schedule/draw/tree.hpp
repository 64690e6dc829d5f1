// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "routes.hpp"
#include "timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace tutti::schedule::draw {

/// The rounds of the messages in one direction between a rank and its parent, first and last; 0: there are none.
struct span_of_rounds {
    int first = 0; ///< the first round
    int last = 0;  ///< the last round
};

/// Data that travel up to one rank, down from it, or both.
struct tree {
    int root = 0;                           ///< the rank at the top
    std::vector<int> parent;                ///< by rank; -1 of the root
    std::vector<std::vector<int>> children; ///< by rank, ascending
    std::vector<span_of_rounds> up;         ///< by rank: when it sends to its parent
    std::vector<span_of_rounds> down;       ///< by rank: when it receives from its parent
};

namespace detail {

inline void widen(span_of_rounds& s, int round) {
    s = {s.first == 0 ? round : std::min(s.first, round), std::max(s.last, round)};
}

/// Every rank but one has a parent, and following parents ends there.
[[nodiscard]] inline bool is_rooted(const tree& t) {
    const auto size = static_cast<int>(t.parent.size());
    if (std::count(t.parent.begin(), t.parent.end(), -1) != 1) return false;
    for (int rank = 0; rank < size; ++rank) {
        int at = rank;
        for (int hops = 0; hops < size && t.parent[static_cast<std::size_t>(at)] >= 0; ++hops)
            at = t.parent[static_cast<std::size_t>(at)];
        if (at != t.root) return false;
    }
    return true;
}

} // namespace detail

/// The tree along which the chunks of a route travel; none if it is no tree. Operands go up, results come down.
[[nodiscard]] inline std::optional<tree> tree_of(const timeline& t, const routes& ways, int route) {
    const auto size = static_cast<std::size_t>(t.size);
    tree found{0, std::vector<int>(size, -1), std::vector<std::vector<int>>(size), std::vector<span_of_rounds>(size),
               std::vector<span_of_rounds>(size)};
    for (const message& m : t.messages) {
        if (ways.of_chunk[static_cast<std::size_t>(m.first)] != route) continue;
        const auto child = static_cast<std::size_t>(m.result ? m.to : m.from);
        const int above = m.result ? m.from : m.to;
        if (found.parent[child] >= 0 && found.parent[child] != above) return std::nullopt;
        found.parent[child] = above;
        detail::widen((m.result ? found.down : found.up)[child], m.round);
    }
    for (int rank = 0; rank < t.size; ++rank) {
        const int above = found.parent[static_cast<std::size_t>(rank)];
        if (above < 0)
            found.root = rank;
        else
            found.children[static_cast<std::size_t>(above)].push_back(rank);
    }
    if (!detail::is_rooted(found)) return std::nullopt;
    return found;
}

} // namespace tutti::schedule::draw
