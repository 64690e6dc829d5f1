// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/any_communicator.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <span>
#include <vector>

using namespace tutti::test;
using tutti::any_communicator;
using tutti::type_erased;

namespace {

void on_ranks(int ranks, const std::function<void(const any_communicator&)>& work) {
    run_world(ranks, [&](const communicator& world) { work(type_erased(world)); });
}

} // namespace

TEST_CASE("an erased communicator is the same one: ranks, deadline, hosts, clock and calls") {
    run_world(3, [](const communicator& world) {
        const any_communicator same = type_erased(world.with_deadline(std::chrono::seconds(7)));
        expect(same.rank() == world.rank() && same.size() == 3, "ranks");
        expect(same.world_rank(2) == 2 && same.topology().nodes() == 1, "hosts");
        expect(same.default_deadline() == std::chrono::seconds(7), "the deadline");
        const auto before = world.now();
        expect(before <= same.now() && same.way_to(0) == world.way_to(0), "clock and ways");
        expect(world.allreduce(1, tutti::sum) == 3 && same.allreduce(2, tutti::sum) == 6 &&
                   world.allreduce(3, tutti::sum) == 9,
               "one sequence of calls");
    });
}

TEST_CASE("an erased communicator makes non-blocking and prepared calls") {
    on_ranks(4, [](const any_communicator& world) {
        std::vector<int> a(100, 1), b(100, world.rank());
        auto first = world.async().allreduce(a, tutti::sum);
        auto second = world.async().allreduce(b, tutti::maximum);
        second.wait();
        while (!first.test()) {
        }
        expect(a[99] == 4 && b[99] == 3 && first.collected(), "two requests");
        auto plan = world.prepare().allreduce(a, tutti::sum);
        plan.run();
        plan.start().wait();
        expect(a[0] == 64, "a prepared call, twice");
    });
}

TEST_CASE("an erased communicator carries messages, and any of its requests can be waited for") {
    on_ranks(2, [](const any_communicator& world) {
        const int other = 1 - world.rank();
        std::array<int, 2> in{};
        std::vector<decltype(world.async().receive(in[0], other))> all;
        all.push_back(world.async().receive(in[0], other, 0));
        all.push_back(world.async().receive(in[1], other, 1));
        world.send(20, other, 1);
        expect(tutti::wait_any(all) == 1 && in[1] == 20, "the message that came");
        world.barrier(); // so that the other rank waits before this comes
        world.send(10, other, 0);
        expect(tutti::wait_any(all) == 0 && in[0] == 10 && tutti::wait_any(all) == 2, "the other one");
        world.sendrecv(world.rank(), other, in[0], other);
        expect(in[0] == other, "both at once");
    });
}

TEST_CASE("communicators that are split off an erased one are erased too") {
    on_ranks(4, [](const any_communicator& world) {
        const any_communicator half = world.split(world.rank() % 2);
        expect(half.size() == 2 && half.allreduce(world.rank(), tutti::sum) == (world.rank() % 2 == 0 ? 2 : 4),
               "a half");
        expect(world.duplicate().allreduce(1, tutti::sum) == 4, "a duplicate");
    });
}

TEST_CASE("an erased communicator records, allocates, and fails as others do") {
    run_new_world(2, [](const communicator& known) {
        const any_communicator world = type_erased(known);
        auto recording = world.record(100);
        auto memory = world.allocate<int>(10);
        world.allreduce(memory, tutti::sum);
        expect(!recording.stop().activities.empty(), "the steps of a call");
        const auto wrong = fault_of([&] { world.broadcast(std::span(memory), 2); });
        expect(wrong.why == tutti::cause::invalid_argument, "a root that is no rank");
        world.barrier();
        if (world.rank() == 0) world.abort("enough");
        expect(fault_of([&] { world.barrier(); }).why == tutti::cause::aborted, "the end of all calls");
    });
}
