// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/plan.hpp>

#include "hand_made.hpp"
#include "support/catch.hpp"

#include <cstdint>
#include <vector>

using namespace tutti::schedule;

namespace {

using tutti::test::bank;
using tutti::test::in;
using tutti::test::out;

/// Rank 2 of 6, 3 chunks in 4 segments each.
plan compiled(std::vector<step> steps, operation what = operation::allreduce) {
    return compile(what, {2, 6}, 3, 4, std::move(steps));
}

} // namespace

TEST_CASE("a plan knows its chunk ids and cuts counts as its layout does") {
    const plan p = compiled({});
    CHECK(p.chunks() == 12);
    const layout cut(100, 3, 4);
    for (int id = 0; id <= 12; ++id) CHECK(p.cut(100).bound(id) == cut.bound(id));
}

TEST_CASE("peers are listed once each in order of first use, and steps name them by their place in the list") {
    const plan p = compiled(
        {send(5, in(0)), receive(1, out(0)), send(1, in(1)), copy(in(2), out(2)), receive(5, out(1)), send(0, in(2))});
    CHECK(p.peers == std::vector<int>{5, 1, 0});
    const std::vector<int> expected{0, 1, 1, -1, 0, 2};
    for (std::size_t i = 0; i < expected.size(); ++i) CHECK(p.steps[i].peer == expected[i]);
}

TEST_CASE("the plan's order is that of the steps between ranks") {
    const std::vector<step> steps{send(5, in(0)), receive(1, out(0)), send(5, out(0)), receive(1, out(1)),
                                  receive(5, out(0))};
    const plan p = compiled(steps);
    const order o = order_of(steps, 6, 12, false);
    CHECK(p.dependencies.waits == o.waits);
    CHECK(p.dependencies.first == o.first);
    CHECK(p.dependencies.followers == o.followers);
    CHECK(p.dependencies.next_on_channel == o.next_on_channel);
}

TEST_CASE("in place a plan knows that input and output are the same memory") {
    const std::vector<step> steps{send(5, in(0)), receive(1, out(0))};
    CHECK(compile(operation::allreduce, {2, 6, 0, false}, 3, 4, steps).ready == std::vector<std::uint32_t>{0, 1});
    CHECK(compile(operation::allreduce, {2, 6, 0, true}, 3, 4, steps).ready == std::vector<std::uint32_t>{0});
}

TEST_CASE("ready are the steps that wait for nothing") {
    const plan p = compiled({send(5, in(0)), receive(1, out(0)), send(5, in(1)), send(0, out(0)), copy(in(4), out(4))});
    CHECK(p.ready == std::vector<std::uint32_t>{0, 1, 4});
}

TEST_CASE("the windows of input and output are the operation's") {
    const plan p = compile(operation::reduce_scatter, {2, 6}, 6, 2, {});
    CHECK(p.windows == std::vector<chunk_window>{chunk_range{0, 12}, chunk_range{4, 6}});
}

TEST_CASE("the window of a scratch bank spans all that its steps touch") {
    const plan p = compiled({receive(1, bank(0, 5, 2)), send(5, bank(0, 2)), receive(0, bank(2, 7, 3)),
                             reduce(bank(2, 8), out(8), side::right)});
    REQUIRE(p.windows.size() == 5);
    CHECK(p.windows[2] == chunk_range{2, 7});
    CHECK(p.windows[3] == chunk_range{0, 0});
    CHECK(p.windows[4] == chunk_range{7, 10});
    const layout cut = p.cut(26); // chunks of 9, 9, 8 in pieces of 2, 2, 2, 3
    CHECK(p.scratch_elements(cut) == (cut.bound(7) - cut.bound(2)) + (cut.bound(10) - cut.bound(7)));
    CHECK(p.scratch_elements(p.cut(0)) == 0);
}

TEST_CASE("every operand of a step of many is in its bank's window") {
    const plan p = compiled({receive(1, bank(0, 5, 2)), tutti::test::combine({in(5, 2), bank(0), bank(3)}, out(5, 2))});
    CHECK(p.windows == std::vector<chunk_window>{chunk_range{0, 12}, chunk_range{0, 12}, chunk_range{5, 7},
                                                 chunk_range{}, chunk_range{}, chunk_range{5, 7}});
}

TEST_CASE("a plan without scratch needs no scratch memory") {
    CHECK(compiled({send(5, in(0)), receive(5, out(0))}).scratch_elements(layout(1000, 3, 4)) == 0);
}
