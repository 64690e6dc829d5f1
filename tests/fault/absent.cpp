// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

enum class pastime { sleeps, computes };

void be_elsewhere(pastime how, std::chrono::milliseconds time) {
    const auto end = std::chrono::steady_clock::now() + time;
    if (how == pastime::sleeps) return std::this_thread::sleep_until(end);
    while (std::chrono::steady_clock::now() < end) {
    }
}

/// One rank stays outside while the others call; all are told, it in its next call.
void stay_outside(int size, int absent, pastime how, const algorithm::any& a) {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = join(rank, size, at);
        std::vector<int> data(100'000, 1);
        world.allreduce(data, maximum, a);
        if (rank == absent) be_elsewhere(how, 1800ms);
        expect(fails(mine, [&] { world.allreduce(data, maximum, a); }), "a call that is not made by all fails");
        expect_refusal(world, mine.error[0]);
    });
    check_ended(ranks);
    for (int r = 0; r < size; ++r) {
        INFO("rank " << r);
        check_blames(ranks.of(r), cause::timeout, absent);
        const auto& e = ranks.of(r).error[0];
        if (r == absent)
            CHECK(e.told - e.called <= at_once);
        else
            CHECK(e.told - e.called >= deadline);
        CHECK(e.message.str().find("has not joined the call") != std::string::npos);
    }
}

} // namespace

TEST_CASE("in a ring the rank that has not come is named, not the neighbour that everybody waits for") {
    for (int absent = 0; absent < 4; ++absent) {
        CAPTURE(absent);
        stay_outside(4, absent, pastime::sleeps, algorithm::ring{});
    }
}

TEST_CASE("so it is when it computes, and under other algorithms") {
    stay_outside(4, 1, pastime::computes, algorithm::ring{});
    stay_outside(3, 0, pastime::computes, algorithm::binomial_tree{});
    stay_outside(4, 3, pastime::sleeps, algorithm::double_binary_tree{});
    stay_outside(2, 1, pastime::sleeps, algorithm::butterfly{});
}

TEST_CASE("a rank that comes late, but before the deadline, is no fault") {
    const reserved_port at;
    processes ranks(3, [&](int rank, account&) {
        const auto world = join(rank, 3, at).with_deadline(patience / 2);
        std::vector<int> data(100'000, rank);
        if (rank == 2) be_elsewhere(pastime::sleeps, deadline / 2);
        world.allreduce(data, sum, algorithm::ring{});
        expect(data[77'777] == 3, "a late rank's data count");
    });
    check_ended(ranks);
}
