// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/engine/call.hpp>

#include "engine/faults.hpp"
#include "support/catch.hpp"

using namespace tutti::test;
using tutti::cause;
namespace algorithm = tutti::algorithm;

namespace {

/// The last rank calls `odd`, the others `even`. All must be told of a mismatch, with both calls in words.
void clash(int ranks, const body& even, const body& odd, const std::string& even_words, const std::string& odd_words) {
    gate all_failed(ranks);
    run_new_world(ranks, [&](communicator& world) {
        world.default_deadline(short_deadline);
        const auto f = fault_in_time([&] {
            (world.rank() == ranks - 1 ? odd : even)(world);
            for (int k = 0; k < 8; ++k) world.barrier(); // who had done its part when the fault was found
        });
        expect(f.why == cause::mismatch, "a mismatch, not: " + message_of(f));
        expect_contains(f.detail, even_words);
        expect_contains(f.detail, odd_words);
        expect_unusable(world, f);
        all_failed.pass();
    });
}
void clash(const body& even, const body& odd, const std::string& even_words, const std::string& odd_words) {
    for (const int ranks : {2, 5}) clash(ranks, even, odd, even_words, odd_words);
}

template <class T = int, class Op = tutti::sum_operator>
body allreduce_of(std::size_t count, const algorithm::any& how = algorithm::ring{}, Op op = {}) {
    return [=](communicator& world) {
        std::vector<T> data(count, T(world.rank()));
        world.allreduce(data, op, how);
        expect(false, "no rank gets a result");
    };
}
body reduce_to(int root) {
    return [=](communicator& world) {
        std::vector<int> in(100, 1), out(100);
        world.reduce(in, out, root, tutti::sum, algorithm::binomial_tree{});
    };
}
body broadcast_from(int root) {
    return [=](communicator& world) {
        std::vector<int> data(100, world.rank());
        world.broadcast(data, root, algorithm::binomial_tree{});
    };
}

} // namespace

TEST_CASE("unequal counts are named on all ranks") {
    for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce, 2))
        clash(allreduce_of(1000, how), allreduce_of(1001, how), "of 1000 int32", "of 1001 int32");
    clash(allreduce_of(0), allreduce_of(1), "of 0 int32", "of 1 int32");
    clash(allreduce_of(100'000), allreduce_of(1), "of 100000 int32", "of 1 int32");
}

TEST_CASE("unequal types are named, though they have one size") {
    clash(allreduce_of<int>(100), allreduce_of<float>(100), "100 int32", "100 float32");
}

TEST_CASE("unequal operators are named") {
    clash(allreduce_of(100), allreduce_of(100, algorithm::ring{}, tutti::maximum), "sum", "maximum");
}

TEST_CASE("unequal algorithms are named") {
    clash(allreduce_of(100, algorithm::ring{}), allreduce_of(100, algorithm::butterfly{}), "allreduce(ring)",
          "allreduce(butterfly)");
}

TEST_CASE("unequal operations are named") {
    clash(
        allreduce_of(100), [](communicator& world) { world.barrier(); }, "allreduce(ring) of 100", "barrier");
    clash(allreduce_of(100), broadcast_from(0), "allreduce(ring) of 100", "broadcast(binomial_tree) of 100");
}

TEST_CASE("unequal roots are named, even when every rank waits for another one") {
    clash(2, reduce_to(0), reduce_to(1), "root 0", "root 1"); // each waits for the other
    clash(2, broadcast_from(1), broadcast_from(0), "root 1", "root 0");
}

TEST_CASE("unequal roots that nobody waits for are found in the next call, and both calls are named") {
    for (const int ranks : {2, 3, 5}) {
        gate all_returned(ranks), all_failed(ranks);
        run_new_world(ranks, [&](communicator& world) {
            world.default_deadline(short_deadline);
            if (ranks == 2) broadcast_from(world.rank())(world); // each is a root, and returns
            all_returned.pass();
            const auto f = fault_in_time([&] {
                if (ranks > 2) broadcast_from(world.rank() == ranks - 1 ? ranks - 1 : 0)(world);
                world.barrier();
            });
            expect(f.why == cause::mismatch, "a mismatch, not: " + message_of(f));
            expect_contains(f.detail, "root 0");
            expect_contains(f.detail, "root " + std::to_string(ranks - 1));
            all_failed.pass();
        });
    }
}

TEST_CASE("a difference is named that lies some calls back, in a communicator whose slots have come round") {
    // The messages of sixteen calls are let through before anybody looks at what the last rank has sent.
    gate all_failed(2);
    run_new_world(2, [&](communicator& world) {
        world.default_deadline(short_deadline);
        std::vector<int> data(4, 1);
        for (int k = 0; k < 20; ++k) world.broadcast(data, 0, algorithm::binomial_tree{});
        if (world.rank() == 0) world.broadcast(data, 0, algorithm::binomial_tree{}); // sends, and goes on
        const auto f = fault_in_time([&] {
            if (world.rank() == 1) world.broadcast(data, 1, algorithm::binomial_tree{});
            for (int k = 0; k < 3; ++k) world.broadcast(data, 0, algorithm::binomial_tree{});
            world.barrier();
        });
        expect(f.why == cause::mismatch, "a mismatch, not: " + message_of(f));
        expect_contains(f.detail, "root 0");
        expect_contains(f.detail, "root 1");
        expect_contains(f.detail, "as call 20");
        all_failed.pass();
    });
}

TEST_CASE("a prepared call counts when it runs") {
    gate all_failed(2);
    run_new_world(2, [&](communicator& world) {
        world.default_deadline(short_deadline);
        std::vector<int> data(4, 1), more(4, 1);
        auto plan = world.prepare().broadcast(data, 0, algorithm::binomial_tree{});
        if (world.rank() == 0) { // prepares more, and runs nothing of it
            const auto other = world.prepare().allreduce(more, tutti::sum);
            plan.run();
        } else {
            plan.run();
        }
        world.barrier();
        if (world.rank() == 0) plan.run();
        const auto f = fault_in_time([&] {
            world.barrier();
            world.barrier();
        });
        expect(f.why == cause::mismatch, "a mismatch, not: " + message_of(f));
        expect_contains(f.detail, "broadcast(binomial_tree) of 4 int32, root 0");
        all_failed.pass();
    });
}

TEST_CASE("a call that is over is named as it was, after others that were repeated") {
    const auto repeated_then = [](std::size_t count) {
        return [=](communicator& world) {
            std::vector<int> data(100, world.rank());
            for (int k = 0; k < 16; ++k) world.broadcast(data, 0, algorithm::binomial_tree{});
            world.broadcast(std::span(data).first(count), 0, algorithm::binomial_tree{});
        };
    };
    clash(2, repeated_then(50), repeated_then(60), "of 50 int32", "of 60 int32"); // rank 0 has sent and gone on
}

TEST_CASE("a rank that waits for one that took no part is named with the call that it is still in") {
    gate all_failed(5);
    run_new_world(5, [&](communicator& world) {
        world.default_deadline(short_deadline);
        const auto f = fault_in_time([&] {
            broadcast_from(world.rank() == 4 ? 1 : 0)(world); // 4 waits for 3, which got the data from 2 and went on
            world.barrier();
        });
        expect_contains(message_of(f), "root 1");
        all_failed.pass();
    });
}

TEST_CASE("a mismatch is found in whichever of several calls under way it is") {
    const auto two = [](std::size_t second) {
        return [=](communicator& world) {
            std::vector<int> a(100), b(second);
            auto ahead = world.async().allreduce(a, tutti::sum);
            world.allreduce(b, tutti::sum, algorithm::ring{});
        };
    };
    clash(two(200), two(300), "of 200 int32", "of 300 int32");
}

TEST_CASE("a mismatch in one communicator leaves the others alone") {
    run_new_world(3, [](communicator& world) {
        auto twin = world.duplicate();
        world.default_deadline(short_deadline);
        std::vector<int> data(world.rank() == 0 ? 5 : 6, 1);
        const auto f = fault_in_time([&] { world.allreduce(data, tutti::sum); });
        expect(f.why == cause::mismatch, "a mismatch");
        std::vector<int> good(100, 1);
        twin.allreduce(good, tutti::sum);
        expect(good[99] == 3, "the twin's result");
    });
}
