// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/timeouts.hpp>

#include "support/catch.hpp"

using tutti::engine::coarse_now;
using tutti::engine::longest_tick;
using clock_type = tutti::transport::clock;

TEST_CASE("the last tick was in the past, and the next one comes soon") {
    using namespace std::chrono_literals;
    const auto first = coarse_now();
    const auto before = clock_type::now();
    CHECK(first <= before);
    CHECK(before - first < longest_tick + 1s); // the machine may be held up
    while (coarse_now() == first && clock_type::now() - before < 10s) {
    }
    CHECK(first < coarse_now());
}
