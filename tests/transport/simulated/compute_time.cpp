// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/fabrics/simulated/compute_time.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

using namespace std::chrono_literals;
using tutti::transport::compute_time;

namespace {

/// Seconds of many steps of a rank, in order of size.
std::vector<double> drawn_times(const compute_time& t, int rank) {
    std::vector<double> all;
    for (std::uint64_t step = 0; step < 10'001; ++step)
        all.push_back(std::chrono::duration<double>(t.of(rank, step)).count());
    std::sort(all.begin(), all.end());
    return all;
}

} // namespace

TEST_CASE("times of computing follow their law") {
    compute_time t;
    t.typical = 100ms;
    CHECK(t.of(3, 17) == 100ms);
    t.by = compute_time::law::lognormal;
    t.spread = 0.3;
    auto all = drawn_times(t, 5);
    CHECK(all[5000] == Approx(0.1).epsilon(0.03));
    CHECK(std::log(all[8413] / all[5000]) == Approx(0.3).epsilon(0.05)); // one standard deviation above the median
    t.by = compute_time::law::exponential;
    all = drawn_times(t, 5);
    CHECK(all[5000] == Approx(0.1 * std::log(2.)).epsilon(0.05));
}

TEST_CASE("stragglers take longer, always or by chance") {
    compute_time t;
    t.typical = 100ms;
    t.slow_rank = 3;
    t.slow_factor = 10;
    CHECK(t.of(3, 0) == 1s);
    CHECK(t.of(2, 0) == 100ms);
    t.chance = 0.01;
    t.chance_factor = 5;
    const auto all = drawn_times(t, 7);
    const auto late = std::count_if(all.begin(), all.end(), [](double s) { return s > 0.4; });
    CHECK(late > 70);
    CHECK(late < 130);
}

TEST_CASE("times of computing depend on seed, rank and step alone") {
    compute_time t;
    t.by = compute_time::law::lognormal;
    t.typical = 100ms;
    t.spread = 0.3;
    const auto first = t.of(1, 2);
    static_cast<void>(t.of(7, 7));
    CHECK(t.of(1, 2) == first);
    CHECK(t.of(2, 1) != first);
    t.seed = 2;
    CHECK(t.of(1, 2) != first);
}

TEST_CASE("times of computing that are none are refused, and endless ones are the longest") {
    compute_time t;
    t.typical = std::chrono::duration<double>(1e300);
    CHECK(t.of(0, 0) == std::chrono::nanoseconds::max());
    t.typical = -1s;
    CHECK_THROWS_AS(t.of(0, 0), tutti::error);
    t.typical = std::chrono::duration<double>(std::nan(""));
    CHECK_THROWS_AS(t.of(0, 0), tutti::error);
}
