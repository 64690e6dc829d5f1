// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "overlap.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tutti::tools {
namespace {

using clock = std::chrono::steady_clock;

/// Some tens of nanoseconds of a chain of operations, each of which needs the one before. Touches no memory.
double unit_of_work(double x) {
    for (int i = 0; i < 16; ++i) x = x * 0.999 + 1e-3;
    return x;
}

void work(std::size_t units) {
    volatile double begin = 0.5; // a value that the compiler does not know
    double x = begin;
    for (std::size_t i = 0; i < units; ++i) x = unit_of_work(x);
    begin = x; // or nothing of it would be computed
}

/// Microseconds of a unit where nothing disturbs: the least of several attempts.
double unit_us() {
    constexpr std::size_t units = 2000, attempts = 20;
    double least = 1e9;
    for (std::size_t k = 0; k < attempts; ++k) {
        const auto begin = clock::now();
        work(units);
        least = std::min(least, std::chrono::duration<double, std::micro>(clock::now() - begin).count());
    }
    return least / static_cast<double>(units);
}

} // namespace

computation::computation(double microseconds)
    : units_(static_cast<std::size_t>(std::max(1., std::round(microseconds / unit_us())))) {}

void computation::run(std::size_t k, std::size_t n) const { work(units_ * (k + 1) / n - units_ * k / n); }

void computation::scale(double by) {
    units_ = static_cast<std::size_t>(std::max(1., std::round(static_cast<double>(units_) * by)));
}

// All ranks decide alike: each time is that of the slowest rank, which all of them know.
overlap_times measure_overlap(const starter& start, double pure_us, std::size_t tests, const timed& measure) {
    constexpr int attempts = 4;
    computation beside(pure_us);
    const auto call_beside = [&] {
        const auto under_way = start();
        bool over = false;
        for (std::size_t k = 0; k <= tests; ++k) {
            beside.run(k, tests + 1);
            if (k < tests && !over) over = under_way->test();
        }
        if (!over) under_way->wait();
    };
    overlap_times t;
    t.pure_us = pure_us;
    for (int k = 0; k < attempts && !t.percent(); ++k) {
        if (k > 0) t.pure_us = measure([&] { start()->wait(); });
        if (k > 0 && t.compute_us > 0) beside.scale(t.pure_us / t.compute_us);
        t.compute_us = measure([&] { beside.run(); });
        if (t.comparable() || k + 1 == attempts) t.both_us = measure(call_beside);
    }
    return t;
}

} // namespace tutti::tools
