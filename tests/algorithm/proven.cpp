// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/all.hpp>

#include "prove.hpp"

#include <set>

using namespace tutti;
using tutti::schedule::operation;

// Every algorithm, operation and number of ranks up to 64, in place and not, several roots, one and three segments.

namespace {

/// Proves all of an algorithm at `size`, and says how many schedules that was.
int prove_everything(const algorithm::any& a, int size) {
    int proven = 0;
    for (const operation o : schedule::operations) {
        if (!a.offers(o)) continue;
        const std::set<int> roots = schedule::has_root(o) ? std::set{0, 1 % size, size / 2, size - 1} : std::set{0};
        for (const int root : roots)
            for (const bool in_place : {false, true})
                for (const int segments : {1, 3}) {
                    test::prove(a, o, size, root, in_place, segments);
                    ++proven;
                }
    }
    return proven;
}

} // namespace

TEST_CASE("every schedule of every algorithm is proven for 1 to 64 ranks, at the cost that its header states") {
    int proven = 0;
    for (int size = 1; size <= 64; ++size)
        for (const algorithm::any& a : algorithm::all(4)) proven += prove_everything(a, size);
    for (const int ranks_per_node : {2, 3, 4})
        for (int size = 1; size <= 64; ++size)
            for (const algorithm::any& a : algorithm::compositions(ranks_per_node)) proven += prove_everything(a, size);
    CHECK(proven > 9'000);
}
