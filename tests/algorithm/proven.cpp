// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/all.hpp>

#include "prove.hpp"
#include "support/effort.hpp"

using namespace tutti;

TEST_CASE("all of every algorithm is proven for each number of ranks, at the cost that its header states") {
    long calls = 0;
    for (const algorithm::any& a : algorithm::all(4)) {
        calls += test::prove(a, {1, test::most_ranks}, 3);
        if (!test::sanitized) test::prove(a, {63, 64}, 3);
    }
    for (const int ranks_per_node : {2, 3, 4})
        for (const algorithm::any& a : algorithm::compositions(ranks_per_node))
            calls += test::prove(a, {1, test::most_ranks}, 3);
    CHECK(calls > 6 * test::most_ranks * test::most_ranks);
}
