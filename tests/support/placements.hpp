// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <random>
#include <utility>
#include <vector>

namespace tutti::test {

/// So many lists of the ranks' nodes, for up to `most` ranks: at random on nodes of random sizes, in turn, in a row.
inline std::vector<std::vector<int>> placements(std::mt19937& dice, int lists, int most) {
    const auto below = [&](int n) { return static_cast<int>(dice() % static_cast<unsigned>(n)); };
    std::vector<std::vector<int>> all;
    for (int k = 0; k < lists; ++k) {
        const int size = 1 + below(most), nodes = 1 + below(5);
        std::vector<int> of;
        for (int r = 0; r < size; ++r)
            of.push_back(k % 3 == 0 ? below(nodes) : k % 3 == 1 ? r % nodes : r * nodes / size);
        all.push_back(std::move(of));
    }
    return all;
}

} // namespace tutti::test
