// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/lowering/cells.hpp>
#include <collectives/schedule/lowering/order.hpp>

#include "hand_made.hpp"
#include "support/catch.hpp"

#include <vector>

using namespace tutti::schedule;
using tutti::test::bank;
using tutti::test::in;
using tutti::test::out;

TEST_CASE("a cell is a range of chunks that no step divides") {
    const std::vector<step> steps{send(1, in(10, 40)), receive(1, out(30, 50))};
    const cells c(steps, 100);
    CHECK(c.count() == 3); // from 10, 30 and 50
    CHECK(c.of(in(10, 40)) == in(0, 2));
    CHECK(c.of(out(30, 50)) == out(1, 2));
    const std::vector<step> same = c.of(steps);
    CHECK(same[0].from == in(0, 2));
    CHECK(same[1].to == out(1, 2));
    CHECK(same[0].peer == 1);
}

TEST_CASE("a place that a step does not use bounds no cell, and stays as it is") {
    constexpr int most = 2147483647;
    step sending = send(1, in(10, 40));
    sending.to = out(most, most);
    const cells c({sending}, 100);
    CHECK(c.count() == 1);
    CHECK(c.of(std::vector<step>{sending}) == std::vector<step>{[&] {
              step s = sending;
              s.from = in(0, 1);
              return s;
          }()});
}

TEST_CASE("an empty place has no cells") {
    const cells c({send(1, in(3, 0)), send(1, in(2, 4))}, 100);
    CHECK(c.of(in(3, 0)).count == 0);
    CHECK(c.of(in(2, 4)).count == 2);
}

TEST_CASE("few chunks are their own cells") {
    const cells c({send(1, in(0, 2)), receive(1, out(0, 2))}, 2);
    CHECK(c.count() == 2);
    CHECK(c.of(bank(1, 0, 2)) == bank(1, 0, 2));
    CHECK(cells({}, 7).count() == 0);
}

TEST_CASE("the order of steps on a million chunks is that of the same steps on few") {
    constexpr int wide = 1'000'000;
    const auto steps = [](int w) {
        return std::vector<step>{send(1, in(0, 2 * w)), receive_reduce(1, in(w, 2 * w), out(w, 2 * w), side::left),
                                 send(2, out(2 * w, w)), receive(2, out(0, 2 * w)),
                                 copy(out(3 * w, w), bank(0, 3 * w, w))};
    };
    for (const bool in_place : {false, true}) {
        const order few = order_of(steps(1), 3, 4, in_place), many = order_of(steps(wide), 3, 4 * wide, in_place);
        CHECK(few.waits == many.waits);
        CHECK(few.first == many.first);
        CHECK(few.followers == many.followers);
        CHECK(few.next_on_channel == many.next_on_channel);
    }
}
