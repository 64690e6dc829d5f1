// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

#include "fault/victims.hpp"

#include <cstdlib>
#include <optional>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr auto over_verbs = [](int rank, int ranks, const reserved_port& at) {
    communicator world{transport::verbs{identity(rank, ranks, at)}};
    world.default_deadline(deadline);
    return world;
};

constexpr auto over_the_pair = [](int rank, int ranks, const reserved_port& at) {
    auto limits = on_either_end(rank);
    limits.retries = 2;
    limits.timeout = 13; // 34 ms
    communicator world{transport::verbs{identity(rank, ranks, at), limits}};
    world.default_deadline(10s);
    return world;
};

} // namespace

TEST_CASE("over verbs too a killed rank is named in time") {
    const int ranks = GENERATE(2, 3);
    for (int victim = 0; victim < ranks; ++victim) kill_at_random_moments(over_verbs, ranks, victim, 3);
}

TEST_CASE("over verbs too a stopped rank is named in time, and learns when it goes on") {
    for (int victim = 0; victim < 3; ++victim) {
        CAPTURE(victim);
        stop_one(over_verbs, 3, victim);
    }
}

TEST_CASE("over verbs too an abort reaches everyone") { abort_by_one(over_verbs, size); }

TEST_CASE("a link that goes down, or an address, is told on every rank, with what the device has said") {
    struct fault {
        const char *breaks, *mends, *told;
    };
    const fault how = GENERATE(fault{"ip link set va down", "ip link set va up", "port error"},
                               fault{"ip addr del 10.9.0.1/24 dev va", "ip addr add 10.9.0.1/24 dev va", "GID"});
    CAPTURE(how.breaks);
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        work_until_error(over_the_pair, rank, 2, at, mine, algorithm::ring{}, 1 << 18);
    });
    ranks.await_stage(1);
    while (ranks.of(0).calls.load(std::memory_order_acquire) == 0) std::this_thread::sleep_for(10ms);
    const auto [breaks, mends, told] = how;
    REQUIRE(std::system(breaks) == 0);
    for (int r = 0; r < 2; ++r) ranks.await_error(r);
    check_ended(ranks);
    CHECK(std::system(mends) == 0);
    for (int r = 0; r < 2; ++r) {
        const auto& e = ranks.of(r).error[0];
        const auto text = e.message.str();
        CAPTURE(r, text);
        CHECK(e.told - e.called < 5s);
        // The device's word, or what became of the packets: the other end of the cable may know no more.
        CHECK((text.find(told) != text.npos || text.find("work completion status") != text.npos));
    }
}

TEST_CASE("a child that a rank forks may drop its world: the rank goes on, and its memory is its own") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        std::optional<communicator<transport::verbs>> world{over_verbs(rank, 2, at)};
        auto mine = world->allocate<int>(100'000);
        const auto add = [&] {
            std::fill(mine.begin(), mine.end(), rank + 1);
            world->allreduce(mine, sum, algorithm::ring{});
            expect(mine[0] == 3 && mine[99'999] == 3, "it is the sum");
        };
        add();
        child forked([&] {
            mine[0] = -1;
            world.reset();
        });
        add();
        expect(forked.end().empty(), "the child ends well");
        add();
    });
    check_ended(ranks);
}
