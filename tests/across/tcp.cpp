// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "sequence.hpp"

#include "support/catch.hpp"
#include "support/tcp_ranks.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("any sequence of calls over tcp gives the bits of the serial reference") {
    const auto [size, steps] = GENERATE(std::pair{2, 500}, std::pair{3, 500}, std::pair{4, 500}, std::pair{7, 150});
    CAPTURE(size);
    run_tcp_ranks(size, reserved_port{}, {}, [steps = steps](const auto& world) { sequence(world, 2026).run(steps); });
}

TEST_CASE("so it does on three lanes, with limits that fit nothing") {
    transport::tcp_limits limits;
    limits.lanes = 3;
    limits.window_bytes = 20'001;
    limits.fragment_bytes = 7'777;
    limits.stripe_bytes = 10'000;
    limits.landing_bytes = 5'001;
    run_tcp_ranks(3, reserved_port{}, limits, [](const auto& world) { sequence(world, 7).run(500); });
}
