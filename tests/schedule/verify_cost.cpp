// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/verify.hpp>

#include "hand_made.hpp"

using namespace tutti::schedule;
using namespace tutti::test;

namespace {

/// Ranks 1 and 2 send two chunks each to rank 0, who sends the sums back.
program star() {
    const steps leaf{send(0, in(0, 2)), receive(0, out(0)), receive(0, out(1))};
    return hand_made(
        operation::allreduce, 2,
        {{receive_reduce(1, in(0, 2), out(0, 2), side::right), receive_reduce(2, out(0, 2), out(0, 2), side::right),
          send(1, out(0)), send(2, out(0)), send(1, out(1)), send(2, out(1))},
         leaf,
         leaf});
}
constexpr cost of_star{2, 6, 4, 4, 2};

void rejected_cost(cost stated, const std::string& message) {
    rejected(star(), flaw::other_cost, "the cost is not the stated one: " + message, &stated);
}

} // namespace

TEST_CASE("depth, rounds, chunks and fan-in are counted exactly") {
    CHECK(accepted(star(), &of_star).measured == of_star);
    CHECK(accepted(swap_and_reduce()).measured == cost{1, 1, 1, 1, 1});
    CHECK(accepted(hand_made(operation::allreduce, 1, {{copy(in(0), out(0))}})).measured == cost{});
}

TEST_CASE("a cost that is not the stated one is rejected, be it more or less") {
    for (const int d : {-1, 1}) {
        const auto said = [d](int found) {
            return " stated " + std::to_string(found + d) + ", found " + std::to_string(found);
        };
        cost stated = of_star;
        stated.depth += d;
        rejected_cost(stated, "depth" + said(2));
        stated = of_star;
        stated.rounds += d;
        rejected_cost(stated, "rounds" + said(6));
        stated = of_star;
        stated.sent += d;
        rejected_cost(stated, "chunks sent" + said(4));
        stated = of_star;
        stated.received += d;
        rejected_cost(stated, "chunks received" + said(4));
        stated = of_star;
        stated.fan_in += d;
        rejected_cost(stated, "fan-in" + said(2));
    }
}

TEST_CASE("a stated bound may be more than what is found, not less") {
    const cost roomy{3, 7, 5, 5, 3, true}, tight{2, 6, 4, 4, 2, true}, low{2, 5, 4, 4, 2, true};
    accepted(star(), &roomy);
    accepted(star(), &tight);
    rejected_cost(low, "rounds stated 5, found 6");
}

TEST_CASE("all figures that are wrong are told at once, of a bound those that are above it") {
    rejected_cost({2, 5, 4, 4, 1}, "rounds stated 5, found 6; fan-in stated 1, found 2");
    rejected_cost({1, 9, 9, 3, 2, true}, "depth stated 1, found 2; chunks received stated 3, found 4");
}

TEST_CASE("depth counts messages that carry what the former brought, whatever the rounds") {
    // Rank 0 sends three chunks to rank 1: three rounds, but none depends on another.
    const program p = hand_made(operation::broadcast, 3,
                                {{copy(in(0, 3), out(0, 3)), send(1, in(0)), send(1, in(1)), send(1, in(2))},
                                 {receive(0, out(0)), receive(0, out(1)), receive(0, out(2))}});
    CHECK(accepted(p).measured == cost{1, 3, 3, 3, 1});
    // Handed on from rank to rank, a chunk a message: as many deep as hops, and the hops of two chunks overlap.
    const program chain = hand_made(operation::broadcast, 2,
                                    {{copy(in(0, 2), out(0, 2)), send(1, in(0)), send(1, in(1))},
                                     {receive(0, out(0)), receive(0, out(1)), send(2, out(0)), send(2, out(1))},
                                     {receive(1, out(0)), receive(1, out(1))}});
    CHECK(accepted(chain).measured == cost{2, 3, 2, 2, 1});
}

TEST_CASE("fan-in counts ranks that send at the same depth, each once") {
    // Two chunks apart from one peer are one sender; a peer that sends what it first had to get is deeper.
    const program twice =
        hand_made(operation::reduce, 2,
                  {{receive_reduce(1, in(0), out(0), side::right), receive_reduce(1, in(1), out(1), side::right)},
                   {send(0, in(0)), send(0, in(1))}});
    CHECK(accepted(twice).measured.fan_in == 1);
    const program staggered =
        hand_made(operation::reduce, 1,
                  {{receive_reduce(1, in(0), out(0), side::right), receive_reduce(2, out(0), out(0), side::right)},
                   {send(0, in(0))},
                   {receive_reduce(3, in(0), bank(0, 0), side::right), send(0, bank(0, 0))},
                   {send(2, in(0))}});
    CHECK(accepted(staggered).measured == cost{2, 2, 1, 2, 1});
}
