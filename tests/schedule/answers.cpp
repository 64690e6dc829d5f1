// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/answers.hpp>

#include "hand_made.hpp"
#include "support/catch.hpp"

#include <vector>

using namespace tutti::schedule;

namespace {

using tutti::test::bank;
using tutti::test::combine;
using tutti::test::in;
using tutti::test::out;

answers answers_of(std::vector<step> steps, bool in_place = true) {
    // Who replies to nobody awaits nothing: this one replies to rank 3.
    for (const step& s : {receive(3, bank(9, 3)), combine({in(3), bank(9, 3)}, out(3)), send(3, out(3))})
        steps.push_back(s);
    return {steps, 4, 4, in_place, views(steps, 4, in_place)};
}

/// By step, which message may bring its answer.
std::vector<std::uint32_t> awaited(const std::vector<step>& steps, bool in_place = true) {
    const answers found = answers_of(steps, in_place);
    std::vector<std::uint32_t> all;
    for (std::size_t i = 0; i < steps.size(); ++i) all.push_back(found.awaited_by(i));
    return all;
}

std::vector<answers::reply> replies(const std::vector<step>& steps, int reader) {
    const answers found(steps, 4, 4, true, views(steps, 4, true));
    const auto all = found.of(reader);
    return {all.begin(), all.end()};
}

using numbers = std::vector<std::uint32_t>;

} // namespace

TEST_CASE("a send awaits the message of its peer that goes to the same memory") {
    const std::vector<step> steps{send(1, out(0)), send(2, in(1)), receive(2, out(1)), receive(1, out(0))};
    CHECK(awaited(steps) == numbers{1, 1, 0, 0});
    const answers found = answers_of(steps);
    CHECK_FALSE(found.brings(0));
    CHECK(found.brings(2));
    CHECK(found.brings(3));
    CHECK(awaited({copy(in(0), out(0)), send(1, out(0)), receive(1, out(0))}, false) == numbers{0, 1, 0});
}

TEST_CASE("who replies to nobody awaits no answer") {
    const std::vector<step> steps{send(1, out(0)), receive(1, out(0))};
    const answers found(steps, 4, 4, true, views(steps, 4, true));
    CHECK(found.awaited_by(0) == 0);
    CHECK_FALSE(found.brings(1));
}

TEST_CASE("messages are counted, those of several parts once") {
    CHECK(awaited({send(1, out(0)), receive(2, bank(0)), receive(1, bank(0, 1)), joined(receive(1, out(2))),
                   receive(1, out(3)), receive(1, out(0))}) == numbers{3, 0, 0, 0, 0, 0});
}

TEST_CASE("no answer is awaited where it would not be the next thing that happens to that memory") {
    const numbers none{0, 0, 0};
    CHECK(awaited({send(2, out(0)), send(1, out(0)), receive(1, out(0))}) == none);
    CHECK(awaited({send(1, out(0)), send(2, out(0)), receive(1, out(0))}) == none);
    CHECK(awaited({send(1, out(0)), copy(out(0), bank(0)), receive(1, out(0))}) == none);
    CHECK(awaited({send(1, out(0)), copy(bank(0), out(0)), receive(1, out(0))}) == none);
    CHECK(awaited({send(1, out(0)), reduce(bank(0), out(0), side::left), receive(1, out(0))}) == none);
    CHECK(awaited({send(1, out(0)), receive(2, out(0)), receive(1, out(0))}) == none);
    CHECK(awaited({receive(1, out(0)), send(1, out(0)), copy(in(1), out(1))}) == none);
}

TEST_CASE("no answer is awaited by other memory, from another rank, of another length, or in part") {
    const numbers none{0, 0};
    CHECK(awaited({send(1, out(0)), receive(1, out(1))}) == none);
    CHECK(awaited({send(1, in(0)), receive(1, out(0))}, false) == none);
    CHECK(awaited({send(1, out(0)), receive(2, out(0))}) == none);
    CHECK(awaited({send(1, out(0, 2)), receive(1, out(0))}) == none);
    CHECK(awaited({send(1, out(0)), receive(1, out(0, 2))}) == none);
    CHECK(awaited({send(1, out(0)), receive_reduce(1, out(0), out(0), side::left)}) == none);
    CHECK(awaited({joined(send(1, out(0))), send(1, out(1)), receive(1, out(0)), receive(1, out(1))}) ==
          numbers{0, 0, 0, 0});
    CHECK(awaited({send(1, out(0)), send(1, out(1)), joined(receive(1, out(0))), receive(1, out(1))}) ==
          numbers{0, 0, 0, 0});
    // What comes is viewed again: then it lies where its sender has it.
    CHECK(awaited({send(1, bank(0)), receive(1, bank(0)), combine({in(0), bank(0)}, out(0))}) == numbers{0, 0, 0});
}

TEST_CASE("a reader replies to those whose operands it views, with the message that brings them the result") {
    const std::vector<step> steps{receive(1, bank(0)), receive(2, bank(1)), combine({bank(1), in(0), bank(0)}, out(0)),
                                  send(1, bank(2, 1)), send(1, out(0)),     send(2, in(0)),
                                  send(3, out(0)),     send(1, out(0))};
    CHECK(replies(steps, 2) == std::vector<answers::reply>{{2, 2, 0, 4, 2}, {2, 0, 1, 5, 1}});
    CHECK(replies(steps, 4).empty());
}

TEST_CASE("a reader replies with nothing but its whole result") {
    const auto none = [](std::vector<step> behind) {
        std::vector<step> steps{receive(1, bank(0, 0, 2)), combine({in(0, 2), bank(0, 0, 2)}, out(0, 2))};
        steps.insert(steps.end(), behind.begin(), behind.end());
        return replies(steps, 1).empty();
    };
    CHECK_FALSE(none({send(1, out(0, 2))}));
    CHECK_FALSE(none({copy(out(0, 2), bank(1, 0, 2)), send(1, out(0, 2))}));
    CHECK(none({send(1, out(0))}));
    CHECK(none({send(1, out(0, 3))}));
    CHECK(none({send(2, out(0, 2))}));
    CHECK(none({copy(bank(2), out(0)), send(1, out(0, 2))}));
    CHECK(none({copy(bank(2, 1), out(1)), send(1, out(0, 2))}));
    CHECK(none({copy(out(0, 2), bank(1, 0, 2)), send(1, bank(1, 0, 2))}));
    CHECK(none({joined(send(1, out(0, 2))), send(1, in(3))}));
    // Nor does one that stores its operand.
    CHECK(replies({receive(1, bank(0)), reduce(bank(0), out(0), side::left), send(1, out(0))}, 1).empty());
}
