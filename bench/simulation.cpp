// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What the simulator does in a second of its processor's time: `messages` of a schedule that is ready. `from_nothing`
// also makes it ready; `peak_mb` is the most memory that the program has held until then, in MiB.

#include <collectives/algorithm/all.hpp>
#include <collectives/model/simulate.hpp>

#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include <cstddef>

namespace {

namespace algorithm = tutti::algorithm;
namespace model = tutti::model;

constexpr std::size_t bytes = std::size_t{100} << 20;

model::machine cluster() { return model::uniform({2e-6, 3e-7, 2e-7, 1e-10, 2e-11}); }

model::collective allreduce(const algorithm::any& how, int size, int segments) {
    return {tutti::schedule::operation::allreduce, how, size, bytes, 0, segments};
}

void report(benchmark::State& state, std::size_t messages) {
    using benchmark::Counter;
    state.counters["messages"] = Counter(static_cast<double>(messages), Counter::kIsIterationInvariantRate);
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    state.counters["peak_mb"] = static_cast<double>(used.ru_maxrss) / 1024;
}

void ready(benchmark::State& state, const algorithm::any& how, int size, int segments, model::receiver_rule rule) {
    model::simulation_settings settings;
    settings.receiver = rule;
    const model::simulation s(allreduce(how, size, segments), 1, settings);
    for (auto _ : state) benchmark::DoNotOptimize(s.run(cluster()).finish_s);
    report(state, s.messages());
}

/// 32 ranks on a node of 8 cores and 2 adapters, and a network that carries half of what they send.
void contended(benchmark::State& state, const algorithm::any& how, int size, int segments) {
    model::machine m = cluster();
    m.cores = 8;
    m.nics = 2;
    m.oversubscription = 2;
    const model::simulation s(allreduce(how, size, segments), 32);
    for (auto _ : state) benchmark::DoNotOptimize(s.run(m).finish_s);
    report(state, s.messages());
}

void from_nothing(benchmark::State& state, const algorithm::any& how, int size, int segments) {
    std::size_t messages = 0;
    for (auto _ : state) messages = model::simulate(allreduce(how, size, segments), cluster()).messages;
    report(state, messages);
}

constexpr auto serial = model::receiver_rule::serial, full_duplex = model::receiver_rule::full_duplex;

} // namespace

BENCHMARK_CAPTURE(ready, ring_1024_serial, algorithm::ring{}, 1024, 1, serial)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ready, ring_1024, algorithm::ring{}, 1024, 1, full_duplex)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ready, halving_1024_serial, algorithm::halving_doubling{}, 1024, 1, serial);
BENCHMARK_CAPTURE(ready, halving_1024, algorithm::halving_doubling{}, 1024, 1, full_duplex);
BENCHMARK_CAPTURE(ready, tree_1024_in_64, algorithm::double_binary_tree{}, 1024, 64, full_duplex)
    ->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(contended, ring_1024, algorithm::ring{}, 1024, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(contended, halving_1024, algorithm::halving_doubling{}, 1024, 1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(contended, tree_1024_in_64, algorithm::double_binary_tree{}, 1024, 64)->Unit(benchmark::kMillisecond);

// From the least memory to the most, since the peak stays.
BENCHMARK_CAPTURE(from_nothing, binomial_100000, algorithm::binomial_tree{}, 100'000, 1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(from_nothing, butterfly_100000, algorithm::butterfly{}, 100'000, 1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(from_nothing, halving_100000, algorithm::halving_doubling{}, 100'000, 1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(from_nothing, ring_100000_by_symmetry, algorithm::ring{}, 100'000, 1)->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(from_nothing, tree_100000_in_64, algorithm::double_binary_tree{}, 100'000, 64)
    ->Unit(benchmark::kSecond)
    ->Iterations(1);

BENCHMARK_MAIN();
