// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/last_tick.hpp>

#include "support/catch.hpp"

using tutti::engine::last_tick;
using tutti::engine::longest_tick;
using clock_type = tutti::transport::clock;

TEST_CASE("the last tick was in the past, and the next one comes soon") {
    using namespace std::chrono_literals;
    const auto first = last_tick();
    const auto before = clock_type::now();
    CHECK(first <= before);
    CHECK(before - first < longest_tick + 1s); // the machine may be held up
    while (last_tick() == first && clock_type::now() - before < 10s) {
    }
    CHECK(first < last_tick());
}
