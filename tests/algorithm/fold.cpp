// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/fold.hpp>

#include "support/catch.hpp"

using tutti::algorithm::detail::core;

TEST_CASE("the core is the largest power of two, and every rank is in it or hands its data to its upper neighbour") {
    for (int ranks = 1; ranks <= 300; ++ranks) {
        const core c(ranks);
        INFO(ranks << " ranks");
        CHECK((c.size == 1 << c.rounds && c.size <= ranks && 2 * c.size > ranks));
        CHECK(c.extra == ranks - c.size);
        int members = 0, waiting = 0, partners = 0;
        bool neighbours = true;
        for (int rank = 0; rank < ranks; ++rank) {
            members += c.waits(rank) ? 0 : 1;
            waiting += c.waits(rank) ? 1 : 0;
            partners += c.has_partner(rank) ? 1 : 0;
            if (c.waits(rank)) neighbours = neighbours && !c.has_partner(rank) && c.has_partner(rank + 1);
        }
        CHECK((members == c.size && waiting == c.extra && partners == c.extra && neighbours));
    }
}

TEST_CASE("number_of and rank_of are each other's inverse, and keep the order of ranks") {
    for (int ranks = 1; ranks <= 300; ++ranks) {
        const core c(ranks);
        bool inverse = true, ascending = true;
        for (int number = 0; number < c.size; ++number) {
            inverse = inverse && !c.waits(c.rank_of(number)) && c.number_of(c.rank_of(number)) == number;
            ascending = ascending && (number == 0 || c.rank_of(number - 1) < c.rank_of(number));
        }
        for (int rank = 0; rank < ranks; ++rank)
            inverse = inverse && (c.waits(rank) || c.rank_of(c.number_of(rank)) == rank);
        INFO(ranks << " ranks");
        CHECK((inverse && ascending));
    }
}

TEST_CASE("core members stand for their own shard and, before it, their partner's") {
    for (int ranks = 1; ranks <= 300; ++ranks) {
        const core c(ranks);
        bool covered = c.first_shard(0) == 0 && c.first_shard(c.size) == ranks;
        for (int number = 0; number < c.size; ++number) {
            const int rank = c.rank_of(number), first = c.has_partner(rank) ? rank - 1 : rank;
            covered = covered && c.first_shard(number) == first && c.first_shard(number + 1) == rank + 1;
        }
        INFO(ranks << " ranks");
        CHECK(covered);
    }
}
