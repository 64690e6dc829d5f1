// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/placement.hpp>

#include "support/catch.hpp"

#include <vector>

using tutti::schedule::placement;

TEST_CASE("seats count the ranks node by node, nodes by their first ranks") {
    const placement p(std::vector<int>{7, 3, 7, 5, 3, 7});
    CHECK((p.size() == 6 && p.nodes() == 3 && p.most() == 3));
    std::vector<int> ranks, back;
    for (int seat = 0; seat < 6; ++seat) {
        ranks.push_back(p.rank_at(seat));
        back.push_back(p.seat_of(p.rank_at(seat)));
    }
    CHECK(ranks == std::vector{0, 2, 5, 1, 4, 3});
    CHECK(back == std::vector{0, 1, 2, 3, 4, 5});
    CHECK((p.first_seat(0) == 0 && p.first_seat(1) == 3 && p.first_seat(2) == 5 && p.first_seat(3) == 6));
    CHECK((p.node_of(0) == 0 && p.node_of(4) == 1 && p.node_of(3) == 2));
}

TEST_CASE("a width is told where only the last node may have fewer ranks") {
    const auto width = [](const std::vector<int>& nodes) { return placement(nodes).width(); };
    CHECK(width({0}) == 1);
    CHECK(width({0, 0, 0}) == 3);
    CHECK(width({0, 1, 0, 1}) == 2);
    CHECK(width({0, 1, 2, 0, 1}) == 2);
    CHECK(width({0, 1, 1}) == 0);
    CHECK(width({0, 0, 1, 2, 2}) == 0);
    CHECK((placement(std::vector{0, 1, 1, 0}).even() && !placement(std::vector{0, 1, 1}).even()));
}

TEST_CASE("ranks are in order where those of a node follow each other") {
    const auto in_order = [](const std::vector<int>& nodes) { return placement(nodes).in_order(); };
    CHECK((in_order({0}) && in_order({4, 4, 1, 1, 1}) && in_order({9, 2, 5})));
    CHECK_FALSE((in_order({0, 1, 0}) || in_order({0, 0, 1, 0})));
}

TEST_CASE("placements are equal, with equal ids and words, where the same ranks share nodes") {
    const placement a(std::vector{4, 2, 4}), b(std::vector{0, 1, 0}), c(std::vector{0, 1, 1});
    CHECK((a == b && a.id() == b.id() && a.in_words() == b.in_words()));
    CHECK_FALSE((a == c || a.id() == c.id() || a.in_words() == c.in_words()));
    CHECK(a.in_words() == "ranks on nodes 0 1 0");
}
