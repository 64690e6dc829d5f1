// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../tools/tutti/common/host_memory.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

/// Several contestants timed in turn, so that a busy machine slows all of them.
namespace tutti::measured {

using memory = std::shared_ptr<std::byte>;

/// How often each contestant is timed.
inline constexpr int rounds = 31;

/// The report says where `touched()` lies.
inline const bool told = (benchmark::AddCustomContext("memory", "vector"), true);

/// Where a std::vector has it; touched, so that no contestant pays for that; and known to others as far as the compiler
/// can tell, so that nothing that is written there is left out.
inline memory touched(std::size_t bytes) {
    memory m = tools::vector_memory(bytes);
    benchmark::DoNotOptimize(m.get());
    return m;
}

/// Seconds of one call, over so many that the clock does not count. One more comes first, so that each contestant finds
/// the caches as it left them itself.
template <class Call>
double seconds_of(const Call& call, std::size_t bytes) {
    using clock = std::chrono::steady_clock;
    const std::size_t calls = std::max<std::size_t>(1, (std::size_t{1} << 20) / bytes);
    call();
    const auto begin = clock::now();
    for (std::size_t i = 0; i < calls; ++i) {
        call();
        benchmark::ClobberMemory();
    }
    return std::chrono::duration<double>(clock::now() - begin).count() / static_cast<double>(calls);
}

inline double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Times all calls in turn. The first one is the row's own time; the medians come back.
template <class... Call>
std::array<double, sizeof...(Call)> in_turn(benchmark::State& state, std::size_t bytes, const Call&... call) {
    std::array<std::vector<double>, sizeof...(Call)> seconds;
    for (auto _ : state) {
        std::size_t i = 0;
        (seconds[i++].push_back(seconds_of(call, bytes)), ...);
        state.SetIterationTime(seconds[0].back());
    }
    std::array<double, sizeof...(Call)> medians{};
    std::transform(seconds.begin(), seconds.end(), medians.begin(), median);
    return medians;
}

inline void report(benchmark::State& state, std::size_t moved_bytes, double kernel, const char* name, double other) {
    state.counters["GB/s"] = static_cast<double>(moved_bytes) / kernel * 1e-9;
    state.counters[name] = other / kernel;
}

} // namespace tutti::measured
