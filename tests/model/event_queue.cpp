// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/simulation/event_queue.hpp>

#include "support/catch.hpp"

#include <cstdint>
#include <random>
#include <vector>

using tutti::model::detail::event;
using tutti::model::detail::event_queue;

TEST_CASE("events come by time, those of one time together") {
    event_queue q;
    std::mt19937 random(7);
    std::uint32_t pushed = 0, popped = 0;
    double now = 0;
    const auto push = [&] { q.push({now + static_cast<double>(random() % 50) * 1e-7, 0, pushed++}); };
    for (int k = 0; k < 1000; ++k) push();
    std::vector<event> batch;
    while (q.pop(batch)) {
        REQUIRE(batch.front().at_s >= now);
        now = batch.front().at_s;
        for (std::size_t k = 0; k < batch.size(); ++k) {
            CHECK(batch[k].at_s == now);
            ++popped;
            if (pushed < 20'000) push();
        }
    }
    CHECK(pushed == 20'000);
    CHECK(popped == pushed);
}

TEST_CASE("what is added for the time that it is comes next") {
    event_queue q;
    std::vector<event> batch;
    q.push({2, 0, 0});
    q.push({3, 0, 1});
    REQUIRE(q.pop(batch));
    q.push({2, 0, 2});
    REQUIRE(q.pop(batch));
    CHECK((batch.size() == 1 && batch[0].what == 2));
    REQUIRE(q.pop(batch));
    CHECK((batch.size() == 1 && batch[0].what == 1));
    CHECK_FALSE(q.pop(batch));
}

TEST_CASE("times that differ by rounding are one time, and no others") {
    const double rounding = 0x1p-50, beyond = 0x1p-35;
    for (const double at : {0x1p-20 * (1 - 0x1p-53), 0x1p-20, 3e-6, 7.3, 1e3}) { // the first ones beside a power of two
        event_queue q;
        std::vector<event> batch;
        q.push({at * (1 + beyond), 0, 2});
        q.push({at * (1 + rounding), 0, 1});
        q.push({at, 0, 0});
        REQUIRE(q.pop(batch));
        CHECK(batch.size() == 2);
        REQUIRE(q.pop(batch));
        CHECK((batch.size() == 1 && batch[0].what == 2));
    }
}
