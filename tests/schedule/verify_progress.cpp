// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/verify.hpp>

#include "hand_made.hpp"

using namespace tutti::schedule;
using namespace tutti::test;

TEST_CASE("a send that nobody receives never completes") {
    program p = swap_and_reduce();
    p.ranks[0].push_back(send(1, out(0)));
    rejected(p, flaw::deadlock, "rank 0, step 2 never completes: rank 1 never receives it");
}

TEST_CASE("a receive that nobody sends to never completes") {
    program p = swap_and_reduce();
    p.ranks[1].push_back(receive(0, bank(0, 0)));
    rejected(p, flaw::deadlock, "rank 1, step 2 never completes: rank 0 never sends it");
}

TEST_CASE("a rank without steps lets the others wait") {
    program p = swap_and_reduce();
    p.ranks[1].clear();
    rejected(p, flaw::deadlock, "rank 0, step 0 never completes: rank 1 never receives it");
}

TEST_CASE("ranks that all receive before they send what they received wait for each other") {
    const auto pass_on = [](int from, int to) { return steps{receive(from, out(0)), send(to, out(0))}; };
    const program p = hand_made(operation::broadcast, 1, {pass_on(2, 1), pass_on(0, 2), pass_on(1, 0)});
    rejected(p, flaw::deadlock, "rank 0, step 0 never completes: it waits for rank 2");
}

TEST_CASE("a butterfly in place would overwrite what it is still sending") {
    program p = swap_and_reduce();
    accepted(p);
    p.in_place = true;
    rejected(p, flaw::deadlock, "rank 0, step 1 never runs: it would overwrite chunk 0, still being sent by step 0");
    p.ranks[1] = {receive(0, bank(0, 0)), send(0, in(0)), reduce(bank(0, 0), out(0), side::left)};
    accepted(p);
}

TEST_CASE("an exchange in place without staging would overwrite what it is still sending to a third") {
    const auto exchange = [](int a, int b) {
        return steps{send(a, in(0)), send(b, in(0)), receive_reduce(a, in(0), out(0), side::right),
                     receive_reduce(b, out(0), out(0), side::right)};
    };
    const program p = hand_made(operation::allreduce, 1, {exchange(1, 2), exchange(2, 0), exchange(0, 1)}, 0, true);
    rejected(p, flaw::deadlock, "rank 0, step 2 never runs: it would overwrite chunk 0, still being sent by step 0");
}

TEST_CASE("a chunk must not be written while it is being sent, out of place too") {
    const auto send_then_overwrite = [](int peer) {
        return steps{copy(in(0), out(0)), send(peer, out(0)), receive_reduce(peer, out(0), out(0), side::right)};
    };
    const program p = hand_made(operation::allreduce, 1, {send_then_overwrite(1), send_then_overwrite(0)});
    rejected(p, flaw::deadlock, "rank 0, step 2 never runs: it would overwrite chunk 0, still being sent by step 1");
}

TEST_CASE("an operand lies in its sender's memory until all have come: in place, nobody could begin to overwrite it") {
    // As it is written it would do if each kept a copy of what it receives.
    const auto exchange = [](int self, int peer) {
        return steps{send(peer, in(0)), receive(peer, bank(peer, 0)),
                     combine({self == 0 ? in(0) : bank(0, 0), self == 1 ? in(0) : bank(1, 0)}, out(0))};
    };
    program p = hand_made(operation::allreduce, 1, {exchange(0, 1), exchange(1, 0)});
    CHECK(accepted(p).preserves_order);
    p.in_place = true;
    rejected(p, flaw::deadlock, "rank 0, step 2 never runs: it would overwrite chunk 0, still being sent by step 0");
    for (std::size_t r = 0; r < 2; ++r) // what something else reads too is stored, and its send complete
        p.ranks[r].push_back(copy(bank(1 - static_cast<int>(r), 0), bank(2, 0)));
    accepted(p);
}

TEST_CASE("behind an operand that has not been read no message of its channel moves") {
    // Rank 0 would need a second message of rank 1 before it can read the first.
    program p =
        hand_made(operation::reduce, 1,
                  {{receive(1, bank(0, 0)), receive(1, bank(1, 0)), combine({in(0), bank(0, 0), bank(1, 0)}, out(0))},
                   {receive(2, bank(0, 0)), send(0, in(0)), send(0, bank(0, 0))},
                   {send(1, in(0))}});
    rejected(p, flaw::deadlock, "rank 0, step 1 never completes: it waits for rank 1");
    p.ranks[0].push_back(copy(bank(0, 0), bank(2, 0)));
    accepted(p);
}

TEST_CASE("a send that has nothing to send yet is not blamed for what waits behind it") {
    // Rank 0 waits for rank 1, who sends nothing; that step 2 would overwrite what step 1 sends is not the reason.
    const program p = hand_made(operation::allreduce, 1,
                                {{receive_reduce(1, in(0), out(0), side::right), send(1, out(0)), receive(1, out(0))},
                                 {receive(0, out(0)), send(0, out(0))}});
    rejected(p, flaw::deadlock, "rank 0, step 0 never completes: it waits for rank 1");
}
