// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/bench/exchange.hpp"

#include "support/catch.hpp"

using namespace tutti::tools;

TEST_CASE("each rank of a pair has the other one as its partner, and one of them begins") {
    for (const bool halves : {false, true})
        for (int ranks = 2; ranks <= 9; ++ranks)
            for (int pairs = 1; pairs <= ranks / 2; ++pairs) {
                const pairing p{halves, ranks, pairs};
                int members = 0, beginners = 0;
                for (int r = 0; r < ranks; ++r) {
                    const auto partner = p.partner_of(r);
                    CHECK(partner.has_value() == p.pair_of(r).has_value());
                    if (!partner) continue;
                    ++members;
                    beginners += p.begins(r);
                    REQUIRE((*partner >= 0 && *partner < ranks && *partner != r));
                    CHECK(p.partner_of(*partner) == r);
                    CHECK(p.pair_of(*partner) == p.pair_of(r));
                    CHECK(p.begins(*partner) != p.begins(r));
                }
                CHECK(members == 2 * pairs);
                CHECK(beginners == pairs);
            }
}

TEST_CASE("pairs of halves are as far apart as half of the ranks, others are neighbours") {
    CHECK(pairing{true, 8, 4}.partner_of(1) == 5);
    CHECK(pairing{true, 8, 4}.partner_of(7) == 3);
    CHECK(pairing{false, 8, 4}.partner_of(7) == 6);
    CHECK(!pairing{true, 5, 2}.partner_of(4));
    CHECK(!pairing{false, 5, 2}.partner_of(4));
    CHECK(!pairing{true, 8, 1}.partner_of(1));
    CHECK(!pairing{false, 8, 1}.partner_of(2));
}

TEST_CASE("data come from the partner, in a ring from the rank before, and to the beginner of a stream not at all") {
    const pairing all{false, 4, 2}, halves{true, 4, 2};
    CHECK(source_of(exchange::pingpong, 0, all) == 1);
    CHECK(source_of(exchange::bistream, 2, all) == 3);
    CHECK(source_of(exchange::sendrecv, 0, all) == 3);
    CHECK(!source_of(exchange::stream, 0, all));
    CHECK(source_of(exchange::stream, 1, all) == 0);
    CHECK(!source_of(exchange::message_rate, 1, halves));
    CHECK(source_of(exchange::message_rate, 3, halves) == 1);
}

TEST_CASE("a pair by itself leaves all others out") {
    const pairing p{false, 5, 1, std::pair{1, 4}};
    CHECK(p.partner_of(1) == 4);
    CHECK(p.partner_of(4) == 1);
    CHECK(p.begins(1));
    CHECK(!p.begins(4));
    for (const int other : {0, 2, 3}) CHECK(!p.pair_of(other));
}
