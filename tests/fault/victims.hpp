// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "ranks.hpp"

#include <random>

/// What happens to one rank of a world at work, and what the others must say of it. `enter(rank, size, at)` gives a
/// rank's communicator, over whatever transport is tested.
namespace tutti::test {

/// Large allreduces one after the other until one fails.
template <class Enter>
void work_until_error(const Enter& enter, int rank, int size, const reserved_port& at, account& mine,
                      const algorithm::any& how, std::size_t count) {
    const auto world = enter(rank, size, at);
    std::vector<float> data(count, 1.0f);
    mine.stage.store(1, std::memory_order_release);
    call_until_error(mine, [&] { world.allreduce(data, maximum, how); });
    expect_refusal(world, mine.error[0]);
}

/// Kills one rank after `pause`; every other rank must say who it was, in time, and end.
template <class Enter>
void kill_one(const Enter& enter, int size, int victim, std::chrono::microseconds pause, const algorithm::any& how) {
    const reserved_port at;
    processes ranks(size,
                    [&](int rank, account& mine) { work_until_error(enter, rank, size, at, mine, how, 1 << 20); });
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

template <class Enter>
void kill_at_random_moments(const Enter& enter, int size, int victim, int times) {
    std::mt19937 random(static_cast<unsigned>(100 * size + victim));
    for (int i = 0; i < times; ++i) {
        const std::chrono::microseconds pause(random() % 40'000);
        CAPTURE(size, victim, pause.count());
        kill_one(enter, size, victim, pause, algorithm::ring{});
    }
}

/// The root of the waiting is named: a rank whose connections all look well, but which does nothing.
inline void check_blames_stopped(const account& a, int victim, moment stopped) {
    check_blames(a, a.error[0].why, victim);
    // A stopped rank 0 takes the control plane with it, so that it is lost rather than late.
    CHECK((a.error[0].why == cause::timeout || (victim == 0 && a.error[0].why == cause::lost_peer)));
    CHECK(a.error[0].told - stopped <= deadline + beyond);
}

/// Stops one rank; every other rank must say who it was, in time. Lets it go on; then it must learn of that.
template <class Enter>
void stop_one(const Enter& enter, int size, int victim) {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        work_until_error(enter, rank, size, at, mine, algorithm::ring{}, 1 << 18);
    });
    ranks.await_stage(1);
    std::this_thread::sleep_for(10ms);
    const moment stopped = ranks.send(victim, SIGSTOP);
    for (int r = 0; r < size; ++r)
        if (r != victim) {
            INFO("rank " << r);
            ranks.await_error(r);
            check_blames_stopped(ranks.of(r), victim, stopped);
        }
    // Nobody needs the stopped rank to come to its end, but rank 0 stays a while for those who have not left.
    for (int r = 1; r < size; ++r)
        if (r != victim) CHECK(ranks.end(r) == "");

    const moment continued = ranks.send(victim, SIGCONT);
    ranks.await_error(victim);
    CHECK(ranks.of(victim).error[0].told - continued <= beyond);
    check_ended(ranks);
    CHECK(ranks.ended_at(victim) - continued <= 3s);
    CHECK(ranks.ended_at(0) - continued <= 3s);
}

/// Rank 2 aborts while the others wait for it, asleep; each must learn who did it, and why.
template <class Enter>
void abort_by_one(const Enter& enter, int size) {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = enter(rank, size, at);
        std::vector<float> data(1000, 1.0f);
        world.allreduce(data, sum);
        mine.stage.store(1, std::memory_order_release);
        if (rank == 2) {
            std::this_thread::sleep_for(50ms); // the others wait for it by then, asleep
            world.abort("rank 2 has had enough");
        }
        call_until_error(mine, [&] { world.allreduce(data, sum); });
    });
    check_ended(ranks);
    for (int r = 0; r < size; ++r) {
        CAPTURE(r);
        check_blames(ranks.of(r), cause::aborted, 2);
        CHECK(ranks.of(r).error[0].message.str().find("has had enough") != std::string::npos);
    }
}

} // namespace tutti::test
