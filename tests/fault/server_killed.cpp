// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// A server of a parameter server is killed while a worker pushes. The store goes on with the copies that are left. A
// forked child of a server is no server.

#include <training/downpour.hpp>
#include <training/parameter_server.hpp>
#include <transport/shared_memory.hpp>

#include "ranks.hpp"
#include "support/catch.hpp"

#include <chrono>
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
        const training::server::links by(world, {100, {0, 1, 2}, {worker}, 9, 2});
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

namespace {

/// In a child of this process each of the calls is refused for what it is.
template <class... Call>
void expect_refused_in_child(account& mine, const Call&... calls) {
    const auto ended = in_child([&] {
        std::string other;
        const auto refused = [&](const auto& call) {
            try {
                call();
                other += "a call passed; ";
            } catch (const error& e) {
                if (e.why() != cause::invalid_argument) other += e.what();
            }
        };
        (refused(calls), ...);
        mine.complaint = other;
        return other.empty();
    });
    expect(ended.empty(), "a child is told of its wrong calls: " + std::string(mine.complaint.str()));
}

} // namespace

TEST_CASE("a forked child of a server or a worker is told so: it takes no peer for lost") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        const auto world = join(rank, 2, at);
        const training::server::links by(world, {100, {0}, {1}, 1, 1});
        training::warm_start first(world, {0, 1});
        if (rank == 0) {
            training::server::shard_server store(by, training::sgd{});
            expect_refused_in_child(
                mine, [&] { first.tell(); }, [&] { store.serve(); });
            first.tell();
            store.serve();
            return expect(store.lost_workers().empty(), "the worker has come");
        }
        training::server::client store(by, {.deadline = patience});
        std::vector<float> values(100, 1);
        expect_refused_in_child(
            mine, [&] { first.wait(); }, [&] { store.put(0, values); }, [&] { store.get(0, values); });
        first.wait();
        store.put(0, values);
        store.get(0, values);
        expect(values[99] == 1, "the store has what was put");
        store.close();
    });
    check_ended(ranks);
}
