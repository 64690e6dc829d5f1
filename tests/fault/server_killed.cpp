// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A server of a parameter server is killed while a worker pushes. The store goes on with the copies that are left.

#include <training/parameter_server.hpp>
#include <transport/shared_memory.hpp>

#include "ranks.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <span>
#include <thread>
#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int worker = 3;

constexpr auto store_in_shared_memory = [](int rank, int ranks, const reserved_port& at) {
    return communicator{transport::shared_memory{identity(rank, ranks, at)}};
};

template <class Enter>
void kill_a_server(const Enter& enter, int victim) {
    CAPTURE(victim);
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = enter(rank, size, at);
        const training::server::links by(world, {100, {0, 1, 2}, {worker}, 9, 3});
        mine.stage.store(1, std::memory_order_release);
        if (rank != worker) return training::server::shard_server(by, training::sgd{}).serve();
        training::server::client store(by, {.deadline = patience});
        const std::vector<float> ones(100, 1);
        std::vector<float> got(100);
        float added = 0;
        const auto end = std::chrono::steady_clock::now() + patience;
        for (int after_death = 0; after_death < 50; ++added, after_death += store.servers_lost()) {
            expect(std::chrono::steady_clock::now() < end, "the worker hears of the death");
            store.add(0, ones);
            store.tick();
        }
        store.get(0, got);
        for (const float x : got) expect(x == added, "each update is there once");
        store.close();
    });
    ranks.await_stage(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // the worker pushes
    ranks.send(victim, SIGKILL);
    CHECK(ranks.end(victim) == "signal 9");
    check_ended(ranks, victim);
}

} // namespace

TEST_CASE("a server over tcp is killed, and its store goes on") {
    for (const int victim : {1, 2}) kill_a_server(over_tcp, victim);
}

TEST_CASE("so does the store over shared memory") { kill_a_server(store_in_shared_memory, 1); }

TEST_CASE("a server on rank 0, which hosts the control plane, is killed over tcp, and its store goes on") {
    kill_a_server(over_tcp, 0);
}
