// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/verify_modes.hpp>

#include "hand_made.hpp"
#include "oracle.hpp"

#include <string>
#include <vector>

using namespace tutti::schedule;
using namespace tutti::test;

namespace {

/// Two ranks swap a chunk and reduce it; in place the one who receives first has a copy to send from.
program swap_in_place() {
    return hand_made(operation::allreduce, 1,
                     {{copy(in(0), bank(0, 0)), send(1, bank(0, 0)), receive_reduce(1, in(0), out(0), side::right)},
                      {copy(in(0), bank(0, 0)), send(0, bank(0, 0)), receive_reduce(0, in(0), out(0), side::left)}},
                     0, true);
}

void refused(const program& apart, const program& in_place, flaw what, const std::string& message) {
    CHECK(verify(apart).message() == "proven");
    CHECK(verify(in_place).message() == "proven");
    const proof found = verify_modes(apart, in_place);
    CHECK_FALSE(found.proven);
    CHECK(static_cast<int>(found.fault.what) == static_cast<int>(what));
    CHECK(without_words(found.message()) == message);
    CHECK_FALSE(keeps_rank_order(apart, in_place));
}

/// The second opinion on the ranks' lists of these modes.
std::string opinion(const program& apart, const program& in_place, const std::vector<bool>& modes) {
    program mixed = apart;
    for (std::size_t r = 0; r < modes.size(); ++r)
        if (modes[r]) mixed.ranks[r] = in_place.ranks[r];
    return oracle(mixed, 1, modes).judge();
}

} // namespace

TEST_CASE("one schedule in two modes is proven if messages and results are the same in both") {
    const cost stated{1, 1, 1, 1, 1};
    const proof found = verify_modes(swap_and_reduce(), swap_in_place(), &stated);
    CHECK(found.message() == "proven");
    CHECK((found.proven && found.preserves_order && found.measured == stated));
    CHECK(keeps_rank_order(swap_and_reduce(), swap_in_place()));
    for (const bool first : {false, true})
        for (const bool second : {false, true})
            CHECK(opinion(swap_and_reduce(), swap_in_place(), {first, second}).empty());
}

TEST_CASE("each mode is proven by itself first, and a flaw says which it is of") {
    program wrong = swap_in_place();
    wrong.ranks[0][2] = receive(1, out(0));
    const proof found = verify_modes(swap_and_reduce(), wrong);
    CHECK(without_words(found.message()) == "rank 0, step 2: chunk 0 lacks the contribution of rank 0");
    CHECK(found.fault.in_place);
    wrong = swap_and_reduce();
    wrong.ranks[0][1] = receive(1, out(0));
    CHECK_FALSE(verify_modes(wrong, swap_in_place()).fault.in_place);
    const cost less{1, 0, 1, 1, 1};
    CHECK(verify_modes(swap_and_reduce(), swap_in_place(), &less).message() ==
          "the cost is not the stated one: rounds stated 0, found 1");
}

TEST_CASE("programs of two calls, or of one mode, are not two modes") {
    const std::string message = "the two programs are not one call, out of place and in place";
    CHECK(verify_modes(swap_and_reduce(), swap_and_reduce()).message() == message);
    CHECK(verify_modes(swap_in_place(), swap_in_place()).message() == message);
    program other = swap_in_place();
    other.chunks = 2;
    CHECK(verify_modes(swap_and_reduce(), other).message() == message);
}

TEST_CASE("a side that depends on the mode gives other bits where ranks differ in it") {
    program turned = swap_in_place();
    turned.ranks[0][2].other = side::left;
    turned.ranks[1][2].other = side::right;
    refused(swap_and_reduce(), turned, flaw::modes_differ,
            "rank 0, step 2 does not combine chunk 0 in place as is done by step 1 out of place; ranks may differ in "
            "that");
    CHECK(opinion(swap_and_reduce(), turned, {true, false}) == "different bits");
}

TEST_CASE("a message must carry the same chunks of the same data in both modes") {
    const program apart = hand_made(
        operation::broadcast, 2,
        {{copy(in(0, 2), out(0, 2)), send(1, in(0)), send(1, in(1))}, {receive(0, out(0)), receive(0, out(1))}});
    program in_place = apart;
    in_place.in_place = true;
    in_place.ranks[0] = {send(1, out(1)), send(1, out(0))};
    in_place.ranks[1] = {receive(0, out(1)), receive(0, out(0))};
    refused(apart, in_place, flaw::modes_differ,
            "rank 0, step 0 does not carry in place what it does by step 1 out of place; ranks may differ in that");
    CHECK(opinion(apart, in_place, {true, false}) == "the ends of a message differ");

    // The same chunk, of which one mode sends the sum and the other one what the peer has not got yet.
    const auto to_root = [](step last) {
        return hand_made(operation::reduce, 1,
                         {{receive(1, bank(0, 0)), receive(1, bank(1, 0)), copy(in(0), bank(2, 0)), last},
                          {send(0, in(0)), copy(in(0), bank(0, 0)), send(0, bank(0, 0))}});
    };
    program one = to_root(combine({bank(2, 0), bank(0, 0)}, out(0)));
    program two = to_root(combine({bank(2, 0), bank(1, 0)}, out(0)));
    two.in_place = true;
    CHECK(verify_modes(one, two).message() == "proven");
    const step twice = reduce(in(0), bank(0, 0), side::right);
    two.ranks[1].insert(two.ranks[1].begin() + 2, twice); // it sends twice its input, and nobody looks at that
    one.ranks[0][1] = two.ranks[0][1] = receive(1, bank(1, 0));
    two.ranks[0][3] = combine({bank(2, 0), bank(0, 0)}, out(0));
    refused(one, two, flaw::modes_differ,
            "rank 1, step 3 does not carry in place what it does by step 2 out of place; ranks may differ in that");
}

TEST_CASE("a message that only one mode sends is not received where ranks differ") {
    program in_place = swap_in_place();
    in_place.ranks[0].push_back(send(1, bank(0, 0)));
    in_place.ranks[1].push_back(receive(0, bank(1, 0)));
    refused(swap_and_reduce(), in_place, flaw::modes_differ,
            "rank 0, step 3 is a message that is not sent out of place; ranks may differ in that");
    CHECK(opinion(swap_and_reduce(), in_place, {true, false}) == "deadlock");
    program apart = swap_and_reduce();
    apart.ranks[1].push_back(send(0, in(0)));
    apart.ranks[0].push_back(receive(1, bank(1, 0)));
    refused(apart, swap_in_place(), flaw::modes_differ,
            "rank 1, step 2 is a message that is not sent in place; ranks may differ in that");
}

TEST_CASE("two modes may complete, each by itself, and wait for each other where ranks differ") {
    // Scratch 1 makes the message of one direction wait for that of the other: which for which depends on the mode.
    const auto after_receive = [](int peer, side of_incoming) {
        return steps{receive(peer, bank(1, 0)),
                     copy(bank(1, 0), bank(2, 0)),
                     copy(in(0), bank(1, 0)),
                     send(peer, bank(1, 0)),
                     receive_reduce(peer, bank(1, 0), out(0), of_incoming),
                     send(peer, bank(1, 0))};
    };
    const auto before_receive = [](int peer, side of_incoming) {
        return steps{copy(in(0), bank(1, 0)),
                     send(peer, bank(1, 0)),
                     receive(peer, bank(1, 0)),
                     copy(in(0), bank(3, 0)),
                     receive_reduce(peer, bank(3, 0), out(0), of_incoming),
                     send(peer, bank(3, 0))};
    };
    const program apart =
        hand_made(operation::allreduce, 1, {before_receive(1, side::right), after_receive(0, side::left)});
    const program in_place =
        hand_made(operation::allreduce, 1, {after_receive(1, side::right), before_receive(0, side::left)}, 0, true);
    refused(apart, in_place, flaw::deadlock,
            "rank 0, step 1 never completes out of place, where other ranks differ in that: it waits for rank 1");
    CHECK(opinion(apart, in_place, {true, false}) == "deadlock");
    CHECK(opinion(apart, in_place, {false, false}).empty());
}

TEST_CASE("right, but not the same bits on all ranks: proven where that may be, and still the same in both modes") {
    program apart = swap_and_reduce(), in_place = swap_in_place();
    apart.ranks[1][1].other = in_place.ranks[1][2].other = side::right;
    CHECK(verify_modes(apart, in_place).fault.what == flaw::different_bits);
    const proof found = verify_modes(apart, in_place, nullptr, bits::may_differ);
    CHECK(found.message() == "proven");
    CHECK_FALSE(found.preserves_order); // on rank 1 it is not
    CHECK_FALSE(keeps_rank_order(apart, in_place));
    in_place.ranks[1][2].other = side::left;
    CHECK(verify_modes(apart, in_place, nullptr, bits::may_differ).fault.what == flaw::modes_differ);
}
