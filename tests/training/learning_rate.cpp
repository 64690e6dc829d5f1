// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/learning_rate.hpp>

#include "support/catch.hpp"

namespace training = tutti::training;

TEST_CASE("the linear scaling rule is in proportion to the batch") {
    CHECK(training::linear_scaling(0.1, 8192) == 0.1 * 32);
    CHECK(training::linear_scaling(0.1, 64, 128) == 0.05);
}

TEST_CASE("a rate decays at its milestones") {
    const training::step_decay rate{1, {30, 60}, 0.5};
    CHECK(rate(0) == 1);
    CHECK(rate(29) == 1);
    CHECK(rate(30) == 0.5);
    CHECK(rate(1000) == 0.25);
}

TEST_CASE("a cosine falls from the rate over its half to the floor, and stays there") {
    const training::cosine rate{1, 100, 0.2};
    CHECK(rate(0) == 1);
    CHECK(std::abs(rate(50) - 0.6) < 1e-12);
    CHECK(std::abs(rate(100) - 0.2) < 1e-12);
    CHECK(rate(1000) == rate(100));
}

TEST_CASE("a warm-up grows in equal steps to the schedule that follows, which then counts alone") {
    const training::warm_up rate{training::step_decay{0.9, {20}, 0.1}, 8, 0.1};
    CHECK(rate(0) == 0.1);
    CHECK(std::abs(rate(4) - 0.5) < 1e-12);
    CHECK(rate(8) == 0.9);
    CHECK(std::abs(rate(20) - 0.09) < 1e-12);
    CHECK(training::warm_up{training::constant{0.3}, 0, 0.0}(0) == 0.3);
}
