// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/all.hpp>

#include "prove.hpp"

using namespace tutti;

TEST_CASE("all of every algorithm is proven for 1 to 64 ranks, at the cost that its header states") {
    long calls = 0;
    for (const algorithm::any& a : algorithm::all(4)) calls += test::prove(a, {1, 64}, 3);
    for (const int ranks_per_node : {2, 3, 4})
        for (const algorithm::any& a : algorithm::compositions(ranks_per_node)) calls += test::prove(a, {1, 64}, 3);
    CHECK(calls > 25'000);
}
