// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/prepared.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <atomic>

using namespace tutti::test;
namespace algorithm = tutti::algorithm;

TEST_CASE("a prepared call runs again and again on what its buffers hold") {
    for (const int size : {1, 2, 5})
        run_world(size, [=](communicator& world) {
            std::vector<int> data(1000), out(1000);
            auto in_place = world.prepare().allreduce(data, tutti::sum);
            auto apart = world.prepare().allreduce(data, out, tutti::maximum, algorithm::ring{});
            for (int k = 0; k < 50; ++k) {
                std::fill(data.begin(), data.end(), k + world.rank());
                apart.run();
                expect(out[999] == k + size - 1, "the largest");
                in_place.run();
                expect(data[999] == k * size + size * (size - 1) / 2, "the sum");
            }
        });
}

TEST_CASE("a barrier may be started, and prepared") {
    std::atomic<bool> tested{false}; // by rank 0; the others wait for it before they come
    run_world(3, [&](communicator& world) {
        std::vector<int> data(100, 1);
        auto plan = world.prepare().barrier();
        for (int k = 0; k < 3; ++k) {
            plan.run();
            auto all_here = world.async().barrier();
            world.allreduce(data, tutti::maximum);
            all_here.wait();
            world.barrier();
        }
        if (world.rank() != 0) {
            tested.wait(false);
            return world.barrier();
        }
        auto early = world.async().barrier();
        expect(!early.test(), "nobody else has come");
        tested = true;
        tested.notify_all();
        early.wait();
    });
}

TEST_CASE("prepared calls mix with others, and are moved and dropped at any time") {
    run_world(3, [](communicator& world) {
        std::vector<int> a(100, 1), b(100, 1);
        auto first = world.prepare().allreduce(a, tutti::sum);
        auto second = std::move(first);
        world.barrier();
        second.run();
        {
            auto third = world.prepare().broadcast(b, 1);
            auto r = second.start();
            third.run();
            r.wait();
        }
        expect(a[99] == 9, "twice the sum");
        world.allreduce(a, tutti::sum);
        second.run();
        expect(a[99] == 81, "and twice more");
    });
}

TEST_CASE("every operation can be prepared") {
    run_world(4, [](communicator& world) {
        std::vector<int> in(8), part(2), all(32), out(8), data(8);
        auto a = world.prepare().reduce_scatter(in, part, tutti::sum);
        auto b = world.prepare().allgather(in, all);
        auto c = world.prepare().reduce(in, out, 1, tutti::sum);
        auto d = world.prepare().broadcast(data, 3);
        for (int k = 0; k < 5; ++k) {
            std::fill(in.begin(), in.end(), k);
            std::fill(data.begin(), data.end(), world.rank() * k);
            a.run();
            b.run();
            c.run();
            d.run();
            expect(part[1] == 4 * k && all[31] == k && data[7] == 3 * k, "shards, all, and the root's");
            expect(world.rank() != 1 || out[7] == 4 * k, "the root's sum");
        }
    });
}

TEST_CASE("a run keeps what it needs when the prepared call goes first") {
    run_world(3, [](communicator& world) {
        std::vector<int> data(50'000, world.rank() + 1);
        auto r = [&] {
            const std::vector<int> factors(100, 1);
            auto plan =
                world.prepare().allreduce(data, [factors](int a, int b) noexcept { return a * b * factors[9]; });
            return plan.start();
        }();
        r.wait();
        expect(data[49'999] == 6, "the product");
    });
}
