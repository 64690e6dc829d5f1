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

double overlap_times::percent() const {
    const double shorter = std::min(pure_us, compute_us);
    if (shorter <= 0) return 0;
    return std::clamp(100 * (pure_us + compute_us - both_us) / shorter, 0., 100.);
}

overlap_times measure_overlap(const starter& start, double pure_us, std::size_t tests, const timed& measure) {
    const computation beside(pure_us);
    overlap_times t;
    t.pure_us = pure_us;
    t.compute_us = measure([&] { beside.run(); });
    t.both_us = measure([&] {
        const auto under_way = start();
        bool over = false;
        for (std::size_t k = 0; k <= tests; ++k) {
            beside.run(k, tests + 1);
            if (k < tests && !over) over = under_way->test();
        }
        if (!over) under_way->wait();
    });
    return t;
}

} // namespace tutti::tools
