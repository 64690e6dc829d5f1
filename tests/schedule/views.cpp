// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/views.hpp>

#include "hand_made.hpp"
#include "support/catch.hpp"

#include <vector>

using namespace tutti::schedule;

namespace {

using tutti::test::bank;
using tutti::test::combine;
using tutti::test::in;
using tutti::test::out;

/// By step, who reads what it receives where it lies; -1 for what is to be stored.
std::vector<int> readers(const std::vector<step>& steps, bool in_place = false) {
    const views found(steps, 4, in_place);
    std::vector<int> all;
    for (int i = 0; i < static_cast<int>(steps.size()); ++i) all.push_back(found.reader_of(i));
    return all;
}

} // namespace

TEST_CASE("what one reduce_many alone reads may be viewed") {
    CHECK(readers({receive(1, bank(0)), receive(2, bank(1)), combine({in(0), bank(0), bank(1)}, out(0))}) ==
          std::vector<int>{2, 2, -1});
    CHECK(readers({receive(1, bank(0, 1, 2)), combine({bank(0, 1, 2), in(1, 2)}, out(1, 2))}) ==
          std::vector<int>{1, -1});
}

TEST_CASE("a reader knows which receive is which of its operands") {
    const std::vector<step> steps{receive(1, bank(0)), receive(2, bank(1)), combine({bank(1), in(0)}, bank(1)),
                                  receive(3, bank(2)), combine({bank(0), bank(1), bank(2)}, out(0))};
    const views found(steps, 4, false);
    REQUIRE(found.of(2).size() == 1);
    CHECK(found.of(2)[0] == views::operand{1, 0});
    REQUIRE(found.of(4).size() == 2);
    CHECK(found.of(4)[0] == views::operand{0, 0});
    CHECK(found.of(4)[1] == views::operand{3, 2});
    CHECK(found.of(0).empty());
}

TEST_CASE("scratch that is used again is judged anew") {
    CHECK(readers({receive(1, bank(0)), combine({bank(0), in(0)}, bank(1)), receive(1, bank(0)),
                   combine({bank(0), bank(1)}, out(0)), receive(1, bank(0)), send(2, bank(0))}) ==
          std::vector<int>{1, -1, 3, -1, -1, -1});
}

TEST_CASE("a sum may go where an operand would have been stored") {
    CHECK(readers({receive(1, bank(0)), combine({in(0), bank(0)}, bank(0)), send(2, bank(0))}) ==
          std::vector<int>{1, -1, -1});
}

TEST_CASE("what others read as well, what nobody reads, and what is read in parts is stored") {
    const std::vector<int> none{-1, -1, -1};
    CHECK(readers({receive(1, bank(0)), combine({in(0), bank(0)}, out(0)), send(2, bank(0))}) == none);
    CHECK(readers({receive(1, bank(0)), send(2, bank(0)), combine({in(0), bank(0)}, out(0))}) == none);
    CHECK(readers({receive(1, bank(0)), combine({in(0), bank(0)}, out(0)), combine({out(0), bank(0)}, out(0))}) ==
          none);
    CHECK(readers({receive(1, bank(0)), combine({bank(0), bank(0)}, out(0)), copy(in(1), out(1))}) == none);
    CHECK(readers({receive(1, bank(0)), reduce(bank(0), out(0), side::left), copy(in(1), out(1))}) == none);
    CHECK(readers({receive(1, bank(0)), reduce(in(0), bank(0), side::left), combine({in(0), bank(0)}, out(0))}) ==
          none);
    CHECK(readers({receive(1, bank(0, 0, 2)), combine({in(0), bank(0)}, out(0)),
                   combine({in(1), bank(0, 1)}, out(1))}) == none);
    CHECK(readers({receive(1, bank(0)), receive(1, bank(0, 1)), combine({in(0, 2), bank(0, 0, 2)}, out(0, 2))}) ==
          none);
    CHECK(readers({receive(1, bank(0, 0, 2)), receive(2, bank(0, 1)), combine({in(0, 2), bank(0, 0, 2)}, out(0, 2))}) ==
          none);
    CHECK(readers({receive(1, bank(0)), combine({in(0), in(0)}, out(0)), copy(in(1), out(1))}) == none);
}

TEST_CASE("what comes into the output, or is reduced as it comes, is no view") {
    CHECK(readers({receive(1, out(0)), combine({in(0), out(0)}, bank(0))}) == std::vector<int>{-1, -1});
    CHECK(readers({receive(1, out(0)), combine({in(0), bank(0)}, bank(0))}, true) == std::vector<int>{-1, -1});
    CHECK(readers({receive_reduce(1, in(0), bank(0), side::left), combine({in(0), bank(0)}, out(0))}) ==
          std::vector<int>{-1, -1});
}

TEST_CASE("without a reduce_many there is nothing to view") {
    const views found({receive(1, bank(0)), send(2, bank(0))}, 4, false);
    CHECK((found.reader_of(0) == -1 && found.of(1).empty()));
    CHECK((views{}.reader_of(7) == -1 && views{}.of(7).empty()));
}
