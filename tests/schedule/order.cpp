// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/order.hpp>

#include "hand_made.hpp"
#include "support/catch.hpp"

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

using namespace tutti::schedule;

namespace {

using tutti::test::bank;
using tutti::test::in;
using tutti::test::out;

using pairs = std::set<std::pair<int, int>>; // (before, after)

pairs completions(const order& o) {
    pairs found;
    for (std::size_t i = 0; i + 1 < o.first.size(); ++i)
        for (auto f = o.first[i]; f < o.first[i + 1]; ++f)
            found.emplace(static_cast<int>(i), static_cast<int>(o.followers[f]));
    return found;
}
pairs starts(const order& o) {
    pairs found;
    for (std::size_t i = 0; i < o.next_on_channel.size(); ++i)
        if (o.next_on_channel[i] >= 0) found.emplace(static_cast<int>(i), o.next_on_channel[i]);
    return found;
}
/// Also holds the number of awaited steps against the pairs, each of which must be there once.
order order_among(const std::vector<step>& steps, bool in_place = false) {
    const order o = order_of(steps, 4, 4, in_place);
    std::vector<std::uint32_t> waits(steps.size(), 0);
    const pairs after_completion = completions(o), after_start = starts(o);
    CHECK(o.followers.size() == after_completion.size());
    for (const pairs& p : {after_completion, after_start})
        for (const auto& [before, after] : p) ++waits[static_cast<std::size_t>(after)];
    CHECK(o.waits == waits);
    return o;
}

} // namespace

TEST_CASE("read after write: who reads a chunk waits for its last writer") {
    const order o = order_among({receive(1, out(0)), receive(1, out(1)), send(2, out(0)), copy(out(1), bank(0, 1))});
    CHECK(completions(o) == pairs{{0, 2}, {1, 3}});
    CHECK(starts(o) == pairs{{0, 1}});
}

TEST_CASE("in an alltoall in place, the block to a rank is the memory of the block from it") {
    // Rank 1 of 3 has the input blocks 1, 4, 7 and the output blocks 3, 4, 5.
    const std::vector<step> steps{send(0, in(1)), send(2, in(7)), receive(0, out(3)), receive(2, out(5))};
    const auto order_in = [&](bool in_place) {
        return completions(order_of(operation::alltoall, {1, 3, 0, in_place}, 9, steps, 3));
    };
    CHECK(order_in(false).empty());
    CHECK(order_in(true) == pairs{{0, 2}, {1, 3}});
}

TEST_CASE("write after read: who overwrites a chunk waits for all that read it since its last writer") {
    const order o = order_among({copy(in(0), out(0)), send(1, out(0)), send(2, out(0)), receive(3, out(0))});
    CHECK(completions(o) == pairs{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}});
    CHECK(starts(o).empty());
}

TEST_CASE("write after write: writers of a chunk run one after the other") {
    const order o = order_among({receive(1, out(0)), receive(2, out(0)), receive(3, out(0))});
    CHECK(completions(o) == pairs{{0, 1}, {1, 2}});
}

TEST_CASE("a step that reads where it writes does not wait for itself") {
    const order o = order_among(
        {copy(in(0), out(0)), receive_reduce(1, out(0), out(0), side::right), reduce(out(0), out(0), side::left)});
    CHECK(completions(o) == pairs{{0, 1}, {1, 2}});
}

TEST_CASE("a reduce waits for both of its operands") {
    const order o = order_among({receive(1, bank(0)), receive(2, bank(1)), reduce(bank(1), bank(0), side::right)});
    CHECK(completions(o) == pairs{{0, 2}, {1, 2}});
}

TEST_CASE("a step of many operands waits for all of them, and for who reads what it overwrites") {
    const order o = order_among({receive(1, bank(0)), receive(2, bank(3)), send(3, out(0)), receive(3, bank(3, 1)),
                                 tutti::test::combine({in(0), bank(3), bank(0)}, out(0)), receive(1, bank(0))});
    CHECK(completions(o) == pairs{{0, 4}, {0, 5}, {1, 4}, {2, 4}, {4, 5}});
}

TEST_CASE("a step of many operands may write to one of them without waiting for itself") {
    const order o = order_among({receive(1, bank(0)), receive(2, bank(1)),
                                 tutti::test::combine({bank(0), bank(1)}, bank(0)), send(1, bank(0))});
    CHECK(completions(o) == pairs{{0, 2}, {1, 2}, {2, 3}});
}

TEST_CASE("independent chunks and buffers are not ordered") {
    const order o = order_among({receive(1, out(0)), receive(2, out(1)), send(1, out(2)), send(2, bank(0, 0)),
                                 copy(in(3), out(3)), copy(in(0), bank(1, 0))});
    CHECK(completions(o).empty());
    CHECK(starts(o).empty());
}

TEST_CASE("ranges are ordered when they share a chunk, and only once however many they share") {
    const order o = order_among({receive(1, out(0, 2)), send(2, out(1, 2)), receive(3, out(2, 2)), send(3, out(0, 4))});
    CHECK(completions(o) == pairs{{0, 1}, {0, 3}, {1, 2}, {2, 3}});
}

TEST_CASE("on a channel steps start in program order and do not wait for completion") {
    const order o = order_among({send(1, in(0)), receive(1, out(0)), send(2, in(0)), send(1, in(1)), receive(1, out(1)),
                                 send(1, in(2)), receive(2, out(2))});
    CHECK(completions(o).empty());
    CHECK(starts(o) == pairs{{0, 3}, {3, 5}, {1, 4}});
}

TEST_CASE("a step may await a start and a completion of the same step") {
    const order o = order_among({receive(1, out(0)), receive(1, out(0))});
    CHECK(completions(o) == pairs{{0, 1}});
    CHECK(starts(o) == pairs{{0, 1}});
    CHECK(o.waits == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("out of place the input is never written: reading it orders nothing") {
    CHECK(completions(order_among({send(1, in(0)), receive(1, out(0))})).empty());
}

TEST_CASE("in place input and output are the same memory") {
    const order o = order_among({send(1, in(0)), receive_reduce(1, in(0), out(0), side::right), send(2, in(0)),
                                 send(2, in(1)), receive(3, out(0))},
                                true);
    CHECK(completions(o) == pairs{{0, 1}, {1, 2}, {1, 4}, {2, 4}});
}

TEST_CASE("no steps have no order") {
    const order o = order_of({}, 4, 4, false);
    CHECK((o.waits.empty() && o.followers.empty() && o.next_on_channel.empty()));
    CHECK(o.first == std::vector<std::uint32_t>{0});
}
