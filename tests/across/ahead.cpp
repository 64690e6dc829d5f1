// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Ranks that are far ahead of others: on communicators that the others have not made yet, or in another order.

#include <collectives/collectives.hpp>
#include <transport/routed.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/identity.hpp"
#include "support/processes.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

/// Communicators that a rank is ahead: more than a peer takes unopened (4,096).
constexpr int far = std::max(5'000, effort(20'000));

constexpr auto over_tcp = [](int rank, int size, const reserved_port& at, const transport::tcp_limits& limits = {}) {
    return communicator{transport::tcp{identity(rank, size, at), limits}};
};
constexpr auto over_shared_memory = [](int rank, int size, const reserved_port& at) {
    return communicator{transport::shared_memory{identity(rank, size, at)}};
};
constexpr auto on_two_hosts = [](int rank, int size, const reserved_port& at) {
    return communicator{
        transport::routed<transport::shared_memory, transport::tcp>{identity_on(rank % 2, rank, size, at)}};
};

/// The most bytes of memory that this process has ever had, its shared ones included.
[[maybe_unused]] std::size_t peak_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == "VmHWM:") {
            std::size_t kib = 0;
            status >> kib;
            return kib * 1024;
        }
    return 0;
}

/// Numbers that tell a call from others.
std::vector<int> numbers(int call, std::size_t count) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), call * 7);
    return all;
}

/// Rank 0 sends on short-lived communicators, which the other makes when it pleases.
template <class Communicator>
void pass(const Communicator& world, int calls, std::size_t count) {
    for (int i = 0; i < calls; ++i) {
        auto data = world.rank() == 0 ? numbers(i, count) : std::vector<int>(count);
        world.duplicate().broadcast(data, 0);
        if (data != numbers(i, count)) throw std::runtime_error("broadcast " + std::to_string(i) + " is wrong");
    }
}

/// Takes in what comes from who is ahead, for as long as it takes that one to be far ahead.
template <class Request>
void look_on(Request& call) {
    const auto until = std::chrono::steady_clock::now() + 300ms;
    while (std::chrono::steady_clock::now() < until) static_cast<void>(call.test());
}

template <class Enter>
void run_ahead(const Enter& enter, int calls) {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        const auto world = enter(rank, 2, at), last = world.duplicate();
        std::vector<int> end{rank};
        if (rank == 0) {
            pass(world, calls, 3);
            return last.broadcast(end, 0);
        }
        auto call = last.async().broadcast(end, 0);
        look_on(call);
        pass(world, calls, 3);
        call.wait();
    });
    check_ended(ranks);
}

/// All communicators are open at once; one rank starts its calls in order, the other backwards, or both at random.
template <class Enter>
void run_in_two_orders(const Enter& enter, int calls, bool at_random) {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        const auto world = enter(rank, 2, at);
        using world_type = std::remove_const_t<decltype(world)>;
        std::vector<world_type> all;
        std::vector<std::vector<int>> data;
        std::vector<int> order(static_cast<std::size_t>(calls));
        std::iota(order.begin(), order.end(), 0);
        std::mt19937 random{static_cast<unsigned>(rank)};
        if (at_random)
            std::shuffle(order.begin(), order.end(), random);
        else if (rank == 1)
            std::reverse(order.begin(), order.end());
        for (int i = 0; i < calls; ++i) {
            all.push_back(world.duplicate());
            data.push_back(rank == i % 3 % 2 ? numbers(i, 5) : std::vector<int>(5));
        }
        std::vector<decltype(world.async().broadcast(data[0], 0))> calls_under_way;
        for (const int i : order) {
            const auto k = static_cast<std::size_t>(i);
            calls_under_way.push_back(all[k].async().broadcast(data[k], i % 3 % 2));
            if (rank == 1 && calls_under_way.size() == 1) look_on(calls_under_way[0]);
        }
        wait_all(calls_under_way);
        for (int i = 0; i < calls; ++i)
            expect(data[static_cast<std::size_t>(i)] == numbers(i, 5), "each communicator has its own data");
        world.barrier();
    });
    check_ended(ranks);
}

} // namespace

TEST_CASE("a rank may run ahead on thousands of short-lived communicators, over tcp") { run_ahead(over_tcp, far); }
TEST_CASE("so it may over shared memory") { run_ahead(over_shared_memory, far); }
TEST_CASE("so it may between hosts") { run_ahead(on_two_hosts, far); }

TEST_CASE("so it may with few contexts ahead on three lanes") {
    run_ahead(
        [](int rank, int size, const reserved_port& at) {
            return over_tcp(rank, size, at, {.window_bytes = 20'001, .contexts_ahead = 3, .lanes = 3});
        },
        5000);
}

#if !TUTTI_TEST_ADDRESS_SANITIZER // which keeps what is freed
TEST_CASE("who is ahead takes a bounded part of a peer's memory") {
    constexpr int calls = 20'000;
    constexpr std::size_t count = 4096; // in all 320 MB
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        const auto world = over_tcp(rank, 2, at), last = world.duplicate();
        std::vector<int> end{rank};
        if (rank == 0) {
            pass(world, calls, count);
            return last.broadcast(end, 0);
        }
        const auto before = peak_bytes();
        auto call = last.async().broadcast(end, 0);
        look_on(call);
        pass(world, calls, count);
        call.wait();
        const auto taken = peak_bytes() - before;
        expect(taken > 8u << 20, "the peer was ahead");
        expect(taken < 48u << 20, std::to_string(taken) + " bytes taken are bounded");
    });
    check_ended(ranks);
}
#endif

TEST_CASE("two ranks may use thousands of communicators in opposite orders, over tcp") {
    run_in_two_orders(over_tcp, std::max(5'000, far / 2), false);
}
TEST_CASE("so they may over shared memory") { run_in_two_orders(over_shared_memory, std::max(5'000, far / 2), false); }
TEST_CASE("ranks may use communicators in orders of their own, over tcp") {
    run_in_two_orders(over_tcp, std::max(5'000, far / 2), true);
}
TEST_CASE("ranks may use communicators in orders of their own, over shared memory") {
    run_in_two_orders(over_shared_memory, 5000, true);
}

TEST_CASE("a rank may wait on thousands of communicators for more than a window each") {
    constexpr std::size_t calls = 6000, bytes = 15'000;
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        const auto world = over_tcp(rank, 2, at, {.window_bytes = 16 * 1024});
        std::vector<decltype(world.duplicate())> all;
        for (std::size_t i = 0; i < calls; ++i) all.push_back(world.duplicate());
        const auto last = world.duplicate();
        std::vector<int> end{rank};
        std::vector<char> data(rank == 0 ? calls * bytes : bytes);
        if (rank == 0) {
            std::vector<decltype(world.async().broadcast(data, 1))> under_way;
            for (std::size_t i = 0; i < calls; ++i)
                under_way.push_back(all[i].async().broadcast(std::span(data).subspan(i * bytes, bytes), 1));
            wait_all(under_way);
            for (std::size_t i = 0; i < calls; ++i)
                expect(data[i * bytes] == static_cast<char>(i) && data[(i + 1) * bytes - 1] == data[i * bytes], "all");
            return last.broadcast(end, 0);
        }
        auto call = last.async().broadcast(end, 0);
        look_on(call);
        for (std::size_t i = 0; i < calls; ++i) {
            std::fill(data.begin(), data.end(), static_cast<char>(i));
            all[i].broadcast(data, 1);
        }
        call.wait();
    });
    check_ended(ranks);
}

TEST_CASE("who is ahead of a rank that dies is told so, and goes on with the others") {
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) {
        const auto world = over_tcp(rank, 3, at);
        const auto others = world.split(rank == 1);
        mine.stage.store(1, std::memory_order_release);
        if (rank == 1) std::this_thread::sleep_for(patience);
        std::array<int, 2> lost{};
        if (rank == 0) {
            const moment called = std::chrono::steady_clock::now();
            try {
                pass(world, 20'000, 3);
            } catch (const error& e) {
                mine.add(e, called, std::chrono::steady_clock::now());
                lost[0] = e.facts().peer;
            }
        }
        others.broadcast(lost, 0);
        pass(others, 3000, 3);
        expect(lost[0] == 1, "the one that died is named");
    });
    ranks.await_stage(1);
    std::this_thread::sleep_for(100ms);
    ranks.send(1, SIGKILL);
    check_ended(ranks, 1);
    CHECK(ranks.of(0).error[0].why == cause::lost_peer);
}

TEST_CASE("communicators that fail before a peer has come to them leave nothing behind") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        const auto world = over_tcp(rank, 2, at, {.window_bytes = 20'001, .contexts_ahead = 8});
        std::mt19937 random{42};
        for (int round = 0; round < 30; ++round) {
            // The same on both ranks: which are called on, which fail, which are met by rank 1 at all.
            std::vector<decltype(world.duplicate())> all;
            std::vector<std::array<int, 2>> data(20);
            std::vector<decltype(world.async().broadcast(data[0], 0))> under_way;
            for (auto& d : data) {
                d = {rank, round};
                all.push_back(world.duplicate());
                if (rank == 0) under_way.push_back(all.back().async().broadcast(d, 0));
            }
            for (std::size_t i = 0; i < data.size(); ++i) {
                const auto fate = random() % 3;
                if (fate == 0 && rank == 0) all[i].abort("nobody wants it");
                if (fate == 2 && rank == 1) all[i].broadcast(data[i], 0);
                if (fate == 1 && rank == 1) under_way.push_back(all[i].async().broadcast(data[i], 0));
                if (fate == 2) expect(data[i][0] == 0 || rank == 0, "what was called on both ranks has its data");
            }
            for (auto& r : under_way) {
                try {
                    r.wait();
                } catch (const error& e) {
                    expect(e.why() == cause::aborted, e.what());
                }
            }
            world.barrier();
        }
        pass(world, 100, 3);
    });
    check_ended(ranks);
}
