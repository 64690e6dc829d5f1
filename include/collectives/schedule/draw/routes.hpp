// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "timeline.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tutti::schedule::draw {

/// Chunks that travel between the same ranks take one route: the segments of a ring's chunk, or of one of two trees.
struct routes {
    std::vector<int> of_chunk;            ///< by chunk id, the number of its route
    std::vector<std::vector<int>> chunks; ///< by route, its chunk ids, ascending; routes by their first chunk
    bool apart = true;                    ///< no message carries chunks of two routes
};

/// The routes of a timeline.
[[nodiscard]] inline routes routes_of(const timeline& t) {
    std::vector<std::vector<std::array<int, 3>>> ways(static_cast<std::size_t>(t.chunks));
    for (const message& m : t.messages)
        for (int c = m.first; c < m.first + m.count; ++c)
            ways[static_cast<std::size_t>(c)].push_back({m.from, m.to, m.result});
    routes found;
    std::map<std::vector<std::array<int, 3>>, int> known;
    for (int c = 0; c < t.chunks; ++c) {
        auto& way = ways[static_cast<std::size_t>(c)];
        std::sort(way.begin(), way.end());
        const int route = known.emplace(way, static_cast<int>(known.size())).first->second;
        found.of_chunk.push_back(route);
        found.chunks.resize(known.size());
        found.chunks[static_cast<std::size_t>(route)].push_back(c);
    }
    for (const message& m : t.messages)
        for (int c = m.first; c < m.first + m.count; ++c)
            found.apart = found.apart && found.of_chunk[static_cast<std::size_t>(c)] ==
                                             found.of_chunk[static_cast<std::size_t>(m.first)];
    return found;
}

namespace detail {

/// "3", "4-7", or "all" where there is nothing else.
[[nodiscard]] inline std::string chunks_label(int first, int count, int of) {
    if (count == of && of > 1) return "all";
    if (count == 1) return std::to_string(first);
    return std::to_string(first) + "-" + std::to_string(first + count - 1);
}

/// "3", "4-7", or "0, 8 .." of ids that are no range.
[[nodiscard]] inline std::string chunks_label(const std::vector<int>& ids) {
    const int count = static_cast<int>(ids.size());
    if (count == 1 || ids.back() - ids.front() + 1 == count) return chunks_label(ids.front(), count, -1);
    return std::to_string(ids[0]) + ", " + std::to_string(ids[1]) + " ..";
}

} // namespace detail

} // namespace tutti::schedule::draw
