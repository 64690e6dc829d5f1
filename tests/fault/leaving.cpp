// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

#include <transport/control/rendezvous_thread.hpp>

using namespace tutti;
using namespace tutti::test;

namespace {

void expect_sum(const world_of_processes& among, std::size_t count) {
    std::vector<int> ones(count, 1);
    among.allreduce(ones, sum, algorithm::ring{});
    expect(ones == std::vector<int>(count, among.size()), "who stays goes on");
}

/// Works for a while, so that what comes later than an event comes into calls.
void work_on(const world_of_processes& among, std::chrono::milliseconds time) {
    int enough = 0;
    const auto end = std::chrono::steady_clock::now() + time;
    while (enough == 0) {
        expect_sum(among, 50'000);
        const int mine = std::chrono::steady_clock::now() > end;
        among.allreduce(std::span(&mine, 1), std::span(&enough, 1), minimum);
    }
}

} // namespace

TEST_CASE("a rank may finish and leave while the others work without it") {
    for (int early = 0; early < size; ++early) {
        CAPTURE(early);
        const reserved_port at;
        processes ranks(size, [&](int rank, account&) {
            const auto world = join(rank, size, at);
            const auto part = world.split(rank == early);
            expect_sum(world, 100'000);
            if (rank != early) work_on(part, 300ms);
        });
        check_ended(ranks);
    }
}

TEST_CASE("what a rank has sent arrives although it leaves at once") {
    for (int root = 0; root < 3; ++root)
        for (const std::size_t count : {std::size_t{10}, std::size_t{2'000'000}}) {
            CAPTURE(root, count);
            const reserved_port at;
            processes ranks(3, [&](int rank, account&) {
                const auto world = join(rank, 3, at);
                std::vector<int> data(count, rank == root ? 42 : 0);
                world.broadcast(data, root);
                expect(data == std::vector<int>(count, 42), "all that was sent arrives");
                std::vector<int> out(count);
                world.reduce(data, out, (root + 1) % 3, sum);
            });
            check_ended(ranks);
        }
}

TEST_CASE("a rank that leaves while the others wait for it is named") {
    for (int early = 0; early < size; ++early) {
        CAPTURE(early);
        const reserved_port at;
        processes ranks(size, [&](int rank, account& mine) {
            const auto world = join(rank, size, at);
            expect_sum(world, 1000);
            if (rank == early) return;
            expect(fails(mine, [&] { expect_sum(world, 100'000); }), "a call without one of its ranks fails");
            expect_refusal(world, mine.error[0]);
        });
        check_ended(ranks);
        for (int r = 0; r < size; ++r)
            if (r != early) {
                INFO("rank " << r);
                check_blames(ranks.of(r), cause::lost_peer, early);
                CHECK(ranks.of(r).error[0].message.str().find("has left") != std::string::npos);
            }
    }
}

TEST_CASE("communicators without the lost rank go on, those with it do not") {
    for (int victim = 1; victim < size; ++victim) {
        CAPTURE(victim);
        const reserved_port at;
        processes ranks(size, [&](int rank, account& mine) {
            const auto world = join(rank, size, at);
            const auto others = world.split(rank == victim), again = others.duplicate();
            const auto half = world.split(rank / 2);
            expect_sum(half, 100'000);
            if (rank == victim) await_death(mine, 1);
            mine.stage.store(1, std::memory_order_release);
            call_until_error(mine, [&] { expect_sum(world, 100'000); });
            work_on(others, 100ms);
            work_on(again, 100ms);
            if (rank / 2 != victim / 2) return work_on(half, 100ms);
            expect(fails(mine, [&] { expect_sum(half, 1000); }), "a communicator with a lost rank fails");
        });
        ranks.await_stage(1);
        ranks.send(victim, SIGKILL);
        CHECK(ranks.end(victim) == "signal 9");
        check_ended(ranks, victim);
        for (int r = 0; r < size; ++r)
            if (r != victim) {
                INFO("rank " << r);
                check_blames(ranks.of(r), cause::lost_peer, victim);
                const auto& second = ranks.of(r).error[1];
                if (r / 2 == victim / 2) CHECK((second.peer == victim && second.told - second.called <= at_once));
            }
    }
}

TEST_CASE("without rank 0 there is no control plane, but the others' communicators go on, and end in time") {
    const bool dies = GENERATE(true, false);
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = join(rank, size, at);
        const auto others = world.split(rank == 0);
        expect_sum(others, 1000);
        if (rank == 0) await_death(mine, 1);
        mine.stage.store(1, std::memory_order_release);
        call_until_error(mine, [&] { expect_sum(world, 100'000); });
        work_on(others, 200ms);
        if (rank == 1 && dies) await_death(mine, 2);
        mine.stage.store(2, std::memory_order_release);
        if (rank == 1)
            std::this_thread::sleep_for(deadline + beyond);
        else
            expect(fails(mine, [&] { expect_sum(others, 100'000); }), "a call without one of its ranks fails");
    });
    ranks.await_stage(1);
    ranks.send(0, SIGKILL);
    CHECK(ranks.end(0) == "signal 9");
    for (int r = 1; r < size; ++r) ranks.await_stage(r, 2);
    if (dies) {
        ranks.send(1, SIGKILL);
        CHECK(ranks.end(1) == "signal 9");
    }
    for (int r = 1; r < size; ++r) {
        if (r == 1 && dies) continue;
        INFO("rank " << r);
        CHECK(ranks.end(r) == "");
        check_blames(ranks.of(r), cause::lost_peer, 0);
        if (r == 1) continue;
        const auto& second = ranks.of(r).error[1];
        INFO(second.message.str());
        CHECK((!dies || second.peer != 0));
        CHECK(second.told - second.called <= (dies ? deadline : deadline + beyond));
    }
}

TEST_CASE("when rank 0 has long left in good order, the others still name a rank that dies") {
    // So long rank 0's process stays, and its control plane with it.
    const auto stay = transport::bootstrap::rendezvous_thread::settings{}.linger;
    const int victim = 2;
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto others = join(rank, size, at).split(rank == 0);
        if (rank == 0) return;
        work_on(others, stay + 300ms);
        if (rank == victim) await_death(mine, 1);
        mine.stage.store(1, std::memory_order_release);
        expect(fails(mine, [&] { expect_sum(others, 100'000); }), "a call without one of its ranks fails");
        expect_refusal(others, mine.error[0]);
    });
    CHECK(ranks.end(0) == "");
    for (int r = 1; r < size; ++r) ranks.await_stage(r, 1);
    ranks.send(victim, SIGKILL);
    CHECK(ranks.end(victim) == "signal 9");
    check_ended(ranks, victim);
    for (const int r : {1, 3}) {
        INFO("rank " << r);
        check_blames(ranks.of(r), cause::lost_peer, victim);
    }
}

TEST_CASE("rank 0 leaves without waiting for a rank that has missed a deadline") {
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) {
        {
            const auto world = join(rank, 3, at);
            expect_sum(world, 1000);
            if (rank == 1) std::this_thread::sleep_for(2 * (deadline + beyond));
            fails(mine, [&] { world.barrier(); });
        }
        mine.stage.store(1, std::memory_order_release);
    });
    for (const int r : {0, 2}) {
        CAPTURE(r);
        ranks.await_stage(r, 1);
        check_blames(ranks.of(r), cause::timeout, 1);
        CHECK(std::chrono::steady_clock::now() - ranks.of(r).error[0].told < 1s);
    }
    check_ended(ranks);
    check_blames(ranks.of(1), cause::timeout, 1);
}

TEST_CASE("requests under way end with the error, whether they are waited for or dropped") {
    for (int victim = 0; victim < size; ++victim) {
        CAPTURE(victim);
        const reserved_port at;
        processes ranks(size, [&](int rank, account& mine) {
            const auto world = join(rank, size, at);
            std::vector<std::vector<int>> data(6, std::vector<int>(100'000, 1));
            expect_sum(world, 1000);
            if (rank == victim) await_death(mine, 1);
            mine.stage.store(1, std::memory_order_release);
            auto kept = world.async().allreduce(data[0], sum);
            {
                auto dropped = world.async().allreduce(data[1], sum, algorithm::ring{});
                auto waiting = world.duplicate().async().allreduce(data[2], sum, algorithm::butterfly{});
            }
            expect(fails(mine, [&] { kept.wait(); }), "a request ends with the error");
            expect_refusal(world, mine.error[0]);
        });
        ranks.await_stage(1);
        std::this_thread::sleep_for(20ms);
        ranks.send(victim, SIGKILL);
        CHECK(ranks.end(victim) == "signal 9");
        check_ended(ranks, victim);
        for (int r = 0; r < size; ++r)
            if (r != victim) {
                INFO("rank " << r);
                check_blames(ranks.of(r), cause::lost_peer, victim);
            }
    }
}

TEST_CASE("a rank whose calls failed by rank 0, which has left, is not blamed by one that waits for it") {
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) {
        const auto world = join(rank, 3, at);
        const auto others = world.duplicate();
        expect_sum(world, 1000);
        if (rank == 0) return;
        if (rank == 1) {
            expect(fails(mine, [&] { expect_sum(world, 1000); }), "a call without rank 0 fails");
            std::this_thread::sleep_for(2 * deadline + 2 * beyond);
        } else {
            std::this_thread::sleep_for(deadline); // rank 0 and its coordinator are gone
            std::vector<int> data(1000);
            expect(fails(mine, [&] { others.scan(data, sum, algorithm::chain{}); }), "a call without rank 1 fails");
        }
    });
    check_ended(ranks);
    for (int r = 1; r < 3; ++r) {
        INFO("rank " << r);
        check_blames(ranks.of(r), cause::lost_peer, 0);
    }
    CHECK(ranks.of(2).error[0].message.str().find("rank 1, whose calls failed by it") != std::string::npos);
}
