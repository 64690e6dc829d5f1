// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/verify.hpp>

#include "hand_made.hpp"

using namespace tutti::schedule;
using namespace tutti::test;

TEST_CASE("a contribution that is overwritten instead of reduced is lost") {
    program p = swap_and_reduce();
    p.ranks[0][1] = receive(1, out(0));
    rejected(p, flaw::lost, "rank 0, step 1: chunk 0 lacks the contribution of rank 0");
}

TEST_CASE("a chunk that nobody brings is lost") {
    program p = swap_and_reduce();
    p.chunks = 2;
    rejected(p, flaw::lost, "rank 0: chunk 1 lacks the contribution of rank 0");
}

TEST_CASE("a sum that is handed on before it is complete is lost") {
    const program p = hand_made(operation::allreduce, 1,
                                {{receive_reduce(1, in(0), out(0), side::right), send(2, out(0)),
                                  receive_reduce(2, out(0), out(0), side::right), send(1, out(0))},
                                 {send(0, in(0)), receive(0, out(0))},
                                 {receive(0, out(0)), send(0, in(0))}});
    rejected(p, flaw::lost, "rank 2, step 0: chunk 0 lacks the contribution of rank 2");
}

TEST_CASE("two pairs that do not talk to each other are not connected") {
    const program pair = swap_and_reduce();
    program p = hand_made(operation::allreduce, 1, {pair.ranks[0], pair.ranks[1], pair.ranks[0], pair.ranks[1]});
    p.ranks[2][0].peer = p.ranks[2][1].peer = 3;
    p.ranks[3][0].peer = p.ranks[3][1].peer = 2;
    rejected(p, flaw::disconnected, "no chain of messages joins rank 2 to rank 0");
}

TEST_CASE("a program without chunks, without ranks, or with unequal shards is none") {
    const auto is_none = [](const program& p, const std::string& message) { rejected(p, flaw::bad_program, message); };
    is_none(hand_made(operation::allreduce, 0, {{}, {}}), "there are 0 chunks, not at least 1");
    is_none(hand_made(operation::allreduce, 1, {}), "there are 0 ranks, not at least 1");
    is_none(hand_made(operation::reduce_scatter, 3, {{}, {}}), "there are 3 chunks, not a multiple of 2");
    is_none(hand_made(operation::alltoall, 2, {{}, {}}), "there are 2 chunks, not a multiple of 4");
    is_none(hand_made(operation::broadcast, 1, {{}, {}}, 2), "there are 2 ranks, and no root 2");
    program p = swap_and_reduce();
    p.ranks.pop_back();
    is_none(p, "there are 1 lists of steps, not one for each rank of 2");
    p = hand_made(operation::reduce_scatter, 6, {{}, {}});
    p.segments = 2;
    is_none(p, "there are 3 chunks, not a multiple of 2");
    p.segments = 4;
    is_none(p, "there are 6 segmented chunks, not a multiple of 4");
}

TEST_CASE("a scan's result has the inputs of ranks 0 to its own, once and in rank order") {
    const auto scan_of = [](side incoming) {
        return hand_made(operation::scan, 1,
                         {{copy(in(0), out(0)), send(1, in(0))},
                          {receive_reduce(0, in(0), out(0), incoming), send(2, out(0))},
                          {receive_reduce(1, in(0), out(0), side::left)}});
    };
    CHECK(verify(scan_of(side::left)).message() == "proven");
    CHECK(verify(scan_of(side::left)).preserves_order);
    rejected(scan_of(side::right), flaw::not_a_prefix,
             "rank 1, step 0: chunk 0 is not the reduction of ranks 0 to 1 in rank order");

    program p = scan_of(side::left);
    p.ranks[1][1].from = in(0);
    rejected(p, flaw::lost, "rank 2, step 0: chunk 0 lacks the contribution of rank 0");
    p = scan_of(side::left);
    p.ranks[2].push_back(reduce(in(0), out(0), side::right));
    rejected(p, flaw::doubled, "rank 2, step 1: chunk 0 has the contribution of rank 2 twice");
    p = scan_of(side::left);
    p.ranks[0].push_back(receive_reduce(1, out(0), out(0), side::right));
    p.ranks[1].push_back(send(0, in(0)));
    rejected(p, flaw::not_a_prefix, "rank 0, step 2: chunk 0 is not the reduction of ranks 0 to 0 in rank order");
}

TEST_CASE("an exscan gives rank 0 nothing, and its own input to no rank") {
    const program p = hand_made(operation::exscan, 1, {{send(1, in(0))}, {receive(0, out(0))}});
    CHECK(verify(p).message() == "proven");
    program wrong = p;
    wrong.ranks[0].push_back(copy(in(0), out(0)));
    rejected(wrong, flaw::bad_place, "rank 0, step 1: chunk 0 is outside of the buffer that the step names");
    wrong = p;
    wrong.ranks[1][0] = receive_reduce(0, in(0), out(0), side::left);
    rejected(wrong, flaw::not_a_prefix, "rank 1, step 0: chunk 0 is not the reduction of ranks 0 to 0 in rank order");
}

TEST_CASE("a gather and a scatter move each rank's own shard") {
    const program gathered =
        hand_made(operation::gather, 2, {{copy(in(0), out(0)), receive(1, out(1))}, {send(0, in(1))}});
    CHECK(verify(gathered).message() == "proven");
    const program scattered =
        hand_made(operation::scatter, 2, {{copy(in(0), out(0)), send(1, in(1))}, {receive(0, out(1))}});
    CHECK(verify(scattered).message() == "proven");
    program p = gathered;
    p.ranks[0][1] = receive(1, out(0));
    rejected(p, flaw::length_mismatch,
             "rank 1, step 0 and rank 0, step 1 are two ends of a message but name different "
             "chunks");
    p = scattered;
    p.ranks[0][0] = reduce(in(0), out(0), side::right);
    rejected(p, flaw::no_operator, "rank 0, step 0 reduces in an operation that has no operator");
}

TEST_CASE("an alltoall's blocks end with their rank; in place none is overwritten before it has left") {
    // Block 2 d + s is from rank s to rank d.
    program p = hand_made(operation::alltoall, 4,
                          {{copy(in(0), out(0)), send(1, in(2)), receive(1, out(1))},
                           {copy(in(3), out(3)), send(0, in(1)), receive(0, out(2))}});
    CHECK(verify(p).message() == "proven");
    program wrong = p;
    wrong.ranks[1][1] = send(0, in(2));
    rejected(wrong, flaw::bad_place, "rank 1, step 1: chunk 2 is outside of the buffer that the step names");
    wrong = p;
    wrong.ranks[0].pop_back();
    wrong.ranks[1].erase(wrong.ranks[1].begin() + 1);
    rejected(wrong, flaw::wrong_data, "rank 0: chunk 1 holds nothing; it should hold rank 1's data");
    wrong = p;
    wrong.chunks = 6;
    rejected(wrong, flaw::bad_program, "there are 6 chunks, not a multiple of 4");

    const auto in_place = [](buffer landing) {
        std::vector<tutti::test::steps> ranks;
        for (const int r : {0, 1}) {
            const int other = 1 - r, incoming = 2 * r + other;
            ranks.push_back({send(other, in(2 * other + r)), receive(other, {landing, incoming, 1})});
            if (landing != buffer::output)
                ranks.back().push_back(copy({landing, incoming, 1}, {buffer::output, incoming, 1}));
        }
        return hand_made(operation::alltoall, 4, std::move(ranks), 0, true);
    };
    CHECK(verify(in_place(scratch(0))).message() == "proven");
    CHECK(verify(in_place(buffer::output)).fault.what == flaw::deadlock);
}

TEST_CASE("a contribution that is reduced twice is doubled") {
    program p = swap_and_reduce();
    p.ranks[1].push_back(reduce(in(0), out(0), side::right));
    rejected(p, flaw::doubled, "rank 1, step 2: chunk 0 has the contribution of rank 1 twice");
}

TEST_CASE("a doubled contribution is blamed on the step that doubled it, not on those that handed it on") {
    const program p = hand_made(
        operation::allreduce, 1,
        {{receive_reduce(1, in(0), out(0), side::right), send(1, out(0))},
         {copy(in(0), bank(0, 0)), reduce(in(0), bank(0, 0), side::right), send(0, bank(0, 0)), receive(0, out(0))}});
    rejected(p, flaw::doubled, "rank 1, step 1: chunk 0 has the contribution of rank 1 twice");
}

TEST_CASE("in place, what is read after it was overwritten is no input any more") {
    program p = hand_made(operation::allreduce, 1,
                          {{send(1, in(0)), receive_reduce(1, in(0), out(0), side::right)},
                           {receive_reduce(0, in(0), out(0), side::left), send(0, in(0))}});
    accepted(p);
    p.in_place = true;
    rejected(p, flaw::doubled, "rank 0, step 1: chunk 0 has the contribution of rank 0 twice");
}

TEST_CASE("operands swapped on one rank give different bits") {
    program p = swap_and_reduce();
    p.ranks[1][1].other = side::right;
    rejected(p, flaw::different_bits, "rank 1, step 1: chunk 0 is grouped or ordered otherwise than on rank 0, step 1");
}

TEST_CASE("operands grouped otherwise on one rank give different bits") {
    const auto everything = [](int a, int b) {
        return steps{send(a, in(0)), send(b, in(0)), receive(a, bank(0, 0)), receive(b, bank(1, 0))};
    };
    program p = hand_made(operation::allreduce, 1, {everything(1, 2), everything(0, 2), everything(0, 1)});
    const auto fold = [&](int rank, std::initializer_list<step> how) {
        auto& all = p.ranks[static_cast<std::size_t>(rank)];
        all.insert(all.end(), how);
    };
    fold(0, {copy(in(0), out(0)), reduce(bank(0, 0), out(0), side::right), reduce(bank(1, 0), out(0), side::right)});
    fold(1, {copy(in(0), out(0)), reduce(bank(0, 0), out(0), side::left), reduce(bank(1, 0), out(0), side::right)});
    program good = p;
    fold(2, {copy(in(0), out(0)), reduce(bank(1, 0), out(0), side::left), reduce(bank(0, 0), out(0), side::left)});
    rejected(p, flaw::different_bits, "rank 2, step 6: chunk 0 is grouped or ordered otherwise than on rank 0, step 6");

    good.ranks[2].insert(good.ranks[2].end(), {reduce(bank(1, 0), bank(0, 0), side::right), copy(bank(0, 0), out(0)),
                                               reduce(in(0), out(0), side::right)});
    CHECK(accepted(good).preserves_order);
}

TEST_CASE("one rounding is not two: a step of many operands is another node than as many steps of two") {
    const auto everything = [](int a, int b) {
        return steps{send(a, in(0)), send(b, in(0)), receive(a, bank(a, 0)), receive(b, bank(b, 0))};
    };
    program p = hand_made(operation::allreduce, 1, {everything(1, 2), everything(0, 2), everything(0, 1)});
    const auto end = [&](int rank, std::initializer_list<step> how) {
        auto& all = p.ranks[static_cast<std::size_t>(rank)];
        all.resize(4);
        all.insert(all.end(), how);
    };
    end(0, {combine({in(0), bank(1, 0), bank(2, 0)}, out(0))});
    end(1, {combine({bank(0, 0), in(0), bank(2, 0)}, bank(2, 0)), copy(bank(2, 0), out(0))});
    end(2, {combine({bank(0, 0), bank(1, 0), in(0)}, out(0))});
    CHECK(accepted(p).preserves_order);
    end(2, {combine({bank(0, 0), bank(1, 0)}, out(0)), reduce(in(0), out(0), side::right)});
    rejected(p, flaw::different_bits, "rank 2, step 5: chunk 0 is grouped or ordered otherwise than on rank 0, step 4");
    end(2, {combine({bank(0, 0), in(0), bank(1, 0)}, out(0))});
    rejected(p, flaw::different_bits, "rank 2, step 4: chunk 0 is grouped or ordered otherwise than on rank 0, step 4");
    end(2, {combine({bank(0, 0), bank(1, 0)}, out(0))});
    rejected(p, flaw::lost, "rank 2, step 4: chunk 0 lacks the contribution of rank 2");
    end(2, {combine({bank(0, 0), bank(1, 0), in(0), bank(0, 0)}, out(0))});
    rejected(p, flaw::doubled, "rank 2, step 4: chunk 0 has the contribution of rank 0 twice");
    end(2, {combine({bank(0, 0), bank(1, 0), bank(2, 0)}, out(0))});
    rejected(p, flaw::reads_nothing, "rank 2, step 4 reads chunk 0, which holds nothing yet");
    // Of two operands it is the step of two.
    program two = swap_and_reduce();
    two.ranks[0] = {send(1, in(0)), receive(1, bank(0, 0)), combine({in(0), bank(0, 0)}, out(0))};
    CHECK(accepted(two).preserves_order);
}

TEST_CASE("a reduce-scatter whose shard is somebody else's sum alone lacks a contribution") {
    const program p = hand_made(
        operation::reduce_scatter, 2,
        {{send(1, in(1)), receive(1, out(0))}, {send(0, in(0)), receive_reduce(0, in(1), out(1), side::left)}});
    rejected(p, flaw::lost, "rank 0, step 1: chunk 0 lacks the contribution of rank 0");
}

TEST_CASE("an allgather without a rank's own shard does not hold what it promises") {
    const program p =
        hand_made(operation::allgather, 2,
                  {{send(1, in(0)), receive(1, out(1))}, {copy(in(1), out(1)), send(0, in(1)), receive(0, out(0))}});
    rejected(p, flaw::wrong_data, "rank 0: chunk 0 holds nothing; it should hold rank 0's data");
}

TEST_CASE("a broadcast that arrives in scratch alone does not hold what it promises") {
    const program p =
        hand_made(operation::broadcast, 1, {{copy(in(0), out(0)), send(1, in(0))}, {receive(0, bank(0, 0))}});
    rejected(p, flaw::wrong_data, "rank 1: chunk 0 holds nothing; it should hold rank 0's data");
}

TEST_CASE("scratch holds nothing before it is written") {
    program p = swap_and_reduce();
    p.ranks[1][0].from = bank(0, 0);
    rejected(p, flaw::reads_nothing, "rank 1, step 0 reads chunk 0, which holds nothing yet");
}

TEST_CASE("out of place the output holds nothing before it is written, for any kind of step") {
    program p = swap_and_reduce();
    p.ranks[0][1].from = out(0);
    rejected(p, flaw::reads_nothing, "rank 0, step 1 reads chunk 0, which holds nothing yet");
    p.ranks[0].insert(p.ranks[0].begin(), copy(out(0), bank(0, 0)));
    rejected(p, flaw::reads_nothing, "rank 0, step 0 reads chunk 0, which holds nothing yet");
    p.ranks[0][0] = reduce(in(0), out(0), side::right);
    rejected(p, flaw::reads_nothing, "rank 0, step 0 reads chunk 0, which holds nothing yet");
}
