// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/calls/arguments.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <array>

using namespace tutti::test;
using tutti::cause;
namespace algorithm = tutti::algorithm;

namespace {

/// The call is rejected on every rank, in words that contain `part`, and the communicator goes on.
void expect_rejected(communicator& world, const std::function<void()>& call, const std::string& part) {
    const auto f = fault_of(call);
    expect(f.why == cause::invalid_argument, "an invalid argument, not: " + message_of(f));
    expect(message_of(f).find(part) != std::string::npos, "\"" + part + "\" in: " + message_of(f));
    std::array<int, 3> data{1, 1, 1};
    world.allreduce(data, tutti::sum);
    expect(data[2] == world.size(), "the communicator is as it was");
}

} // namespace

TEST_CASE("anything contiguous is a range") {
    run_world(3, [](communicator& world) {
        const int mine = world.rank() + 1;
        std::vector<int> vector(5, mine);
        std::array<int, 5> array{mine, mine, mine, mine, mine};
        int plain[5] = {mine, mine, mine, mine, mine};
        const std::vector<int> constant(5, mine);
        std::vector<int> out(5);
        world.allreduce(vector, tutti::sum);
        world.allreduce(array, tutti::sum);
        world.allreduce(plain, tutti::sum);
        world.allreduce(std::span(out), tutti::sum);
        world.allreduce(constant, out, tutti::sum);
        expect(vector[4] == 6 && array[4] == 6 && plain[4] == 6 && out[4] == 6, "the sum of 1, 2, 3");
        world.allreduce(std::as_const(plain), std::span(out), tutti::maximum);
        expect(out[0] == 6, "the largest");
        world.broadcast(std::span(&plain[1], 1), 2);
        std::string text(3, static_cast<char>('a' + world.rank()));
        world.broadcast(text, 1);
        expect(text == "bbb", "text of rank 1");
    });
}

TEST_CASE("ranges that overlap in part are rejected, before anything has changed") {
    run_world(3, [](communicator& world) {
        std::vector<int> data(100, 1);
        const std::span all(data);
        expect_rejected(
            world, [&] { world.allreduce(all.first(50), all.subspan(1, 50), tutti::sum); }, "overlap");
        expect_rejected(
            world, [&] { world.allreduce(all.subspan(49, 50), all.first(50), tutti::sum); }, "overlap");
        const auto wrong = static_cast<std::size_t>((world.rank() + 1) % 3) * 10;
        expect_rejected(
            world, [&] { world.reduce_scatter(all.first(30), all.subspan(wrong, 10), tutti::sum); }, "overlap");
        expect_rejected(
            world, [&] { world.allgather(all.subspan(wrong, 10), all.first(30)); }, "overlap");
        world.allreduce(all.first(50), all.last(50), tutti::sum); // side by side
        for (std::size_t i = 0; i < 100; ++i) expect(data[i] == (i < 50 ? 1 : 3), "only the output has changed");
    });
}

TEST_CASE("null ranges, roots that are not there and unequal counts are rejected") {
    run_world(3, [](communicator& world) {
        std::vector<int> four(4), five(5);
        const std::span<int> null(static_cast<int*>(nullptr), 5);
        expect_rejected(
            world, [&] { world.allreduce(null, tutti::sum); }, "null");
        expect_rejected(
            world, [&] { world.allreduce(five, null, tutti::sum); }, "null");
        expect_rejected(
            world, [&] { world.broadcast(null, 0); }, "null");
        for (const int root : {-1, 3}) {
            expect_rejected(
                world, [&] { world.broadcast(five, root); }, "no root " + std::to_string(root));
            expect_rejected(
                world, [&] { world.reduce(five, five, root, tutti::sum); }, "among 3 ranks");
        }
        expect_rejected(
            world, [&] { world.allreduce(four, five, tutti::sum); }, "4 elements where 5");
        expect_rejected(
            world, [&] { world.reduce_scatter(four, five, tutti::sum); },
            "the input has 4 elements and the output 5: with 3 ranks the input must have 3 times as many as the "
            "output");
        expect_rejected(
            world, [&] { world.allgather(four, five); },
            "the input has 4 elements and the output 5: with 3 ranks the output must have 3 times as many as the "
            "input");
        expect_rejected(
            world, [&] { world.allgather(four, std::vector<int>(13)); }, "4 elements and the output 13: with 3 ranks");
        expect_rejected(
            world, [&] { static_cast<void>(world.async().allreduce(four, five, tutti::sum)); }, "4 elements where 5");
        expect_rejected(
            world, [&] { static_cast<void>(world.prepare().allreduce(four, five, tutti::sum)); }, "4 elements where 5");
        expect_rejected(
            world, [&] { world.default_deadline(std::chrono::seconds(0)); }, "deadline");
    });
}

TEST_CASE("ranges whose elements are misaligned are rejected, if they have any") {
    run_world(3, [](communicator& world) {
        std::vector<int> right(6), storage(8);
        auto* const odd = reinterpret_cast<int*>(reinterpret_cast<char*>(storage.data()) + 2);
        const std::span<int> wrong(odd, 6);
        const std::string why = "misaligned: its elements must lie at multiples of 4 bytes";
        expect_rejected(
            world, [&] { world.allreduce(wrong, tutti::sum); }, why);
        expect_rejected(
            world, [&] { world.allreduce(right, wrong, tutti::sum); }, why);
        expect_rejected(
            world, [&] { world.allgather(wrong.first(2), right); }, why);
        expect_rejected(
            world,
            [&] {
                world.allgatherv(std::span(right).first(2), wrong, std::array{2, 2, 2});
            },
            why);
        expect_rejected(
            world, [&] { world.send(wrong, 0); }, why);
        world.allreduce(wrong.first(0), tutti::sum);
        world.reduce(right, world.rank() == 1 ? std::span(storage).first(6) : wrong, 1, tutti::sum); // read by nobody
        world.allgather(std::as_bytes(wrong).first(2), std::as_writable_bytes(std::span(right)).subspan(1, 6));
    });
}

TEST_CASE("only the root's output counts in a reduce") {
    run_world(4, [](communicator& world) {
        std::vector<int> in(10, 1), out(world.rank() == 2 ? 10 : 3, -1);
        world.reduce(in, out, 2, tutti::sum);
        expect(out[0] == (world.rank() == 2 ? 4 : -1), "the sum at the root, nothing elsewhere");
        if (world.rank() == 2) {
            std::vector<int> short_one(9);
            expect(fault_of([&] { world.reduce(in, short_one, 2, tutti::sum); }).why == cause::invalid_argument,
                   "a short output at the root is rejected");
        }
        world.barrier();
    });
}

TEST_CASE("an algorithm chosen by name must exist and have a schedule for the operation") {
    run_world(2, [](communicator& world) {
        std::vector<int> data(4, 1);
        expect_rejected(
            world, [&] { world.allreduce(data, tutti::sum, algorithm::by_name("rings")); }, "ring");
        expect_rejected(
            world, [&] { world.broadcast(data, 0, algorithm::by_name("butterfly")); }, "binomial_tree");
        world.allreduce(data, tutti::sum, algorithm::by_name("butterfly"));
        expect(data[3] == 2, "the sum");
    });
}

TEST_CASE("nothing at all may be reduced") {
    run_world(3, [](communicator& world) {
        std::vector<int> none;
        world.allreduce(none, tutti::sum);
        world.allreduce(std::span<int>(), std::span<int>(), tutti::sum);
        world.allgather(none, none);
        world.reduce_scatter(none, none, tutti::sum);
        world.reduce(none, none, 1, tutti::sum);
        world.broadcast(none, 1);
    });
}
