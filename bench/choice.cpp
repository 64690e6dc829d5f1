// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What it takes to choose an algorithm: by rule, by a model that has decided before, and by one that has not.

#include <collectives/choice/chooser.hpp>
#include <collectives/model/decisions.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace {

namespace model = tutti::model;
using tutti::schedule::operation;

model::machine node() { return model::uniform({2e-6, 3e-7, 2e-7, 1e-10, 2e-11}); }

void by_rule(benchmark::State& state) {
    const model::chooser c(model::topology{4});
    for (std::size_t bytes = 8; auto _ : state) {
        benchmark::DoNotOptimize(bytes);
        benchmark::DoNotOptimize(c.choose(operation::allreduce, bytes));
    }
}

void decided(benchmark::State& state) {
    const model::topology four{4};
    const model::chooser c(four, std::make_shared<const model::decisions>(four, node()));
    for (std::size_t bytes = 8; auto _ : state) {
        benchmark::DoNotOptimize(bytes);
        benchmark::DoNotOptimize(c.choose(operation::allreduce, bytes));
    }
}

void undecided(benchmark::State& state) {
    const model::topology on{static_cast<int>(state.range(0))};
    const model::decisions by(on, node());
    for (auto _ : state) benchmark::DoNotOptimize(by.prices(operation::allreduce, std::size_t{1} << 20));
}

/// What the first call of a size class takes, with one adapter a node of eight ranks, which lie in blocks or in turn.
void first_call(benchmark::State& state) {
    const int size = static_cast<int>(state.range(0));
    std::vector<int> nodes;
    for (int rank = 0; rank < size; ++rank) nodes.push_back(state.range(2) == 0 ? rank / 8 : rank % (size / 8));
    const model::topology on =
        model::topology_of(nodes, tutti::transport::medium::memory, tutti::transport::medium::memory);
    model::machine m = node();
    m.far = m.near, m.nics = 1;
    for (auto _ : state) {
        state.PauseTiming();
        const model::decisions by(on, m);
        state.ResumeTiming();
        benchmark::DoNotOptimize(by.choose(operation::allreduce, static_cast<std::size_t>(state.range(1))));
    }
}

} // namespace

BENCHMARK(by_rule);
BENCHMARK(decided);
BENCHMARK(undecided)->Arg(2)->Arg(4)->Arg(32)->Arg(1024)->Unit(benchmark::kMicrosecond);
BENCHMARK(first_call)->ArgsProduct({{32, 128, 800, 4096}, {8, 1 << 20}, {0, 1}})->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
