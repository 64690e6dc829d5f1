// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/verify.hpp>

#include "hand_made.hpp"

using namespace tutti::schedule;
using namespace tutti::test;

namespace {

program with_first_step(step s) {
    program p = swap_and_reduce();
    p.ranks[1][0] = s;
    return p;
}
void is_no_place(place x, int missing) {
    rejected(with_first_step(send(0, x)), flaw::bad_place,
             "rank 1, step 0: chunk " + std::to_string(missing) + " is outside of the buffer that the step names");
}

} // namespace

TEST_CASE("a peer must be another rank of the communicator") {
    rejected(with_first_step(send(2, in(0))), flaw::bad_peer, "rank 1, step 0: no such peer");
    rejected(with_first_step(send(-1, in(0))), flaw::bad_peer, "rank 1, step 0: no such peer");
    rejected(with_first_step(receive(1, out(0))), flaw::bad_peer, "rank 1, step 0: a rank cannot send to itself");
    rejected(with_first_step(send(1, in(0))), flaw::bad_peer, "rank 1, step 0: a rank cannot send to itself");
}

TEST_CASE("a step names chunks that there are, and at least one") {
    is_no_place(in(1), 1); // chunk 0 is all that there is
    is_no_place(in(-1), -1);
    is_no_place(in(0, 2), 1);
    is_no_place(in(0, 2147483647), 1);
    is_no_place(bank(0, 1), 1);
    for (const int count : {0, -1})
        rejected(with_first_step(send(0, in(0, count))), flaw::no_chunks, "rank 1, step 0 names no chunk");
}

TEST_CASE("the input is never written") {
    rejected(with_first_step(receive(0, in(0))), flaw::writes_input, "rank 1, step 0 writes the input");
    rejected(with_first_step(copy(out(0), in(0))), flaw::writes_input, "rank 1, step 0 writes the input");
    rejected(with_first_step(receive_reduce(0, out(0), in(0), side::left)), flaw::writes_input,
             "rank 1, step 0 writes the input");
    program p = with_first_step(reduce(out(0), in(0), side::left));
    p.in_place = true;
    rejected(p, flaw::writes_input, "rank 1, step 0 writes the input");
}

TEST_CASE("a step of many operands has from 2 to 8, all of them in places that there are") {
    const auto combined = [](std::initializer_list<place> operands) {
        program p = swap_and_reduce();
        p.ranks[0] = {send(1, in(0)), receive(1, bank(0, 0)), combine(operands, out(0))};
        return p;
    };
    accepted(combined({in(0), bank(0, 0)}));
    const std::string message = "rank 0, step 2 combines too few operands, or too many";
    rejected(combined({in(0)}), flaw::bad_operands, message);
    const place x = bank(0, 0);
    rejected(combined({in(0), x, x, x, x, x, x, x, x}), flaw::bad_operands, message);
    rejected(combined({in(0), x, x, x, x, x, x, x, x, x}), flaw::bad_operands, message);
    rejected(combined({in(0), x, x, x, x, x, x, x}), flaw::doubled,
             "rank 0, step 2: chunk 0 has the contribution of rank 1 twice");
    program p = hand_made(operation::reduce, 1, {{send(1, in(0))}, {receive(0, bank(0, 0))}}, 1);
    p.ranks[1].push_back(combine({bank(0, 0), in(0)}, out(0)));
    accepted(p);
    p.ranks[0].insert(p.ranks[0].begin(), combine({in(0), out(0)}, bank(0, 0)));
    rejected(p, flaw::bad_place, "rank 0, step 0: chunk 0 is outside of the buffer that the step names");
    p.ranks[0][0] = combine({in(0), in(0)}, in(0));
    rejected(p, flaw::writes_input, "rank 0, step 0 writes the input");
    p.chunks = 2;
    p.ranks[0][0] = combine({in(0), in(0)}, bank(0, 1));
    rejected(p, flaw::relabels, "rank 0, step 0 puts data of chunk 0 under another chunk id, whose length may differ");
}

TEST_CASE("an operation without an operator has no steps that reduce, of use or not") {
    // The result of the reduction is dead, so the data are right all the same.
    program p = hand_made(
        operation::broadcast, 1,
        {{copy(in(0), out(0)), send(1, out(0))}, {receive(0, out(0)), combine({out(0), out(0)}, bank(0, 0))}});
    rejected(p, flaw::no_operator, "rank 1, step 1 reduces in an operation that has no operator");
    p.ranks[1][1] = reduce(out(0), out(0), side::left);
    rejected(p, flaw::no_operator, "rank 1, step 1 reduces in an operation that has no operator");
    p.ranks[1][1] = copy(out(0), bank(0, 0));
    accepted(p);
    const program gather =
        hand_made(operation::allgather, 2,
                  {{copy(in(0), out(0)), send(1, in(0)), receive_reduce(1, in(0), out(0), side::right)},
                   {copy(in(1), out(1)), send(0, in(1)), receive(0, out(0))}});
    rejected(gather, flaw::no_operator, "rank 0, step 2 reduces in an operation that has no operator");
}

TEST_CASE("a place that a step does not use may name anything") {
    constexpr place nowhere{buffer::input, 2147483647, 2147483647}, below{scratch(9), -2147483647 - 1, -1};
    program p = swap_and_reduce();
    p.chunks = 100; // more than steps, so that chunks are compressed to cells
    for (auto& steps : p.ranks)
        for (step& s : steps)
            for (place* x : {&s.from, &s.to}) x->count = 100;
    for (const place x : {nowhere, below}) {
        p.ranks[0][0].to = x;
        p.ranks[1] = {send(0, in(0, 100)), receive(0, bank(0, 0, 100)), copy(in(0, 100), out(0, 100)),
                      reduce(bank(0, 0, 100), out(0, 100), side::left)};
        p.ranks[1][1].from = x;
        accepted(p);
    }
}

TEST_CASE("a reduce-scatter's output is the rank's own shard") {
    const program p = hand_made(operation::reduce_scatter, 2,
                                {{send(1, in(0)), receive_reduce(1, in(1), out(1), side::right)},
                                 {send(0, in(1)), receive_reduce(0, in(0), out(0), side::left)}});
    rejected(p, flaw::bad_place, "rank 0, step 1: chunk 1 is outside of the buffer that the step names");
}

TEST_CASE("an allgather's input is the rank's own shard, in place too") {
    for (const bool in_place : {false, true}) {
        const program p = hand_made(operation::allgather, 2,
                                    {{copy(in(1), out(1)), send(1, in(0)), receive(1, out(1))},
                                     {copy(in(1), out(1)), send(0, in(1)), receive(0, out(0))}},
                                    0, in_place);
        rejected(p, flaw::bad_place, "rank 0, step 0: chunk 1 is outside of the buffer that the step names");
    }
}

TEST_CASE("only the root of a reduce has an output") {
    program p = hand_made(operation::reduce, 1,
                          {{receive_reduce(1, in(0), out(0), side::right)}, {copy(in(0), out(0)), send(0, in(0))}});
    rejected(p, flaw::bad_place, "rank 1, step 0: chunk 0 is outside of the buffer that the step names");
    p.ranks[1] = {send(0, out(0))};
    rejected(p, flaw::bad_place, "rank 1, step 0: chunk 0 is outside of the buffer that the step names");
    p.ranks[1] = {send(0, in(0))};
    accepted(p);
    p.root = 1;
    rejected(p, flaw::bad_place, "rank 0, step 0: chunk 0 is outside of the buffer that the step names");
}

TEST_CASE("only the root of a broadcast has an input, in place too") {
    program p =
        hand_made(operation::broadcast, 1,
                  {{copy(in(0), out(0)), send(1, in(0)), send(2, in(0))}, {receive(0, out(0))}, {receive(0, out(0))}});
    accepted(p);
    for (const bool in_place : {false, true}) {
        p.in_place = in_place;
        p.root = 1;
        rejected(p, flaw::bad_place, "rank 0, step 0: chunk 0 is outside of the buffer that the step names");
    }
}

TEST_CASE("data keep their chunk id on a rank, since another may be longer") {
    program p = swap_and_reduce();
    p.chunks = 2;
    p.ranks[1][1].to = out(1);
    rejected(p, flaw::relabels, "rank 1, step 1 puts data of chunk 0 under another chunk id, whose length may differ");
    p.ranks[1][1] = copy(in(0, 2), out(0));
    rejected(p, flaw::relabels, "rank 1, step 1 puts data of chunk 0 under another chunk id, whose length may differ");
    p.ranks[1][1] = reduce(in(1), bank(0, 0), side::left);
    rejected(p, flaw::relabels, "rank 1, step 1 puts data of chunk 1 under another chunk id, whose length may differ");
}

TEST_CASE("both ends of a message name the same chunks: as many others will not do") {
    const program p = hand_made(operation::allgather, 2,
                                {{copy(in(0), out(0)), send(1, in(0)), receive(1, out(1))},
                                 {copy(in(1), out(1)), send(0, in(1)), receive(0, out(1))}});
    rejected(p, flaw::length_mismatch,
             "rank 0, step 1 and rank 1, step 2 are two ends of a message but name different chunks");
}

TEST_CASE("both ends of a message name as many chunks") {
    program p = swap_and_reduce();
    p.chunks = 2;
    p.ranks[0][0].from = in(0, 2);
    p.ranks[1] = {send(0, in(0)), receive_reduce(0, in(0), out(0), side::left),
                  receive_reduce(0, in(1), out(1), side::left)};
    rejected(p, flaw::length_mismatch,
             "rank 0, step 0 and rank 1, step 1 are two ends of a message but name different chunks");
}

TEST_CASE("messages arrive in the order in which they were sent, wanted or not") {
    const program p = hand_made(
        operation::broadcast, 2,
        {{copy(in(0, 2), out(0, 2)), send(1, in(0)), send(1, in(1))}, {receive(0, out(1)), receive(0, out(0))}});
    rejected(p, flaw::length_mismatch,
             "rank 0, step 1 and rank 1, step 0 are two ends of a message but name different chunks");
}
