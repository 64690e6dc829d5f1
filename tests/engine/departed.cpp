// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/driver.hpp>

#include "engine/faults.hpp"
#include "support/catch.hpp"

using namespace tutti::test;
using tutti::cause;

TEST_CASE("waiting for a rank that has left in good order ends long before the deadline, on every rank") {
    for (const int leaver : {0, 2})
        run_new_world(4, [&](communicator& world) {
            std::vector<int> data(1000, 1);
            world.allreduce(data, tutti::sum);
            if (world.rank() == leaver) return;
            const auto f = fault_in_time([&] { world.allreduce(data, tutti::sum); }); // its deadline: 30 s
            expect(f.why == cause::lost_peer, "a lost peer, not: " + message_of(f));
            expect(f.peer == leaver, "the rank that has left, not: " + message_of(f));
            expect_contains(message_of(f), "has left");
            expect_unusable(world, f);
        });
}

TEST_CASE("what a rank had sent before it left still counts") {
    run_new_world(3, [](communicator& world) {
        std::vector<int> data(300, world.rank() == 0 ? 7 : 0);
        if (world.rank() == 2) std::this_thread::sleep_for(300ms); // rank 0 is gone by then
        world.broadcast(data, 0, tutti::algorithm::binomial_tree{});
        expect(data[299] == 7, "the data of the rank that has left");
    });
}

TEST_CASE("communicators without the rank that has left go on") {
    run_new_world(3, [](communicator& world) {
        auto pair = world.split(world.rank() == 2 ? 1 : 0);
        if (world.rank() == 2) return;
        std::this_thread::sleep_for(300ms);
        std::vector<int> data(1000, 1);
        for (int k = 0; k < 10; ++k) pair.allreduce(data, tutti::maximum);
        pair.barrier();
    });
}
