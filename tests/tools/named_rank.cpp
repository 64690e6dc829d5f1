// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/run/named_rank.hpp"

#include "support/catch.hpp"

using tutti::tools::named_rank;

TEST_CASE("an error of the library names the rank at fault, wherever it stands in a line") {
    tutti::fault f;
    f.operation = "allreduce(ring) of 1000 float32, sum";
    f.step = 3;
    f.peer = 12;
    f.host = "h";
    f.detail = "it waits for rank 4, rank 5";
    for (const tutti::cause why : {tutti::cause::lost_peer, tutti::cause::timeout, tutti::cause::aborted}) {
        f.why = why;
        CHECK(named_rank("step 7, rank 1\n  what():  " + tutti::message_of(f) + "\nmore, rank 2\n") == 12);
    }
    f.why = tutti::cause::mismatch; // which names one of two
    CHECK(named_rank(tutti::message_of(f)) == -1);
}

TEST_CASE("other lines name nobody") {
    for (const char* other : {"", "\n", "lost peer, rank 3", "tutti: lost peer", "tutti: lost peer\n, rank 3",
                              "tutti: timeout, rank ", "tutti: timeout, rank x", "tutti: timeout, rank -2"})
        CHECK(named_rank(other) == -1);
}
