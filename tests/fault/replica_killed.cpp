// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A replica of Downpour SGD is killed while it trains. The others do not wait for it.

#include <training/downpour.hpp>
#include <training/server/shard_server.hpp>

#include "ranks.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <thread>
#include <vector>

using namespace tutti;
using namespace tutti::test;

TEST_CASE("a replica over tcp is killed, and the others train on") {
    constexpr int victim = 2;
    constexpr std::size_t weights = 100;
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = over_tcp(rank, size, at);
        const training::server::links by(world, {weights, {0}, {1, victim, 3}});
        mine.stage.store(1, std::memory_order_release);
        if (rank == 0) return training::server::shard_server(by, training::sgd{}).serve();
        training::server::client store(by, {.deadline = patience});
        training::downpour replica(store, weights, {2, 3, [](std::size_t) { return 1.; }, {}});
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
        while (rank == victim || std::chrono::steady_clock::now() < end) { // the victim does not end by itself
            replica.begin();
            replica.step(std::vector<float>(weights, -1));
        }
        replica.finish();
        std::vector<float> got(weights);
        store.get(0, got);
        for (const float x : got) expect(x >= static_cast<float>(replica.steps()), "all own gradients are there");
        store.close();
    });
    ranks.await_stage(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(50)); // it pushes
    ranks.send(victim, SIGKILL);
    CHECK(ranks.end(victim) == "signal 9");
    check_ended(ranks, victim);
}
