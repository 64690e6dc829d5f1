// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/request.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <set>

using namespace tutti::test;
namespace algorithm = tutti::algorithm;

namespace {

std::vector<std::vector<int>> vectors(std::size_t how_many, std::size_t count) {
    return std::vector<std::vector<int>>(how_many, std::vector<int>(count, 1));
}

std::vector<request> start(const communicator& world, std::vector<std::vector<int>>& data) {
    std::vector<request> requests;
    for (auto& d : data) requests.push_back(world.async().allreduce(d, tutti::sum));
    return requests;
}

} // namespace

TEST_CASE("many more calls than slots may be under way, and be waited for from the last to the first") {
    for (const int size : {1, 2, 5})
        for (const std::size_t count : {std::size_t{1}, std::size_t{20'000}})
            run_world(size, [=](communicator& world) {
                auto data = vectors(23, count);
                auto requests = start(world, data);
                for (auto r = requests.rbegin(); r != requests.rend(); ++r) r->wait();
                for (const auto& d : data) expect(d[count - 1] == size, "each result");
            });
}

TEST_CASE("a large and a small call are waited for in opposite orders on different ranks") {
    for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce, 2))
        run_world(4, [&](communicator& world) {
            std::vector<int> large(300'000, 1), small(3, 1);
            auto first = world.async().allreduce(large, tutti::sum, how);
            auto second = world.async().allreduce(small, tutti::sum, how);
            (world.rank() % 2 ? first : second).wait();
            (world.rank() % 2 ? second : first).wait();
            expect(large[299'999] == 4 && small[2] == 4, "both results");
        });
}

TEST_CASE("wait_all waits for all, and wait_any collects each one once") {
    run_world(3, [](communicator& world) {
        auto data = vectors(9, 500);
        auto requests = start(world, data);
        std::set<std::size_t> collected;
        while (collected.size() < 5) {
            const std::size_t i = wait_any(requests);
            expect(i < requests.size() && requests[i].collected(), "one that has been collected");
            expect(data[i][499] == 3, "its result");
            expect(collected.insert(i).second, "not one that was collected before");
        }
        wait_all(requests);
        for (auto& r : requests) expect(r.collected(), "all are collected");
        expect(wait_any(requests) == requests.size(), "none is left");
        wait_all(requests);
        requests.clear();
        expect(wait_any(requests) == 0, "none of none");
    });
}

TEST_CASE("requests of no call, several by name and in an array are waited for") {
    run_world(3, [](communicator& world) {
        request none;
        expect(none.collected() && none.test() && none.wait_for(std::chrono::hours::max()), "it is over");
        none.wait();
        auto data = vectors(5, 500);
        auto first = world.async().allreduce(data[0], tutti::sum),
             second = world.async().allreduce(data[1], tutti::sum);
        none = world.async().allreduce(data[2], tutti::sum);
        wait_all(first, none, second);
        request both[] = {world.async().allreduce(data[3], tutti::sum), world.async().allreduce(data[4], tutti::sum)};
        const std::size_t i = wait_any(both);
        expect(i < 2 && both[i].collected(), "one of the array");
        wait_all(both);
        for (const auto& d : data) expect(d[499] == 3, "each result");
    });
}

TEST_CASE("of several that are waited for by name all end, and the first failure is thrown") {
    run_world(2, [](communicator& world) {
        auto apart = world.duplicate();
        std::vector<int> good(1000, 1), bad(1000, 1);
        auto wrong = world.rank() == 0 ? apart.async().allreduce(bad, tutti::sum) : apart.async().broadcast(bad, 0);
        auto right = world.async().allreduce(good, tutti::sum);
        expect(fault_of([&] { wait_all(wrong, right); }).why == tutti::cause::mismatch, "what went wrong first");
        expect(wrong.collected() && right.collected() && good[999] == 2, "all are over");
    });
}

TEST_CASE("testing moves a request to its end") {
    run_world(3, [](communicator& world) {
        std::vector<int> data(100'000, 1);
        auto r = world.async().allreduce(data, tutti::sum);
        const auto start = std::chrono::steady_clock::now();
        while (!r.test()) {
            expect(std::chrono::steady_clock::now() - start < patience, "it ends");
            std::this_thread::yield();
        }
        expect(data[99'999] == 3 && r.test() && r.collected(), "the result");
        r.wait();
    });
}

TEST_CASE("dropping a request waits for it") {
    run_world(3, [](communicator& world) {
        std::vector<int> data(100'000, 1);
        static_cast<void>(world.async().allreduce(data, tutti::sum));
        expect(data[99'999] == 3, "the result is there");
    });
}

TEST_CASE("a request that has been moved from has nothing left to wait for") {
    run_world(2, [](communicator& world) {
        auto data = vectors(2, 50'000);
        auto a = world.async().allreduce(data[0], tutti::sum);
        auto b = std::move(a);
        expect(a.collected() && a.test(), "the source is empty"); // NOLINT(bugprone-use-after-move)
        a.wait();
        b = world.async().allreduce(data[1], tutti::sum); // waits for what it held
        expect(data[0][49'999] == 2, "the first result");
        b.wait();
        expect(data[1][49'999] == 2, "the second result");
    });
}

TEST_CASE("with progress in calls, whatever call a rank is in moves all its requests") {
    run_world(3, [](communicator& world) {
        const auto other = world.duplicate();
        std::vector<int> data(200'000, 1);
        auto r = world.async().allreduce(data, tutti::sum, algorithm::ring{});
        if (world.rank() == 0) {
            r.wait(); // the others never wait for theirs before the barrier
            expect(data[199'999] == 3, "the result");
        }
        other.barrier();
        r.wait();
    });
}

TEST_CASE("every operation can be started and waited for") {
    run_world(4, [](communicator& world) {
        const auto rank = static_cast<std::size_t>(world.rank());
        std::vector<int> in(8, world.rank()), part(2), all(32), out(8), sums(8), text(8, world.rank());
        auto a = world.async().allreduce(in, sums, tutti::sum);
        auto b = world.async().reduce_scatter(in, part, tutti::sum, algorithm::ring{});
        auto c = world.async().allgather(in, all);
        auto d = world.async().reduce(in, out, 3, tutti::maximum);
        auto e = world.async().broadcast(text, 2);
        std::vector<request> requests;
        for (auto* r : {&e, &d, &c, &b, &a}) requests.push_back(std::move(*r));
        wait_all(requests);
        expect(sums[7] == 6 && part[1] == 6 && all[31] == 3 && all[8 * rank] == world.rank(), "sums and parts");
        expect(text[7] == 2 && (rank != 3 || out[7] == 3), "broadcast and reduce");
    });
}

TEST_CASE("an operator with state is kept as long as the call needs it") {
    run_world(4, [](communicator& world) {
        std::vector<long> data(50'000, world.rank() + 1);
        auto r = [&] {
            const std::vector<long> modulus(100, 1009);
            return world.async().allreduce(data, [modulus](long a, long b) noexcept {
                return a * b % modulus[static_cast<std::size_t>(a % 100)];
            });
        }();
        r.wait();
        expect(data[49'999] == 24, "the product");
    });
}
