// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What the engine itself costs: a rank's schedule is walked over a transport that completes every transfer at once, so
// that nothing but the engine remains. `step` is the time of one step of a warm run, `allocations` those of one call.

#include <base/own_process.hpp>
#include <base/standard_arithmetic.hpp>
#include <collectives/collectives.hpp>

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <vector>

namespace {
std::size_t allocations = 0; // of this program's only thread
}

// Not inlined, or g++ takes malloc and delete for a pair that does not match.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* p = std::malloc(bytes)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace {

namespace transport = tutti::transport;
namespace algorithm = tutti::algorithm;

/// Rank 0 of a world whose other ranks are always there already.
class instant {
public:
    struct channel {};

    explicit instant(int size) : size_(size) {}
    [[nodiscard]] int rank() const noexcept { return 0; }
    [[nodiscard]] int size() const noexcept { return size_; }
    static constexpr transport::medium near = transport::medium::memory, far = near;
    [[nodiscard]] int node(int) const noexcept { return 0; }
    [[nodiscard]] bool crowded() const noexcept { return false; }
    channel& open(transport::context, int) noexcept { return channel_; }
    void send(channel&, transport::transfer& x) noexcept { transport::complete(x); }
    void receive(channel&, transport::transfer& x) noexcept { transport::complete(x); }
    bool progress() noexcept { return false; }
    void wait(transport::clock::time_point) noexcept {}
    void wake() noexcept {}
    void close(transport::context) noexcept {}
    void tell(const transport::notice&) {}
    [[nodiscard]] bool fetch(transport::notice&) noexcept { return false; }
    [[nodiscard]] std::optional<std::string> broken(int) { return {}; }
    [[nodiscard]] transport::peer_name name_of(int) const { return {}; }

private:
    int size_;
    channel channel_;
};

/// The same with a status page.
class watched : public instant {
public:
    using instant::instant;
    [[nodiscard]] transport::status::page* status_page() const noexcept { return page_.get(); }

private:
    std::unique_ptr<transport::status::page> page_ = std::make_unique<transport::status::page>();
};

std::size_t steps_of(const algorithm::any& how, int size) {
    std::vector<tutti::schedule::step> steps;
    how.walk(tutti::schedule::operation::allreduce, {0, size, 0, true}, 1, steps);
    return steps.size();
}

void report(benchmark::State& state, std::size_t steps, std::size_t allocated) {
    using benchmark::Counter;
    const auto number = static_cast<double>(steps);
    state.counters["steps"] = number;
    state.counters["step"] = Counter(number, Counter::kIsIterationInvariantRate | Counter::kInvert);
    state.counters["allocations"] = Counter(static_cast<double>(allocated), Counter::kAvgIterations);
}

template <class Transport>
void call_over(benchmark::State& state, const algorithm::any& how, int size, std::size_t count) {
    const tutti::communicator world{Transport{size}};
    std::vector<double> data(count);
    const auto once = [&] { world.allreduce(data, tutti::maximum, how); };
    for (int warm = 0; warm < 8; ++warm) once();
    const std::size_t before = allocations;
    for (auto _ : state) once();
    report(state, steps_of(how, size), allocations - before);
}

/// A whole blocking call: signature, plan cache, all steps.
void call(benchmark::State& state, const algorithm::any& how, int size, std::size_t count) {
    call_over<instant>(state, how, size, count);
}
/// The same on a rank that keeps a status page.
void call_with_page(benchmark::State& state, const algorithm::any& how, int size, std::size_t count) {
    call_over<watched>(state, how, size, count);
}

/// The same, planned before.
void prepared(benchmark::State& state, const algorithm::any& how, int size, std::size_t count) {
    const tutti::communicator world{instant{size}};
    std::vector<double> data(count);
    auto plan = world.prepare().allreduce(data, tutti::maximum, how);
    for (int warm = 0; warm < 8; ++warm) plan.run();
    const std::size_t before = allocations;
    for (auto _ : state) plan.run();
    report(state, steps_of(how, size), allocations - before);
}

/// The same, recorded; the recording is made anew each time it is full, which is not timed.
void recorded(benchmark::State& state, const algorithm::any& how, int size, std::size_t count) {
    constexpr std::size_t calls = 256;
    const tutti::communicator world{instant{size}};
    const std::size_t steps = steps_of(how, size);
    std::vector<double> data(count);
    auto plan = world.prepare().allreduce(data, tutti::maximum, how);
    for (int warm = 0; warm < 8; ++warm) plan.run();
    std::size_t made = 0;
    while (state.KeepRunningBatch(calls)) {
        state.PauseTiming();
        auto recording = world.record(calls * steps);
        state.ResumeTiming();
        const std::size_t before = allocations;
        for (std::size_t k = 0; k < calls; ++k) plan.run();
        made += allocations - before;
        state.PauseTiming();
        if (recording.stop().activities.size() != calls * steps) state.SkipWithError("a step is missing");
        state.ResumeTiming();
    }
    report(state, steps, made);
}

/// A call whose root is another rank each time, of so many: the plan of each is looked up among those of all.
void roots_in_turn(benchmark::State& state) {
    const int roots = static_cast<int>(state.range(0));
    const tutti::communicator world{instant{1024}};
    double x = 0;
    int root = 0;
    const auto once = [&] {
        world.broadcast(std::span(&x, 1), root, algorithm::binomial_tree{});
        root = root + 1 < roots ? root + 1 : 0;
    };
    for (int warm = 0; warm < 8 * roots; ++warm) once();
    const std::size_t before = allocations;
    for (auto _ : state) once();
    using benchmark::Counter;
    state.counters["allocations"] = Counter(static_cast<double>(allocations - before), Counter::kAvgIterations);
}

/// What each call pays so that a forked child is refused.
void fork_check(benchmark::State& state) {
    const tutti::detail::own_process maker;
    for (auto _ : state) {
        maker.require_this();
        benchmark::ClobberMemory();
    }
}

/// A reduction of so many bytes, and what of it is paid so that the thread's mode of arithmetic does not count.
template <bool guarded>
void reduced(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0)) / sizeof(float);
    std::vector<float> to(count, 1), from(count, 1);
    for (auto _ : state) {
        std::optional<tutti::detail::standard_arithmetic> mode;
        if constexpr (guarded) mode.emplace();
        for (std::size_t i = 0; i < count; ++i) to[i] += from[i];
        benchmark::DoNotOptimize(to.data());
        benchmark::ClobberMemory();
    }
}

} // namespace

BENCHMARK_CAPTURE(call, ring_64_empty, algorithm::ring{}, 64, 0);
BENCHMARK_CAPTURE(call, ring_64_8_bytes_a_step, algorithm::ring{}, 64, 64);
BENCHMARK_CAPTURE(call, butterfly_1024_8_bytes, algorithm::butterfly{}, 1024, 1);
BENCHMARK_CAPTURE(call, butterfly_2_8_bytes, algorithm::butterfly{}, 2, 1);
BENCHMARK_CAPTURE(call_with_page, ring_64_8_bytes_a_step, algorithm::ring{}, 64, 64);
BENCHMARK_CAPTURE(call_with_page, butterfly_2_8_bytes, algorithm::butterfly{}, 2, 1);
BENCHMARK_CAPTURE(prepared, ring_64_8_bytes_a_step, algorithm::ring{}, 64, 64);
BENCHMARK_CAPTURE(prepared, butterfly_2_8_bytes, algorithm::butterfly{}, 2, 1);
BENCHMARK_CAPTURE(recorded, ring_64_8_bytes_a_step, algorithm::ring{}, 64, 64);
BENCHMARK_CAPTURE(recorded, butterfly_2_8_bytes, algorithm::butterfly{}, 2, 1);
BENCHMARK(fork_check);
BENCHMARK(reduced<false>)->Arg(8)->Arg(64);
BENCHMARK(reduced<true>)->Arg(8)->Arg(64);
BENCHMARK(roots_in_turn)->Arg(1)->Arg(64)->Arg(65)->Arg(256)->Arg(1024);

BENCHMARK_MAIN();
