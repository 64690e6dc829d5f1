// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What many requests cost that are under way at once, over memory and shared_memory with 2 ranks that are threads: rank
// 0 starts all of them before rank 1 starts its first. The time is rank 0's, from its first start until all are done.

#include <collectives/collectives.hpp>
#include <transport/memory.hpp>
#include <transport/shared_memory.hpp>

#include "../tests/support/identity.hpp"

#include <benchmark/benchmark.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace {

using namespace tutti;

/// The two ends of a world, one a thread.
struct threads {
    using transport = tutti::transport::memory;
    std::shared_ptr<tutti::transport::memory_world> world = tutti::transport::memory_world::create(2);
    [[nodiscard]] transport join(int rank) const { return {world, rank}; }
};
struct one_host {
    using transport = tutti::transport::shared_memory;
    test::reserved_port at;
    [[nodiscard]] transport join(int rank) const { return transport{test::identity(rank, 2, at)}; }
};

void test_in_turn(auto& requests) {
    for (auto& r : requests)
        while (!r.test()) {
        }
}
void test_round_robin(auto& requests) {
    for (std::size_t left = requests.size(); left > 0;) {
        left = 0;
        for (auto& r : requests) left += !r.test();
    }
}

enum class finding { wait, test, round_robin };

/// One rank's part: starts as many as there are data, calls `started`, and finds all done.
void use(const auto& world, std::vector<int>& data, finding how, auto started) {
    std::vector<decltype(world.async().allreduce(std::span(data), sum))> requests;
    requests.reserve(data.size());
    for (int& x : data) requests.push_back(world.async().allreduce(std::span(&x, 1), sum, algorithm::butterfly{}));
    started();
    if (how == finding::wait) wait_all(requests);
    if (how == finding::test) test_in_turn(requests);
    if (how == finding::round_robin) test_round_robin(requests);
}

template <class World>
void requests(benchmark::State& state, finding how) {
    const World ends;
    const auto number = static_cast<std::size_t>(state.range(0));
    const auto more = [](const auto& world, int go) {
        world.broadcast(std::span(&go, 1), 0);
        return go != 0;
    };
    std::atomic<bool> ahead{false}; // rank 0 has started all; taken back by rank 1
    std::thread peer([&] {
        const communicator world{ends.join(1)};
        std::vector<int> data(number);
        while (more(world, 0)) {
            ahead.wait(false);
            ahead = false;
            use(world, data, how, [] {});
        }
    });
    {
        const communicator world{ends.join(0)};
        std::vector<int> data(number);
        for (auto _ : state) {
            more(world, 1);
            const auto start = std::chrono::steady_clock::now();
            use(world, data, how, [&] {
                ahead = true;
                ahead.notify_one();
            });
            state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        more(world, 0);
    }
    peer.join();
}

void memory(benchmark::State& state, finding how) { requests<threads>(state, how); }
void shared_memory(benchmark::State& state, finding how) { requests<one_host>(state, how); }

void many(benchmark::internal::Benchmark* b) {
    b->Arg(1000)->Arg(4000)->UseManualTime()->Unit(benchmark::kMillisecond);
}

} // namespace

BENCHMARK_CAPTURE(memory, wait, finding::wait)->Apply(many);
BENCHMARK_CAPTURE(memory, test, finding::test)->Apply(many);
BENCHMARK_CAPTURE(memory, round_robin, finding::round_robin)->Apply(many);
BENCHMARK_CAPTURE(shared_memory, wait, finding::wait)->Apply(many);
BENCHMARK_CAPTURE(shared_memory, test, finding::test)->Apply(many);
BENCHMARK_CAPTURE(shared_memory, round_robin, finding::round_robin)->Apply(many);

BENCHMARK_MAIN();
