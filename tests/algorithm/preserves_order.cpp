// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/preserves_order.hpp>

#include <collectives/algorithm/all.hpp>
#include <collectives/algorithm/prove.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <set>
#include <vector>

using namespace tutti::algorithm;
using namespace tutti::schedule;

namespace {

/// The sizes from 2 to 64 at which verify finds that rank order is kept, from whatever root.
std::vector<int> kept_by(const any& a, operation o) {
    std::vector<int> sizes;
    for (int size = 2; size <= 64; ++size) {
        const std::set<int> roots =
            tutti::schedule::has_root(o) ? std::set{0, 1 % size, size / 2, size - 1} : std::set{0};
        const auto keeps = [&](int root) { return a.preserves_order(o, size, root); };
        if (std::all_of(roots.begin(), roots.end(), keeps)) sizes.push_back(size);
    }
    return sizes;
}

/// What was derived from 2 to 5 ranks is true if and only if all sizes keep rank order.
void holds(const any& a, operation o, bool derived) {
    const std::vector<int> kept = kept_by(a, o);
    INFO(a.name() << " " << name_of(o) << " keeps rank order at " << kept.size() << " of 63 sizes");
    CHECK((kept.size() == 63) == derived);
}
template <class A>
void holds() {
    if constexpr (offers<A>(operation::allreduce))
        holds(A{}, operation::allreduce, preserves_order<A, operation::allreduce>);
    if constexpr (offers<A>(operation::reduce_scatter))
        holds(A{}, operation::reduce_scatter, preserves_order<A, operation::reduce_scatter>);
    if constexpr (offers<A>(operation::reduce)) holds(A{}, operation::reduce, preserves_order<A, operation::reduce>);
}

/// Folds in rank order out of place, and the other way round in place.
struct turned_in_place : naive {
    template <class Put>
    static constexpr void reduce(const position& p, buffer partial, Put&& put) {
        naive::reduce(p, partial, [&](step s) {
            if (p.in_place && reduces(s)) s.other = side::left;
            put(s);
        });
    }
};

} // namespace

TEST_CASE("an order that depends on the mode is none, since ranks may differ in it") {
    STATIC_REQUIRE_FALSE(preserves_order<turned_in_place, operation::reduce>);
    STATIC_REQUIRE_FALSE(preserves_order<turned_in_place, operation::allreduce>);
    CHECK(verify(write(turned_in_place{}, operation::allreduce, 3)).preserves_order);
    CHECK_FALSE(verify(write(turned_in_place{}, operation::allreduce, 3, 0, true)).preserves_order);
    CHECK(kept_by(turned_in_place{}, operation::allreduce).empty());
}

TEST_CASE("whether rank order is kept is derived from a few ranks and holds for all") {
#define TUTTI_HOLDS(name) holds<name>();
    TUTTI_ALGORITHMS(TUTTI_HOLDS)
#undef TUTTI_HOLDS
}

TEST_CASE("those that are for non-commutative operators keep rank order, the rotating ones do not") {
    STATIC_REQUIRE(preserves_order<naive, operation::allreduce>);
    STATIC_REQUIRE(preserves_order<naive, operation::reduce>);
    STATIC_REQUIRE(preserves_order<one_shot, operation::allreduce>);
    STATIC_REQUIRE(preserves_order<direct, operation::allreduce>);
    STATIC_REQUIRE(preserves_order<direct, operation::reduce_scatter>);
    STATIC_REQUIRE(preserves_order<butterfly, operation::allreduce>);
    STATIC_REQUIRE(preserves_order<binomial_tree, operation::allreduce>);
    STATIC_REQUIRE_FALSE(preserves_order<binomial_tree, operation::reduce>); // from other roots than rank 0
    STATIC_REQUIRE_FALSE(preserves_order<ring, operation::allreduce>);
    STATIC_REQUIRE_FALSE(preserves_order<parameter_server, operation::reduce_scatter>);
}

TEST_CASE("some sizes may keep an order that others lose") {
    std::vector<int> even;
    for (int size = 2; size <= 64; size += 2) even.push_back(size);
    CHECK(kept_by(double_binary_tree{}, operation::allreduce) == even);
    CHECK(kept_by(halving_doubling{}, operation::allreduce) == std::vector<int>{2, 3});
    CHECK(kept_by(ring{}, operation::allreduce).empty());
}

TEST_CASE("an operation that an algorithm does not offer keeps no order") {
    STATIC_REQUIRE_FALSE(preserves_order<ring, operation::reduce>);
    CHECK_FALSE(any(ring{}).preserves_order(operation::reduce, 4, 0));
}

TEST_CASE("a hierarchical algorithm keeps rank order if both of its levels do, and only then") {
    using ordered = hierarchical<direct, butterfly>;
    STATIC_REQUIRE(preserves_order<ordered, operation::allreduce>);
    for (const int ranks_per_node : {1, 2, 3, 4, 7, 8, 41})
        for (int size = 2; size <= 40; ++size) {
            INFO(size << " ranks, " << ranks_per_node << " a node");
            CHECK(any(ordered{ranks_per_node}).preserves_order(operation::allreduce, size, 0));
        }
}

TEST_CASE("a level that loses rank order only when it is large enough is seen") {
    STATIC_REQUIRE_FALSE(preserves_order<hierarchical<halving_doubling, butterfly>, operation::allreduce>);
    STATIC_REQUIRE_FALSE(preserves_order<hierarchical<ring, ring>, operation::allreduce>);
}
