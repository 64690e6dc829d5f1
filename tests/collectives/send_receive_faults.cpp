// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/communicator.hpp>

#include "engine/faults.hpp"
#include "support/catch.hpp"
#include "support/world.hpp"

#include <string>
#include <vector>

using namespace tutti::test;
using tutti::cause;

namespace {

/// Two ranks of which both are told of the same mismatch: rank 1's receive against rank 0's send.
void expect_mismatch(const std::string& words, const std::function<void(communicator&)>& send,
                     const std::function<void(communicator&)>& receive) {
    run_new_world(2, [&](communicator& world) {
        const auto f = fault_in_time([&] {
            world.rank() == 0 ? send(world) : receive(world);
            world.barrier();
        });
        expect(f.why == cause::mismatch, "a mismatch, not: " + message_of(f));
        expect_contains(f.detail, words);
        expect_unusable(world, f);
    });
}

} // namespace

TEST_CASE("a message of another length or type is a mismatch on both ranks, and tells both") {
    const std::vector<int> four(4), many(10'000);
    for (const bool late : {false, true}) {
        const auto receive = [late](auto count, auto kind) {
            return [late, count, kind](communicator& world) {
                if (late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
                std::vector<decltype(kind)> in(static_cast<std::size_t>(count));
                world.receive(in, 0, 6);
            };
        };
        expect_mismatch(
            "receive of 5 int32 from rank 0, tag 6 met a message of 4 elements",
            [&](communicator& world) { world.send(four, 1, 6); }, receive(5, 0));
        expect_mismatch(
            "receive of 9999 int32 from rank 0, tag 6 met a message of 10000 elements",
            [&](communicator& world) { world.send(many, 1, 6); }, receive(9999, 0));
        expect_mismatch(
            "receive of 4 float32 from rank 0, tag 6 met a message of 16 bytes of another element type",
            [&](communicator& world) { world.send(four, 1, 6); }, receive(4, 0.0F));
    }
    expect_mismatch(
        "receive of any number of int64", [&](communicator& world) { world.send(four, 1); },
        [](communicator& world) { static_cast<void>(world.receive<std::int64_t>(0)); });
}

TEST_CASE("on a split communicator a message is told of by both ranks of its peer") {
    run_new_world(3, [](communicator& world) {
        const auto backwards = world.split(0, -world.rank());
        std::vector<int> data(backwards.rank() == 0 ? 2 : 3);
        const auto f = fault_in_time([&] {
            if (backwards.rank() == 0) backwards.send(data, 1, 6);
            if (backwards.rank() == 1) backwards.receive(data, 0, 6);
            backwards.barrier();
        });
        expect_contains(f.detail,
                        "rank 1: receive of 3 int32 from rank 0 (2 of the world), tag 6 met a message of 2 elements");
        expect(f.why == cause::mismatch && f.peer == 2, "rank 2 of the world, not: " + message_of(f));
    });
}

TEST_CASE("arguments that make no sense are refused, and nothing has changed") {
    run_world(2, [](communicator& world) {
        int x = 0;
        for (const int rank : {-1, 2})
            expect(fault_of([&] { world.send(x, rank); }).why == cause::invalid_argument, "no such rank");
        expect(fault_of([&] { world.receive(x, 0, -1); }).why == cause::invalid_argument, "no such tag");
        expect(fault_of([&] { world.sendrecv(x, 2, x, 0); }).why == cause::invalid_argument, "no such rank");
        world.barrier();
    });
}

TEST_CASE("a message that never comes is a timeout that names its sender, on all ranks") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters}) {
        gate all_failed(3);
        run_new_world(
            3,
            [&](communicator& world) {
                std::vector<int> data(100);
                if (world.rank() == 0) {
                    const auto f = fault_in_time([&] { world.with_deadline(short_deadline).receive(data, 2, 5); });
                    expect(f.why == cause::timeout && f.peer == 2, "rank 2, not: " + message_of(f));
                    expect_contains(f.operation, "receive of 100 int32 from rank 2, tag 5");
                    expect_contains(f.detail, "has not made its part of receive of 100 int32 from rank 2, tag 5");
                    expect_unusable(world, f);
                }
                all_failed.pass();
                if (world.rank() > 0) {
                    const auto f = fault_in_time([&] { world.barrier(); });
                    expect(f.why == cause::timeout && f.peer == 2, "all are told of rank 2");
                }
            },
            by);
    }
}

TEST_CASE("a long message that nobody receives is a timeout that names its receiver") {
    gate failed(2);
    run_new_world(2, [&](communicator& world) {
        if (world.rank() == 0) {
            const std::vector<int> data(100'000);
            const auto f = fault_in_time([&] { world.with_deadline(short_deadline).send(data, 1); });
            expect(f.why == cause::timeout && f.peer == 1, "rank 1, not: " + message_of(f));
        }
        failed.pass();
    });
}

TEST_CASE("the blame follows messages and collectives to the rank that does nothing") {
    gate all_failed(3);
    run_new_world(3, [&](communicator& world) { // 0 waits for 1 in a message, 1 for 2 in a collective
        const auto pair = world.split(world.rank() == 0);
        int x = 0;
        if (world.rank() == 0) {
            const auto f = fault_in_time([&] { world.with_deadline(short_deadline).receive(x, 1); });
            expect(f.why == cause::timeout && f.peer == 2, "rank 2, not: " + message_of(f));
        } else if (world.rank() == 1) {
            const auto f = fault_in_time([&] { pair.with_deadline(2 * short_deadline).barrier(); });
            expect(f.peer == 2, "rank 2, not: " + message_of(f));
        }
        all_failed.pass();
    });
}

TEST_CASE("the rank that the program waits for is blamed, not that of a message it does not ask for") {
    for (const auto by : {tutti::progress::in_calls, tutti::progress::by_waiters}) {
        gate failed(4);
        run_new_world(
            4,
            [&](communicator& world) {
                int unasked = 0, asked = 0;
                if (world.rank() == 0) {
                    auto late = world.async().receive(unasked, 3, 9);
                    const auto f = fault_in_time([&] { world.with_deadline(short_deadline).receive(asked, 1, 1); });
                    expect(f.why == cause::timeout && f.peer == 1, "rank 1, not: " + message_of(f));
                }
                failed.pass();
            },
            by);
    }
}

TEST_CASE("two ranks that both receive first are told of the circle, with both calls") {
    run_new_world(2, [](communicator& world) {
        int x = 0;
        const auto f =
            fault_in_time([&] { world.with_deadline(short_deadline).receive(x, 1 - world.rank(), world.rank()); });
        expect(f.why == cause::timeout, "a timeout");
        expect_contains(f.detail, "ranks wait for each other in a circle");
        expect_contains(f.remedy, "group()");
        expect_contains(f.detail, "receive of 1 int32 from rank 1, tag 0");
        expect_contains(f.detail, "receive of 1 int32 from rank 0, tag 1");
    });
}

TEST_CASE("a rank that leaves is named by those that wait for its message") {
    run_new_world(3, [](communicator& world) {
        if (world.rank() == 1) return;
        int x = 0;
        const auto f = fault_in_time([&] { world.receive(x, 1); });
        expect(f.why == cause::lost_peer && f.peer == 1, "rank 1 has left, not: " + message_of(f));
    });
}

TEST_CASE("an abort ends all messages under way, and their buffers are free") {
    run_new_world(2, [](communicator& world) {
        std::vector<std::vector<int>> data(10, std::vector<int>(50'000));
        std::vector<request> all;
        const auto f = fault_in_time([&] {
            for (int i = 0; i < 10; ++i)
                all.push_back(world.async().receive(data[static_cast<std::size_t>(i)], 1 - world.rank(), i));
            if (world.rank() == 1) world.abort("enough");
            wait_all(all);
        });
        expect(f.why == cause::aborted, "aborted, not: " + message_of(f));
    });
}

TEST_CASE("a message to itself that is never received is told as such") {
    run_new_world(1, [](communicator& world) {
        const std::vector<int> data(100'000);
        const auto f = fault_in_time([&] { world.with_deadline(short_deadline).send(data, 0, 4); });
        expect(f.why == cause::timeout, "a timeout");
        expect_contains(f.operation, "send of 100000 int32 to rank 0, tag 4");
    });
}
