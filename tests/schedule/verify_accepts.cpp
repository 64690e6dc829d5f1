// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/verify.hpp>

#include "hand_made.hpp"

using namespace tutti::schedule;
using namespace tutti::test;

TEST_CASE("several messages may be in flight on a channel") {
    const program p = hand_made(operation::broadcast, 2,
                                {{copy(in(0, 2), out(0, 2)), send(1, in(1)), send(1, in(0)), send(1, in(1))},
                                 {receive(0, bank(0, 1)), receive(0, out(0)), receive(0, out(1))}});
    accepted(p);
}

TEST_CASE("steps on independent chunks may stand in any order") {
    program p = swap_and_reduce();
    p.chunks = 2;
    p.ranks[0] = {receive_reduce(1, in(1), out(1), side::right), send(1, in(0)),
                  receive_reduce(1, in(0), out(0), side::right), send(1, in(1))};
    p.ranks[1] = {send(0, in(1)), send(0, in(0)), receive_reduce(0, in(0), out(0), side::left),
                  receive_reduce(0, in(1), out(1), side::left)};
    CHECK(accepted(p).preserves_order);
}

TEST_CASE("what arrives may be reduced where it lies and moved there afterwards") {
    program p = swap_and_reduce();
    p.ranks[0] = {send(1, in(0)), receive(1, bank(3, 0)), reduce(in(0), bank(3, 0), side::left),
                  copy(bank(3, 0), bank(1, 0)), copy(bank(1, 0), out(0))};
    CHECK(accepted(p).preserves_order);
}

TEST_CASE("a message that nobody needs is only a cost") {
    program p = swap_and_reduce();
    p.ranks[0].push_back(send(1, in(0)));
    p.ranks[1].push_back(receive(0, bank(0, 0)));
    CHECK(accepted(p).measured.rounds == 2);
}

TEST_CASE("results in another order than the ranks' are right as long as all ranks agree, and it is said") {
    program p = swap_and_reduce();
    p.ranks[0][1].other = side::left;
    p.ranks[1][1].other = side::right;
    CHECK_FALSE(accepted(p).preserves_order);
    CHECK(accepted(swap_and_reduce()).preserves_order);
}

TEST_CASE("chunks may be grouped differently from each other, as long as each is the same on all ranks") {
    const auto leaf = [](int rank) {
        return steps{send(rank == 1 ? 0 : 1, in(rank == 1 ? 0 : 1)), send(rank == 1 ? 2 : 0, in(rank == 1 ? 1 : 0))};
    };
    // Chunk 0 is (0 1) 2 at rank 0; chunk 1 is 0 (1 2) at rank 1, by way of rank 1's own sum.
    program p = hand_made(operation::reduce, 2, {{}, {}, {}});
    p.ranks[0] = {receive_reduce(1, in(0), out(0), side::right), receive_reduce(2, out(0), out(0), side::right),
                  receive_reduce(1, in(1), out(1), side::right)};
    p.ranks[1] = {leaf(1)[0], receive_reduce(2, in(1), bank(0, 1), side::right), send(0, bank(0, 1))};
    p.ranks[2] = {leaf(2)[0], leaf(2)[1]};
    CHECK(accepted(p).preserves_order);
}

TEST_CASE("one rank alone has its result without a message") {
    accepted(hand_made(operation::allreduce, 1, {{copy(in(0), out(0))}}));
    accepted(hand_made(operation::allreduce, 1, {{}}, 0, true));
    rejected(hand_made(operation::allreduce, 1, {{}}), flaw::lost, "rank 0: chunk 0 lacks the contribution of rank 0");
}

TEST_CASE("a schedule that completes only out of order is proven, and it is said that it needs that") {
    const program p = hand_made(operation::allreduce, 1,
                                {{receive_reduce(1, in(0), out(0), side::right), send(1, in(0))},
                                 {receive_reduce(0, in(0), out(0), side::left), send(0, in(0))}});
    CHECK_FALSE(accepted(p).in_order);
    CHECK(accepted(swap_and_reduce()).in_order);
    // It is enough that one rank sends first: its posted send lets the other go on.
    program half = p;
    std::swap(half.ranks[0][0], half.ranks[0][1]);
    CHECK(accepted(half).in_order);
}

TEST_CASE("a walk in order also stops at what is still being sent") {
    // Rank 0 writes chunk 0 while its send waits for rank 1, who first wants chunk 1, which stands behind that.
    const program p =
        hand_made(operation::allreduce, 2,
                  {{copy(in(0), out(0)), send(1, out(0)), receive_reduce(1, out(0), out(0), side::right),
                    send(1, in(1)), receive(1, out(1))},
                   {send(0, in(0)), receive(0, bank(0, 0)), copy(in(0), out(0)), reduce(bank(0, 0), out(0), side::left),
                    receive_reduce(0, in(1), out(1), side::left), send(0, out(1))}});
    CHECK(accepted(p).in_order);
    // The same with a detour: rank 1 takes chunk 0 only after rank 2 has brought what rank 0 sends to it last.
    const program detour = hand_made(
        operation::broadcast, 1,
        {{copy(in(0), out(0)), copy(in(0), bank(0, 0)), send(1, bank(0, 0)), copy(in(0), bank(0, 0)), send(2, in(0))},
         {receive(2, out(0)), receive(0, bank(0, 0))},
         {receive(0, out(0)), send(1, out(0))}});
    CHECK_FALSE(accepted(detour).in_order);
}

TEST_CASE("a proof costs nothing at run time when it is made at compile time") {
    STATIC_REQUIRE([] {
        program p{operation::allreduce, 2, 0, false, 1, {}};
        p.ranks.push_back({send(1, in(0)), receive_reduce(1, in(0), out(0), side::right)});
        p.ranks.push_back({send(0, in(0)), receive_reduce(0, in(0), out(0), side::left)});
        const proof found = verify(p);
        return found.proven && found.preserves_order && found.in_order;
    }());
}
