// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// One rank aborts: rank `outside` learns at its next call, the others are inside one.
void abort_from(int who, int outside) {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = join(rank, size, at);
        std::vector<int> data(100'000, 1);
        world.allreduce(data, maximum, algorithm::ring{});
        if (rank == who) {
            std::this_thread::sleep_for(100ms);
            mine.error[1].called = std::chrono::steady_clock::now();
            world.abort("the disk is full");
        }
        if (rank == outside) std::this_thread::sleep_for(400ms);
        expect(fails(mine, [&] { world.allreduce(data, maximum, algorithm::ring{}); }), "an abort ends a call");
        expect_refusal(world, mine.error[0]);
    });
    check_ended(ranks);
    const moment aborted = ranks.of(who).error[1].called;
    for (int r = 0; r < size; ++r) {
        INFO("rank " << r);
        check_blames(ranks.of(r), cause::aborted, who);
        const auto& e = ranks.of(r).error[0];
        CHECK(e.message.str().find("the disk is full") != std::string::npos);
        CHECK(e.told - (r == outside ? e.called : aborted) <= at_once);
    }
}

} // namespace

TEST_CASE("an abort ends the calls of all ranks, and the next call of a rank that is outside") {
    for (int who = 0; who < size; ++who) {
        CAPTURE(who);
        abort_from(who, (who + 2) % size);
    }
}

TEST_CASE("an abort of one communicator leaves the others alone") {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = join(rank, size, at);
        const auto half = world.split(rank % 2), other = world.duplicate();
        if (rank == 3) half.abort("no more of this half");
        std::vector<int> data(100'000, 1);
        if (rank % 2 == 1) {
            expect(fails(mine, [&] { half.allreduce(data, sum); }), "an abort reaches its communicator");
            expect(mine.error[0].why == cause::aborted && mine.error[0].peer == 3, "an abort has an author");
        } else {
            half.allreduce(data, sum);
            expect(data[5] == 2, "the other half goes on");
        }
        std::vector<int> ones(1000, 1);
        world.allreduce(ones, sum);
        other.allreduce(ones, sum);
        expect(ones[999] == size * size, "what was not aborted goes on");
    });
    check_ended(ranks);
}
