// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/emit.hpp>

#include <collectives/algorithm/all.hpp>

#include "support/catch.hpp"
#include "support/counted_new.hpp"

#include <vector>

using namespace tutti::algorithm;
using namespace tutti::schedule;

using tutti::test::allocations;

namespace {

template <class A>
void walks_without_allocation(const A& a) {
    for (const operation o : operations) {
        if (!offers<A>(o)) continue;
        const std::size_t before = allocations;
        int steps = 0;
        for (int rank = 0; rank < 13; ++rank) {
            auto count = [&](const step&) { ++steps; };
            walk(a, o, {rank, 13, 0, true}, count);
        }
        const std::size_t during = allocations - before;
        INFO(A::name << " " << name_of(o));
        CHECK(during == 0);
        CHECK(steps > 0);
    }
}

} // namespace

TEST_CASE("the count of allocations counts") {
    const std::size_t before = allocations;
    const std::vector<int> one(1000);
    CHECK((allocations > before && one.size() == 1000));
}

TEST_CASE("to walk an algorithm's steps allocates nothing") {
#define TUTTI_WALKED(name) walks_without_allocation(name{});
    TUTTI_ALGORITHMS(TUTTI_WALKED)
#undef TUTTI_WALKED
    walks_without_allocation(butterfly_of{3});
    walks_without_allocation(hierarchical<ring, ring>{4});
    walks_without_allocation(hierarchical<halving_doubling, butterfly>{13});
}

TEST_CASE("a program has as many lists as ranks, and as many chunk ids as chunks and segments make") {
    const program p = write(ring{}, operation::allreduce, 5, 0, true, 3);
    CHECK((p.what == operation::allreduce && p.size == 5 && p.root == 0 && p.in_place));
    CHECK(p.chunks == 15);
    CHECK(p.ranks.size() == 5);
}

TEST_CASE("segments cut each step into equal parts of its chunks, in order") {
    std::vector<step> parts;
    step_writer(parts, 3)(receive_reduce(4, {buffer::input, 2, 2}, {scratch(1), 2, 2}, side::left));
    REQUIRE(parts.size() == 3);
    for (int k = 0; k < 3; ++k)
        CHECK(parts[static_cast<std::size_t>(k)] ==
              receive_reduce(4, {buffer::input, 6 + 2 * k, 2}, {scratch(1), 6 + 2 * k, 2}, side::left));
}

TEST_CASE("a place that no buffer holds is none in segments either, and what a step does not use stays as it is") {
    constexpr int most = 2147483647;
    std::vector<step> parts;
    step mine = send(1, {buffer::input, most, most});
    mine.to = {scratch(3), most, -most};
    step_writer(parts, 4)(mine);
    REQUIRE(parts.size() == 4);
    for (const step& s : parts) {
        CHECK(s.from == mine.from);
        CHECK(s.to == mine.to);
    }
}

TEST_CASE("one rank copies its input, or does nothing in place") {
    for (const any& a : all(2))
        for (const operation o : operations) {
            if (!a.offers(o)) continue;
            INFO(a.name() << " " << name_of(o));
            CHECK(a.write(o, 1, 0, true).ranks == std::vector<std::vector<step>>{{}});
            const int chunks = a.chunks(o, 1);
            std::vector<step> steps{copy({buffer::input, 0, chunks}, {buffer::output, 0, chunks})};
            if (o == operation::exscan) steps.clear(); // of no ranks
            CHECK(a.write(o, 1).ranks == std::vector<std::vector<step>>{steps});
        }
}
