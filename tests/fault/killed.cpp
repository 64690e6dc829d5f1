// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

#include <random>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr auto moments = 12;

/// Large allreduces one after the other until one fails.
void work(int rank, int size, const reserved_port& at, account& mine, const algorithm::any& how) {
    const auto world = join(rank, size, at);
    std::vector<float> data(1 << 20, 1.0f);
    mine.stage.store(1, std::memory_order_release);
    call_until_error(mine, [&] { world.allreduce(data, maximum, how); });
    expect_refusal(world, mine.error[0]);
}

/// Kills one rank of a world at work after `pause`; every other rank must say who it was, in time, and end.
void kill_one(int size, int victim, std::chrono::microseconds pause, const algorithm::any& how) {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) { work(rank, size, at, mine, how); });
    ranks.await_stage(1);
    std::this_thread::sleep_for(pause);
    const moment killed = ranks.send(victim, SIGKILL);
    CHECK(ranks.end(victim) == "signal 9");
    check_ended(ranks, victim);
    for (int r = 0; r < size; ++r) {
        if (r == victim) continue;
        INFO("rank " << r);
        check_blames(ranks.of(r), cause::lost_peer, victim);
        CHECK(ranks.of(r).error[0].told - killed <= deadline + beyond);
        CHECK(ranks.ended_at(r) - ranks.of(r).error[0].told <= 3s);
    }
}

void kill_at_random_moments(int size, int victim, const algorithm::any& how) {
    std::mt19937 random(static_cast<unsigned>(100 * size + victim));
    for (int i = 0; i < moments; ++i) {
        const std::chrono::microseconds pause(random() % 40'000);
        CAPTURE(size, victim, pause.count());
        kill_one(size, victim, pause, how);
    }
}

} // namespace

TEST_CASE("whichever rank is killed in mid-collective, at whatever moment, all others name it in time") {
    const int size = GENERATE(3, 4);
    for (int victim = 0; victim < size; ++victim) kill_at_random_moments(size, victim, algorithm::ring{});
}

TEST_CASE("a killed rank is named in a world of two, and in one of eight") {
    for (const auto& [size, victim] : {std::pair{2, 0}, {2, 1}, {8, 0}, {8, 5}}) {
        CAPTURE(size, victim);
        kill_one(size, victim, 20ms, algorithm::ring{});
    }
}

TEST_CASE("a killed rank is named under every algorithm") {
    int victim = 0;
    for (const auto& how : algorithm::all(2)) {
        CAPTURE(how.name(), victim);
        kill_one(4, victim, 15ms, how);
        victim = (victim + 1) % 4;
    }
}
