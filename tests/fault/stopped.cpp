// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

void work(int rank, int size, const reserved_port& at, account& mine) {
    const auto world = join(rank, size, at);
    std::vector<float> data(1 << 18, 1.0f);
    mine.stage.store(1, std::memory_order_release);
    call_until_error(mine, [&] { world.allreduce(data, maximum, algorithm::ring{}); });
    expect_refusal(world, mine.error[0]);
}

/// The root of the waiting is named: a rank whose connections all look well, but which does nothing.
void check_blames_stopped(const account& a, int victim, moment stopped) {
    check_blames(a, a.error[0].why, victim);
    // A stopped rank 0 takes the control plane with it, so that it is lost rather than late.
    CHECK((a.error[0].why == cause::timeout || (victim == 0 && a.error[0].why == cause::lost_peer)));
    CHECK(a.error[0].told - stopped <= deadline + beyond);
}

void stop_one(int size, int victim) {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) { work(rank, size, at, mine); });
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

} // namespace

TEST_CASE("whichever rank is stopped in mid-collective, all others name it in time, and it learns when it goes on") {
    const int size = GENERATE(3, 4);
    for (int victim = 0; victim < size; ++victim) {
        CAPTURE(size, victim);
        stop_one(size, victim);
    }
}

TEST_CASE("a stopped rank is named in a world of two, and in one of eight") {
    for (const auto& [size, victim] : {std::pair{2, 0}, {2, 1}, {8, 3}}) {
        CAPTURE(size, victim);
        stop_one(size, victim);
    }
}

TEST_CASE("a rank that goes on before anyone's deadline has done no harm") {
    constexpr int size = 3;
    for (int victim = 0; victim < size; ++victim) {
        CAPTURE(victim);
        const reserved_port at;
        processes ranks(size, [&](int rank, account& mine) {
            const auto world = join(rank, size, at).with_deadline(patience / 2);
            std::vector<int> data(100'000, 1);
            int agreed = 0;
            mine.stage.store(1, std::memory_order_release);
            while (agreed == 0) {
                world.allreduce(data, maximum, algorithm::ring{});
                const int late = rank == 0 && mine.stage.load(std::memory_order_acquire) == 2;
                world.allreduce(std::span(&late, 1), std::span(&agreed, 1), maximum);
                mine.calls.fetch_add(1, std::memory_order_release);
            }
        });
        ranks.await_stage(1);
        ranks.send(victim, SIGSTOP);
        std::this_thread::sleep_for(deadline / 2);
        const int before = ranks.of(victim).calls.load(std::memory_order_acquire);
        ranks.send(victim, SIGCONT);
        ranks.await(victim, "more calls",
                    [&](const account& a) { return a.calls.load(std::memory_order_acquire) > before + 2; });
        ranks.of(0).stage.store(2, std::memory_order_release);
        check_ended(ranks);
    }
}
