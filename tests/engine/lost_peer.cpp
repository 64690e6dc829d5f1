// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/driver.hpp>

#include "engine/faults.hpp"
#include "support/catch.hpp"
#include "support/milestone.hpp"

using namespace tutti::test;
using tutti::cause;
using tutti::transport::memory_world;

namespace {

struct scene {
    explicit scene(int size = 4, int who = 2)
        : ranks(size), victim(who), fabric(memory_world::create(size)), everyone(size) {}

    int ranks, victim;
    std::shared_ptr<memory_world> fabric;
    gate everyone;
    milestone killed;

    /// All channels that a barrier needs have been used, and no rank is inside it any more.
    void assemble(communicator& world) {
        world.barrier();
        everyone.pass();
    }
    /// Ends the rank that calls it.
    void die() {
        fabric->kill(victim);
        killed.reach();
    }
    void play(const body& work, tutti::progress by = tutti::progress::in_calls) {
        run_new_world(ranks, work, by, fabric);
    }
    void expect_blamed(const tutti::fault& f) const {
        expect(f.why == cause::lost_peer, "a lost peer, not: " + message_of(f));
        expect(f.peer == victim, "the rank that was lost, not: " + message_of(f));
        expect_contains(message_of(f), "rank " + std::to_string(victim));
    }
};

} // namespace

TEST_CASE("a rank that dies before a call is named to all others in it") {
    for (const int victim : {0, 2}) {
        scene s(4, victim);
        s.play([&](communicator& world) {
            std::vector<int> data(1000, 1);
            s.assemble(world);
            if (world.rank() == victim) return s.die();
            world.default_deadline(short_deadline);
            const auto f = fault_in_time([&] { world.allreduce(data, tutti::sum); });
            s.expect_blamed(f);
            expect_unusable(world, f);
        });
    }
}

TEST_CASE("a rank that dies inside a call is named to all others long before the deadline") {
    using namespace tutti::algorithm;
    for (const any& how : {any(ring{}), any(butterfly{}), any(double_binary_tree{})}) {
        scene s;
        s.play([&](communicator& world) {
            std::vector<int> data(100'000, 1);
            s.assemble(world);
            if (world.rank() == s.victim) {
                auto started = world.with_deadline(short_deadline).async().allreduce(data, tutti::sum, how);
                s.die();
                const auto f = fault_in_time([&] { started.wait(); });
                return expect(f.why != cause::invalid_argument, "the dead rank itself gets an error too");
            }
            const auto f = fault_in_time([&] {
                for (;;) world.allreduce(data, tutti::sum, how); // some ranks may finish the first
            });
            s.expect_blamed(f);
            expect_unusable(world, f);
        });
    }
}

TEST_CASE("a rank that dies after a call is named in the next one") {
    scene s;
    s.play([&](communicator& world) {
        std::vector<int> data(10, 1);
        world.allreduce(data, tutti::sum);
        s.everyone.pass();
        if (world.rank() == s.victim) return s.die();
        s.killed.await("the victim is dead");
        expect(data[0] == s.ranks, "the finished call has its result");
        s.expect_blamed(fault_in_time([&] { world.allreduce(data, tutti::sum); }));
    });
}

TEST_CASE("communicators without the lost rank go on") {
    scene s(5);
    s.play([&](communicator& world) {
        const bool doomed = world.rank() == s.victim || world.rank() == 0;
        auto group = world.split(doomed ? 1 : 0);
        auto twin = group.duplicate();
        s.everyone.pass();
        if (world.rank() == s.victim) return s.die();
        s.killed.await("the victim is dead");
        std::vector<int> data(1000, 1);
        s.expect_blamed(fault_in_time([&] { world.barrier(); }));
        if (doomed) return s.expect_blamed(fault_in_time([&] { group.allreduce(data, tutti::sum); }));
        for (int k = 0; k < 20; ++k) {
            group.allreduce(data, tutti::maximum);
            twin.barrier();
        }
        auto rest = group.split(0);
        rest.allreduce(data, tutti::sum);
        expect(data[999] == 3, "the survivors' result");
    });
}

TEST_CASE("all of several calls under way fail, and none touches its buffer afterwards") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters}) {
        scene s;
        s.play(
            [&](communicator& world) {
                s.assemble(world);
                if (world.rank() == s.victim) return s.die();
                std::vector<std::vector<int>> data(7, std::vector<int>(50'000, 1));
                std::vector<request> requests;
                try {
                    for (auto& d : data) requests.push_back(world.async().allreduce(d, tutti::sum));
                } catch (const tutti::error& e) { // later ones may find it out at their start
                    s.expect_blamed(e.facts());
                }
                for (auto& r : requests) s.expect_blamed(fault_in_time([&] { r.wait(); }));
                data.clear(); // ASan sees who still looks
                expect_unusable(world, fault_of([&] { world.barrier(); }));
            },
            by);
    }
}

TEST_CASE("a request that is dropped after a failure neither throws nor waits") {
    scene s;
    s.play([&](communicator& world) {
        s.assemble(world);
        if (world.rank() == s.victim) return s.die();
        s.expect_blamed(fault_in_time([&] {
            std::vector<int> data(50'000, 1);
            { const auto dropped = world.async().allreduce(data, tutti::sum); }
            world.barrier();
        }));
    });
}
