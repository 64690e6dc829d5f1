// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/any.hpp>

#include <base/error.hpp>
#include <collectives/algorithm/all.hpp>

#include "prove.hpp"
#include "support/placements.hpp"

#include <memory>
#include <random>
#include <vector>

using namespace tutti::algorithm;
using tutti::schedule::operation;
using tutti::schedule::placement;
using tutti::test::placements;

namespace {

std::shared_ptr<const placement> lying(const std::vector<int>& nodes) { return std::make_shared<placement>(nodes); }

std::vector<any> hierarchies() {
    std::vector<any> list;
    for (const auto& some : {all(), compositions()})
        for (const any& a : some)
            if (a.has_levels()) list.push_back(a);
    return list;
}

void prove_placed(const any& a, int size) {
    for (const operation o : tutti::schedule::operations)
        for (int root = 0; a.offers(o) && root < (has_root(o) ? size : 1); ++root)
            tutti::test::prove_call(a, o, size, root, 1 + root % 2);
}

/// The messages between nodes, and their chunks.
struct traffic {
    int messages = 0, chunks = 0;
    friend bool operator==(const traffic&, const traffic&) = default;
};
traffic between_nodes(const any& how, operation o, const placement& where) {
    const auto p = how.write(o, where.size());
    traffic sum;
    for (int r = 0; r < where.size(); ++r) {
        const auto& steps = p.ranks[static_cast<std::size_t>(r)];
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (!sends(steps[i]) || where.node_of(steps[i].peer) == where.node_of(r)) continue;
            sum.messages += tutti::schedule::leads(steps, i) ? 1 : 0;
            sum.chunks += width(steps[i]);
        }
    }
    return sum;
}

} // namespace

TEST_CASE("every hierarchy is proven for ranks that lie at random on nodes of random sizes, in turn, and in a row") {
    std::mt19937 dice(2026);
    for (const auto& nodes : placements(dice, 40, 12)) {
        CAPTURE(nodes);
        for (const any& a : hierarchies()) prove_placed(a.on(lying(nodes)), static_cast<int>(nodes.size()));
    }
}

TEST_CASE("over nodes in turn go as many messages and chunks as over nodes of consecutive ranks") {
    for (const any& a : hierarchies())
        for (const operation o : {operation::allreduce, operation::reduce_scatter, operation::allgather,
                                  operation::broadcast, operation::alltoall}) {
            if (!a.offers(o)) continue;
            INFO(a.name());
            const auto in_turn = lying({0, 1, 2, 0, 1, 2, 0, 1, 2}), in_a_row = lying({0, 0, 0, 1, 1, 1, 2, 2, 2});
            CHECK(between_nodes(a.on(in_turn), o, *in_turn) == between_nodes(a.on(in_a_row), o, *in_a_row));
        }
}

TEST_CASE("in the order of its ranks a placement changes nothing where nodes are equal, but for the id") {
    for (const any& a : hierarchies()) {
        const any placed = a.on(lying({0, 0, 1, 1, 2, 2})), by_width = a.with_ranks_per_node(2);
        for (const operation o : tutti::schedule::operations)
            if (a.offers(o)) CHECK(placed.write(o, 6, 3).ranks == by_width.write(o, 6, 3).ranks);
        CHECK(placed.id() != by_width.id());
    }
}

TEST_CASE("the id tells placements apart, and equal ones have equal ids") {
    const any how = hierarchical<ring, ring>{2};
    CHECK(how.on(lying({0, 1, 0, 1})) == how.on(lying({5, 3, 5, 3})));
    CHECK_FALSE(how.on(lying({0, 1, 0, 1})) == how.on(lying({0, 1, 1, 0})));
    CHECK_FALSE(how.on(lying({0, 1, 0, 1})) == how);
    CHECK_FALSE(how.on(lying({0, 0, 1})) == how.on(lying({0, 1, 1})));
    CHECK(any(ring{}).on(lying({0, 1, 0, 1})) == any(ring{}));
}

TEST_CASE("rank order is derived from the placement: a hierarchy that keeps it loses it where ranks change places") {
    const any how = hierarchical<halving_doubling, butterfly>{2};
    const auto keeps = [&](const std::vector<int>& nodes) {
        return how.on(lying(nodes)).preserves_order(operation::allreduce, static_cast<int>(nodes.size()), 0);
    };
    CHECK(keeps({0, 0, 1, 1}));
    CHECK_FALSE(keeps({0, 1, 0, 1}));
}

TEST_CASE("a placed algorithm outlives whoever placed it, and refuses other numbers of ranks") {
    any how = ring{};
    {
        const any placed = any(hierarchical<ring, ring>{2}).on(lying({0, 1, 1, 2}));
        how = placed;
    }
    CHECK(how.write(operation::allreduce, 4).ranks.size() == 4);
    CHECK_THROWS_AS(how.write(operation::allreduce, 5), tutti::error);
}

TEST_CASE("three levels over nodes of different sizes are one node, which is proven too") {
    const any three = hierarchical<ring, hierarchical<ring, ring>>{2, {}, {2}};
    prove_placed(three.on(lying({0, 1, 2, 3, 0, 1, 2, 3})), 8);
    prove_placed(three.on(lying({0, 1, 1, 1, 0, 2})), 6);
}
