// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/algorithm/prove.hpp>

#include "support/catch.hpp"

namespace tutti::test {

/// All that an algorithm offers must be proven for these numbers of ranks, whole at the cost that it states, and cut
/// into segments. Returns how many calls that was.
inline long prove(const algorithm::any& a, algorithm::rank_range ranks, int segments) {
    long calls = 0;
    for (const int cut : {1, segments}) {
        const algorithm::verdict found = algorithm::prove(a, {.ranks = ranks, .segments = cut});
        CHECK(found.message() == "proven");
        calls += found.calls;
    }
    return calls;
}

/// One call must be proven, in both modes.
inline void prove_call(const algorithm::any& a, schedule::operation o, int size, int root = 0, int segments = 1) {
    const algorithm::verdict found = algorithm::prove_call(a, o, size, root, {.segments = segments});
    CHECK(found.message() == "proven");
}

} // namespace tutti::test
