// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/any.hpp>

#include <collectives/algorithm/all.hpp>
#include <collectives/algorithm/prove.hpp>

#include "support/catch.hpp"

#include <cstdint>
#include <set>
#include <type_traits>
#include <vector>

using namespace tutti::algorithm;
using tutti::schedule::operation;

namespace {

template <class A>
void same_as_typed(const A& a) {
    const any erased(a);
    CHECK(erased.name() == std::string_view(A::name));
    for (const int size : {1, 2, 3, 6, 8}) {
        for (const operation o : tutti::schedule::operations) {
            CHECK(erased.chunks(o, size) == chunks_of(a, o, size));
            CHECK(erased.offers(o) == offers<A>(o));
            if (!offers<A>(o)) continue;
            CHECK(erased.stated(o, size) == a.stated(o, size));
            for (const bool in_place : {false, true})
                for (const int segments : {1, 3})
                    CHECK(erased.write(o, size, size / 2, in_place, segments).ranks ==
                          write(a, o, size, size / 2, in_place, segments).ranks);
        }
    }
}

/// Its nodes are pairs, whatever is asked for.
struct pairs : hierarchical<ring, ring> {
    static constexpr std::string_view name = "pairs";
    static constexpr int ranks_per_node = 2;
};

} // namespace

TEST_CASE("with its type forgotten an algorithm says and does the same") {
    same_as_typed(naive{});
    same_as_typed(double_binary_tree{});
    same_as_typed(halving_doubling{});
    same_as_typed(hierarchical<ring, ring>{2});
}

TEST_CASE("a hierarchy is had with another number of ranks a node, and what knows no nodes is as it was") {
    const any two(hierarchical<ring, butterfly>{2});
    CHECK(two.with_ranks_per_node(3) == any(hierarchical<ring, butterfly>{3}));
    CHECK(two.with_ranks_per_node(3).levels().ranks_per_node == 3);
    CHECK(any(ring{}).with_ranks_per_node(3) == any(ring{}));
    CHECK(any(pairs{}).with_ranks_per_node(3).levels().ranks_per_node == 2);
}

TEST_CASE("a walk appends to the steps that are there") {
    const step before = tutti::schedule::send(7, {});
    std::vector<step> steps{before};
    any(butterfly{}).walk(operation::allreduce, {1, 2}, 1, steps);
    REQUIRE(steps.size() == 3);
    CHECK(steps[0] == before);
}

TEST_CASE("it is a value that copies like one") {
    STATIC_REQUIRE((std::is_nothrow_copy_constructible_v<any> && std::is_nothrow_copy_assignable_v<any>));
    const any original(hierarchical<ring, ring>{3});
    any copy(ring{});
    copy = original;
    CHECK(copy.id() == original.id());
    CHECK(copy.write(operation::allreduce, 6).ranks == original.write(operation::allreduce, 6).ranks);
}

TEST_CASE("it hands out what it was made from, as that type only") {
    const any a(hierarchical<ring, ring>{3});
    REQUIRE(a.target<hierarchical<ring, ring>>() != nullptr);
    CHECK(a.target<hierarchical<ring, ring>>()->ranks_per_node == 3);
    CHECK(a.target<ring>() == nullptr);
    CHECK(a.target<hierarchical<halving_doubling, ring>>() == nullptr);
}

TEST_CASE("algorithms that differ have different ids, be it in their parameters only") {
    std::set<std::uint64_t> ids;
    for (const any& a : all()) ids.insert(a.id());
    CHECK(ids.size() == all().size());
    for (int ranks_per_node = 2; ranks_per_node <= 100; ++ranks_per_node)
        ids.insert(id_of(hierarchical<ring, ring>{ranks_per_node}));
    CHECK(ids.size() == all().size() + 99);
    using three_levels = hierarchical<ring, hierarchical<ring, ring>>;
    for (int near = 1; near <= 20; ++near)
        for (int far = 1; far <= 20; ++far) ids.insert(id_of(three_levels{near, {}, {far}}));
    CHECK(ids.size() == all().size() + 99 + 400);
}

TEST_CASE("equal algorithms have equal ids, in every build") {
    CHECK(id_of(ring{}) == any(ring{}).id());
    CHECK(id_of(hierarchical<ring, ring>{4}) == id_of(hierarchical<ring, ring>{4}));
    STATIC_REQUIRE(id_of(ring{}) == 0xb25c4c1ff8a15b0b); // FNV-1a of the name
}
