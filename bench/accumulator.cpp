// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Sums by accumulators beside a plain loop, in cost and in error. Each row times its contestants in turn. A ratio is
// the other contestant's time divided by the accumulator's: above 1 the accumulator is faster. Errors are relative to
// the exact sum, in units of the last place of the type that the sum is kept in.

#include "in_turn.hpp"

#include <collectives/reduction/accumulator.hpp>

#include <benchmark/benchmark.h>

#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <type_traits>
#include <vector>

namespace {

using namespace tutti::measured;
template <class T>
using wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// The loop that one would write, as this file is compiled: one addition after the other.
template <class T>
[[gnu::noinline]] wide<T> plain(std::span<const T> numbers) {
    wide<T> total = 0;
    for (const T x : numbers) total += static_cast<wide<T>>(x);
    return total;
}

template <class Sum>
[[gnu::noinline]] Sum at_once(std::span<const typename Sum::value_type> numbers) {
    Sum total;
    total.add(numbers);
    return total;
}
template <class Sum>
[[gnu::noinline]] Sum one_by_one(std::span<const typename Sum::value_type> numbers) {
    Sum total;
    for (const auto x : numbers) total.add(x);
    return total;
}

template <class T>
std::vector<T> numbers(std::size_t count) {
    std::mt19937_64 random(2026);
    std::normal_distribution<double> normal;
    std::vector<T> all(count);
    for (T& x : all) x = T(static_cast<wide<T>>(normal(random)));
    return all;
}

template <class T>
double error_of(double sum, double exact) {
    const double place = std::numeric_limits<wide<T>>::epsilon() * std::abs(exact);
    return std::abs(sum - exact) / place;
}

template <class T>
void sums(benchmark::State& state) {
    const auto bytes = static_cast<std::size_t>(state.range(0));
    const auto all = numbers<T>(bytes / sizeof(T));
    const std::span<const T> span(all);
    const auto [binned, exact, alone, loop] = in_turn(
        state, bytes, [&] { benchmark::DoNotOptimize(at_once<tutti::accumulator<T>>(span)); },
        [&] { benchmark::DoNotOptimize(at_once<tutti::exact_accumulator<T>>(span)); },
        [&] { benchmark::DoNotOptimize(one_by_one<tutti::accumulator<T>>(span)); },
        [&] { benchmark::DoNotOptimize(plain(span)); });
    report(state, bytes, binned, "of_plain", loop);
    report(state, bytes, binned, "of_exact", exact);
    report(state, bytes, binned, "of_one_by_one", alone);
    const auto total = at_once<tutti::exact_accumulator<T>>(span).template value<double>();
    state.counters["plain_error"] = error_of<T>(static_cast<double>(plain(span)), total);
    state.counters["error"] = error_of<T>(at_once<tutti::accumulator<T>>(span).template value<double>(), total);
}

template <class T>
void add_rows() {
    benchmark::RegisterBenchmark(("sum/" + tutti::type_name<T>()).c_str(), sums<T>)
        ->Arg(4 << 10)
        ->Arg(256 << 10)
        ->Arg(32 << 20)
        ->UseManualTime()
        ->Iterations(rounds);
}

} // namespace

int main(int count, char** words) {
    add_rows<double>();
    add_rows<float>();
    add_rows<tutti::float16>();
    add_rows<tutti::bfloat16>();
    add_rows<tutti::float8_e4m3>();
    benchmark::Initialize(&count, words);
    if (benchmark::ReportUnrecognizedArguments(count, words)) return 1;
    benchmark::RunSpecifiedBenchmarks();
}
