// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/shared_memory.hpp>

#include "victims.hpp"

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

constexpr auto enter_shared_memory = [](int rank, int size, const reserved_port& at) {
    communicator world{transport::shared_memory{identity(rank, size, at)}};
    world.default_deadline(deadline);
    return world;
};

/// One rank stays outside while the others call; all are told, it in its next call, whatever of theirs it finds there.
template <class Enter>
void stay_outside(const Enter& enter, std::size_t count, int size, int absent, pastime how, const algorithm::any& a) {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = enter(rank, size, at);
        std::vector<int> data(count, 1);
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
        stay_outside(over_tcp, 100'000, 4, absent, pastime::sleeps, algorithm::ring{});
    }
}

TEST_CASE("so it is when it computes, and under other algorithms") {
    stay_outside(over_tcp, 100'000, 4, 1, pastime::computes, algorithm::ring{});
    stay_outside(over_tcp, 100'000, 3, 0, pastime::computes, algorithm::binomial_tree{});
    stay_outside(over_tcp, 100'000, 4, 3, pastime::sleeps, algorithm::double_binary_tree{});
    stay_outside(over_tcp, 100'000, 2, 1, pastime::sleeps, algorithm::butterfly{});
}

TEST_CASE("it learns so from its call, even where all the others' data are there already") {
    for (const std::size_t count : {std::size_t{4}, std::size_t{100'000}})
        for (const int size : {2, 4}) {
            CAPTURE(count, size);
            stay_outside(enter_shared_memory, count, size, 1, pastime::sleeps, algorithm::butterfly{});
            stay_outside(over_tcp, count, size, 1, pastime::sleeps, algorithm::butterfly{});
        }
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
