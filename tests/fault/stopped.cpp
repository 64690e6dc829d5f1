// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "looped.hpp"
#include "victims.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("whichever rank is stopped in mid-collective, all others name it in time, and it learns when it goes on") {
    const int ranks = GENERATE(3, 4);
    for (int victim = 0; victim < ranks; ++victim) {
        CAPTURE(ranks, victim);
        stop_one(over_tcp, ranks, victim);
    }
}

TEST_CASE("a stopped rank is named in a world of two, and in one of eight") {
    for (const auto& [ranks, victim] : {std::pair{2, 0}, {2, 1}, {8, 3}}) {
        CAPTURE(ranks, victim);
        stop_one(over_tcp, ranks, victim);
    }
}

TEST_CASE("a stopped rank is named in time by ranks that wait in event loops, or on Asio") {
    for (int victim = 0; victim < 3; ++victim) {
        CAPTURE(victim);
        stop_one(by_loop(over_tcp), 3, victim);
        stop_one(by_asio(over_tcp), 3, victim);
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
