// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "sequence.hpp"

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/tcp_ranks.hpp"

#include <chrono>
#include <thread>
#include <vector>

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

TEST_CASE("so it does over tcp where every other rank has an executor") {
    run_tcp_ranks(3, reserved_port{}, {}, [](const auto& world) { run_with_executors(world, 11, 200); });
}

TEST_CASE("who has begun a call and computes holds up nobody that only sends to it") {
    using namespace std::chrono_literals;
    transport::tcp_limits limits;
    limits.window_bytes = 16 * 1024; // much less than is sent: a credit must go out before the computation
    run_tcp_ranks(2, reserved_port{}, limits, [](const auto& world) {
        std::vector<char> data(64 * 1024, world.rank() == 0 ? 'x' : ' ');
        world.barrier();
        if (world.rank() == 0) return world.with_deadline(1s).broadcast(data, 0);
        auto call = world.async().broadcast(data, 0);
        std::this_thread::sleep_for(2s);
        call.wait();
        expect(data.back() == 'x', "all came");
    });
}
