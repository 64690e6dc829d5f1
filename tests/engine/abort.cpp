// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/driver.hpp>

#include "engine/faults.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/milestone.hpp"

using namespace tutti::test;
using tutti::cause;

TEST_CASE("an abort ends the call that others are in, and the next call of those that are outside") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters}) {
        gate everyone(3), outside(3);
        run_new_world(
            3,
            [&](communicator& world) {
                std::vector<int> data(10, 1);
                everyone.pass();
                if (world.rank() == 0) {
                    std::this_thread::sleep_for(50ms); // 1 is inside by now
                    world.abort("enough is enough");
                }
                tutti::fault f;
                if (world.rank() == 1) f = fault_in_time([&] { world.allreduce(data, tutti::sum); });
                outside.pass();
                if (world.rank() != 1) f = fault_in_time([&] { world.allreduce(data, tutti::sum); }, 0ms);
                expect(f.why == cause::aborted, "an abort, not: " + message_of(f));
                expect(f.peer == 0, "who aborted, not: " + message_of(f));
                expect_contains(message_of(f), "enough is enough");
                expect_unusable(world, f);
            },
            by);
    }
}

TEST_CASE("an abort ends one communicator and no other") {
    gate aborted(3);
    run_new_world(3, [&](communicator& world) {
        auto child = world.split(0);
        if (world.rank() == 1) child.abort("only this one");
        aborted.pass();
        expect(fault_in_time([&] { child.barrier(); }).why == cause::aborted, "the child has ended");
        std::vector<int> data(10, 1);
        world.allreduce(data, tutti::sum);
        expect(data[0] == 3, "the world's result");
        auto next = world.split(0);
        next.barrier();
    });
}

TEST_CASE("an abort may come before a rank has made the communicator") {
    milestone aborted;
    run_new_world(2, [&](communicator& world) {
        if (world.rank() == 1) aborted.await("the abort");
        auto twin = world.duplicate();
        if (world.rank() == 0) {
            twin.abort("too early for you");
            aborted.reach();
        }
        expect_contains(message_of(fault_in_time([&] { twin.barrier(); })), "too early for you");
        world.barrier();
    });
}

TEST_CASE("a call that begins after an abort that this rank has yet to hear of is named") {
    milestone aborted;
    run_new_world(2, [&](communicator& world) {
        world.barrier();
        if (world.rank() == 1) {
            world.abort("the disk is full");
            return aborted.reach();
        }
        aborted.await("the abort");
        std::this_thread::sleep_for(5ms); // it looks on entry
        expect_contains(message_of(fault_in_time([&] { world.barrier(); })), "aborted in barrier");
    });
}

TEST_CASE("the first failure of a communicator stays its failure") {
    run_new_world(2, [](communicator& world) {
        world.barrier();
        if (world.rank() == 0) {
            world.abort("first");
            world.abort("second");
            expect_contains(message_of(fault_of([&] { world.barrier(); })), "first");
        } else {
            expect_contains(message_of(fault_in_time([&] { world.barrier(); })), "first");
            world.abort("third");
            expect_contains(message_of(fault_of([&] { world.barrier(); })), "first");
        }
    });
}

TEST_CASE("an abort ends the requests of the rank that calls it") {
    gate aborted(2); // till then the other rank calls nothing: that would be a mismatch
    run_new_world(2, [&](communicator& world) {
        std::vector<int> data(10, 1);
        if (world.rank() == 1) {
            aborted.pass();
            expect(fault_in_time([&] {
                       for (;;) world.barrier();
                   }).why == cause::aborted,
                   "the other rank learns");
            return;
        }
        auto r = world.async().allreduce(data, tutti::sum, tutti::algorithm::ring{});
        world.abort("no more of this");
        aborted.pass();
        expect(fault_in_time([&] { r.wait(); }, 0ms).why == cause::aborted, "the request has ended");
    });
}

#if !TUTTI_TEST_ADDRESS_SANITIZER && !TUTTI_TEST_THREAD_SANITIZER // they end the process instead of throwing
TEST_CASE("a call that cannot begin for want of memory fails on all ranks, in time") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters})
        run_new_world(
            4,
            [](communicator& world) {
                int one = 1; // nothing is read: the scratch for so many elements is not to be had
                const std::span<int> boundless(&one, std::size_t{1} << 50);
                const auto f = fault_in_time(
                    [&] { world.allreduce(boundless, tutti::sum, tutti::algorithm::butterfly{}); }, 1000ms);
                expect(f.why == cause::aborted, "a typed error, not: " + message_of(f));
                expect_contains(message_of(f), "could not begin allreduce(butterfly)");
                expect_unusable(world, f);
            },
            by);
}
#endif
