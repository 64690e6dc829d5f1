// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/pack.hpp>
#include <collectives/schedule/verify_modes.hpp>

#include <collectives/algorithm/circulant.hpp>
#include <collectives/algorithm/emit.hpp>

#include "hand_made.hpp"

using namespace tutti::schedule;
using namespace tutti::test;

namespace {

/// Two ranks swap two chunks, which are the parts of one message a rank, and reduce them.
program swap_of_two() {
    return hand_made(operation::allreduce, 2,
                     {{joined(send(1, in(1))), send(1, in(0)), joined(receive_reduce(1, in(1), out(1), side::right)),
                       receive_reduce(1, in(0), out(0), side::right)},
                      {joined(send(0, in(1))), send(0, in(0)), joined(receive_reduce(0, in(1), out(1), side::left)),
                       receive_reduce(0, in(0), out(0), side::left)}});
}
program broadcast_of(steps root, steps other) {
    return hand_made(operation::broadcast, 2, {std::move(root), std::move(other)});
}

} // namespace

TEST_CASE("parts that are joined are one message, which takes one round") {
    const cost whole{1, 1, 2, 2, 1};
    accepted(swap_of_two(), &whole);
    const cost apart{1, 2, 2, 2, 1};
    accepted(unjoined(swap_of_two()), &apart);
    accepted(packed(swap_of_two()), &whole);
}

TEST_CASE("a step is joined to a message in the same direction with the same peer") {
    const auto with = [](step first, step second) {
        return broadcast_of({copy(in(0, 2), out(0, 2)), first, second}, {receive(0, out(0, 2))});
    };
    const std::string message =
        "rank 0, step 1 is joined to a step that is no message of the same ranks in the same direction";
    rejected(with(joined(send(1, out(0))), receive(1, out(1))), flaw::bad_join, message);
    rejected(with(joined(send(1, out(0))), copy(in(1), out(1))), flaw::bad_join, message);
    rejected(with(joined(copy(in(0), out(0))), send(1, out(1))), flaw::bad_join, message);
    rejected(with(send(1, out(0)), joined(send(1, out(1)))), flaw::bad_join,
             "rank 0, step 2 is joined to a step that is no message of the same ranks in the same direction");
    program three = hand_made(operation::broadcast, 1, {{}, {}, {}});
    three.ranks[0] = {copy(in(0), out(0)), joined(send(1, out(0))), send(2, out(0))};
    rejected(three, flaw::bad_join, message);
}

TEST_CASE("both ends of a message name the same parts in the same order") {
    const steps root{copy(in(0, 2), out(0, 2)), joined(send(1, out(0))), send(1, out(1))};
    accepted(broadcast_of(root, {joined(receive(0, out(0))), receive(0, out(1))}));
    const std::string message = "rank 0, step 1 and rank 1, step 0 are two ends of a message but name different chunks";
    rejected(broadcast_of(root, {joined(receive(0, out(1))), receive(0, out(0))}), flaw::length_mismatch, message);
    rejected(broadcast_of(root, {receive(0, out(0)), receive(0, out(1))}), flaw::length_mismatch, message);
    rejected(broadcast_of(root, {receive(0, out(0, 2))}), flaw::length_mismatch, message);
    rejected(broadcast_of({copy(in(0, 2), out(0, 2)), send(1, out(0)), send(1, out(1))},
                          {joined(receive(0, out(0))), receive(0, out(1))}),
             flaw::length_mismatch, message);
}

TEST_CASE("no part uses what another part of its message writes") {
    const auto taken_as = [](step first, step second) {
        program p = swap_of_two();
        p.ranks[0][2] = joined(first);
        p.ranks[0][3] = second;
        return p;
    };
    const std::string message = " are parts of one message, but one writes what the other uses";
    rejected(taken_as(receive(1, out(0, 2)), receive(1, out(1))), flaw::parts_depend,
             "rank 0, step 3 and rank 0, step 2" + message);
    rejected(taken_as(receive_reduce(1, out(1), bank(0, 1), side::right), receive(1, out(0, 2))), flaw::parts_depend,
             "rank 0, step 2 and rank 0, step 3" + message);
    program in_place = taken_as(receive(1, out(0, 2)), receive_reduce(1, in(0), bank(0, 0), side::right));
    in_place.in_place = true;
    rejected(in_place, flaw::parts_depend, "rank 0, step 3 and rank 0, step 2" + message);
}

TEST_CASE("a message starts when all of its parts can") {
    // Rank 0's second part is the answer to its first.
    const program whole = hand_made(
        operation::allreduce, 1,
        {{joined(send(1, in(0))), send(1, out(0)), receive(1, out(0))},
         {joined(receive(0, bank(0))), receive(0, bank(1)), combine({bank(0), in(0)}, out(0)), send(0, out(0))}});
    program p = whole;
    p.ranks[0] = {send(1, in(0)), receive(1, out(0)), send(1, out(0))};
    p.ranks[1] = {receive(0, bank(0)), combine({bank(0), in(0)}, out(0)), send(0, out(0)), receive(0, bank(1))};
    accepted(p);
    p.ranks[0] = {receive(1, out(0)), joined(send(1, in(0))), send(1, out(0))};
    p.ranks[1] = {joined(receive(0, bank(0))), receive(0, bank(1)), combine({bank(0), in(0)}, out(0)), send(0, out(0))};
    rejected(p, flaw::deadlock, "rank 0, step 0 never completes: it waits for rank 1");
}

TEST_CASE("what the parts of a message need and give, its first part does") {
    const steps list{receive(2, bank(0, 0)), receive(3, bank(0, 1)), joined(send(1, bank(0, 0))),
                     send(1, bank(0, 1)),    receive(2, bank(0, 1)), send(1, bank(0, 1))};
    const order o = order_of(list, 4, 2, false);
    CHECK(o.waits == std::vector<std::uint32_t>{0, 0, 2, 1, 3, 2});
    CHECK(o.next_on_channel == std::vector<int>{4, -1, 5, -1, -1, -1});
    const auto after = o.followers_of(2);
    CHECK(std::vector<std::uint32_t>(after.begin(), after.end()) == std::vector<std::uint32_t>{4});
    CHECK(o.followers_of(3).empty());
}

TEST_CASE("a message of several parts is never viewed") {
    const auto viewed = [](bool joins) {
        steps list{receive(1, bank(0, 0)), receive(1, bank(0, 1)), combine({in(0), bank(0, 0)}, out(0)),
                   combine({in(1), bank(0, 1)}, out(1))};
        list[0].joined = joins;
        return order_of(list, 2, 2, false).viewed;
    };
    CHECK((viewed(false).reader_of(0) == 2 && viewed(false).reader_of(1) == 3));
    CHECK((viewed(true).reader_of(0) == -1 && viewed(true).reader_of(1) == -1));
}

TEST_CASE("the d-th slices of all parts are the d-th message, and flaws name the steps as they were emitted") {
    std::vector<step> list;
    const tutti::algorithm::step_writer write(list, 2);
    write(copy(in(0), out(0)));
    write(joined(send(1, out(3))));
    write(joined(send(1, out(0, 2))));
    write(send(1, in(7)));
    write(send(2, in(1)));
    CHECK(list == steps{copy(in(0), out(0)), copy(in(1), out(1)),                             //
                        joined(send(1, out(6))), joined(send(1, out(0, 2))), send(1, in(14)), //
                        joined(send(1, out(7))), joined(send(1, out(2, 2))), send(1, in(15)), //
                        send(2, in(2)), send(2, in(3))});
    program p = hand_made(operation::allreduce, 16, {list});
    p.segments = 2;
    const std::vector<int> numbers{0, 0, 1, 2, 3, 1, 2, 3, 4, 4}, segments{0, 1, 0, 0, 0, 1, 1, 1, 0, 1};
    for (std::size_t i = 0; i < list.size(); ++i) {
        const own_step mine = detail::own_step_of(p, 0, static_cast<int>(i));
        CHECK((mine.number == numbers[i] && mine.segment == segments[i]));
    }
    CHECK(detail::own_step_of(p, 0, 6).what == joined(send(1, out(0, 2))));
}

TEST_CASE("ranks that differ in where their data lie must not differ in what is joined") {
    const program apart = broadcast_of({copy(in(0, 2), out(0, 2)), joined(send(1, out(1))), send(1, out(0))},
                                       {joined(receive(0, out(1))), receive(0, out(0))});
    program in_place = apart;
    in_place.in_place = true;
    CHECK(verify_modes(apart, in_place).message() == "proven");
    CHECK(verify_modes(apart, unjoined(in_place)).fault.what == flaw::modes_differ);
}

TEST_CASE("Traeff's allreduce takes 20 rounds for 800 ranks, and 45 where what goes round the end is two messages") {
    const program p = tutti::algorithm::write(tutti::algorithm::circulant{}, operation::allreduce, 800);
    CHECK(rounds_of(p) == 20);
    CHECK(rounds_of(unjoined(p)) > 40);
}
