// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/communicator.hpp>

#include "support/catch.hpp"
#include "support/milestone.hpp"
#include "support/world.hpp"

#include <atomic>
#include <random>

using namespace tutti::test;
namespace algorithm = tutti::algorithm;

namespace {
void run_with_thread(int size, const body& work) { run_new_world(size, work, tutti::progress::by_waiters); }
} // namespace

TEST_CASE("where any thread may call every operation gives what it gives else") {
    for (const int size : {1, 2, 5})
        run_with_thread(size, [size](communicator& world) {
            for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce, 2))
                for (const std::size_t count : {std::size_t{0}, std::size_t{3}, std::size_t{30'000}}) {
                    std::vector<int> data(count, world.rank());
                    world.allreduce(data, tutti::sum, how);
                    for (const int x : data) expect(x == size * (size - 1) / 2, "the sum");
                }
            const auto child = world.split(world.rank() % 2);
            child.barrier();
            world.barrier();
        });
}

TEST_CASE("a call moves on while its rank computes") {
    milestone done;
    run_with_thread(2, [&](communicator& world) {
        std::vector<int> data(500'000, 1);
        auto r = world.async().allreduce(data, tutti::sum, algorithm::ring{});
        if (world.rank() == 0) return done.await("rank 1 has its result while rank 0 is in no call");
        r.wait();
        expect(data[0] == 2, "the result");
        done.reach();
    });
}

TEST_CASE("the messages of a group move on while its rank computes") {
    milestone done;
    run_with_thread(2, [&](communicator& world) {
        std::vector<int> data(500'000, world.rank());
        if (world.rank() == 1) {
            world.send(std::span<const int>(data), 0);
            return done.reach();
        }
        auto all = world.group();
        all.receive(std::span(data), 1);
        done.await("rank 1 has sent while rank 0 is in no call");
        all.wait();
        expect(data[499'999] == 1, "the message");
    });
}

TEST_CASE("a request that nobody asks about ends by itself") {
    run_with_thread(2, [&](communicator& world) {
        std::vector<int> data(10, 1);
        auto r = world.async().allreduce(data, tutti::sum);
        const auto start = std::chrono::steady_clock::now();
        while (!r.test()) { // which only looks
            expect(std::chrono::steady_clock::now() - start < patience, "it ends");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        expect(data[9] == 2, "the result");
    });
}

TEST_CASE("several threads of a rank may call, each on its own communicator") {
    run_with_thread(3, [](communicator& world) {
        constexpr int callers = 4;
        std::vector<communicator> own;
        for (int t = 0; t < callers; ++t) own.push_back(world.duplicate());
        std::vector<std::string> failures(callers);
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < callers; ++t)
            threads.emplace_back([&, t] {
                try {
                    for (int k = 0; k < 50; ++k) {
                        std::vector<int> small(5, k), large(10'000, k);
                        auto r = own[t].async().allreduce(large, tutti::sum);
                        own[t].allreduce(small, tutti::maximum);
                        r.wait();
                        expect(small[4] == k && large[9'999] == 3 * k, "both results");
                    }
                } catch (const std::exception& e) {
                    failures[t] = e.what();
                }
            });
        for (auto& t : threads) t.join();
        for (const auto& f : failures) expect(f.empty(), f);
    });
}

TEST_CASE("eight threads of each rank call as a seed draws, each on its own communicator") {
    const unsigned seed = std::random_device{}();
    run_with_thread(3, [seed](communicator& world) {
        std::vector<communicator> own;
        for (int t = 0; t < 8; ++t) own.push_back(world.duplicate());
        std::vector<std::string> failures(own.size());
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < own.size(); ++t)
            threads.emplace_back([&, t] {
                try {
                    std::minstd_rand random(seed + static_cast<unsigned>(t));
                    for (int k = 0; k < 60; ++k) {
                        std::vector<int> data(std::size_t{1} << random() % 15, k);
                        const auto how = random() % 6;
                        if (how == 0) {
                            own[t].allreduce(data, tutti::sum);
                        } else if (how == 1) { // around, by a group
                            const std::vector<int> out(data.size(), 3 * k);
                            auto group = own[t].group();
                            group.receive(std::span(data), (world.rank() + 2) % 3);
                            group.send(std::span(out), (world.rank() + 1) % 3);
                            if (random() % 2) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
                            group.wait();
                        } else {
                            auto r = own[t].async().allreduce(data, tutti::sum);
                            if (how == 2) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
                            if (how == 3) own[t].barrier();
                            if (how == 4)
                                while (!r.wait_for(std::chrono::microseconds(20))) continue;
                            if (how == 5)
                                while (!r.test()) std::this_thread::yield();
                            r.wait();
                        }
                        expect(data.front() == 3 * k && data.back() == 3 * k, "the result");
                    }
                } catch (const std::exception& e) {
                    failures[t] = "seed " + std::to_string(seed) + ": " + e.what();
                }
            });
        for (auto& t : threads) t.join();
        for (const auto& f : failures) expect(f.empty(), f);
    });
}

TEST_CASE("several threads of a rank may wait for requests on one communicator") {
    run_with_thread(2, [](communicator& world) {
        std::vector<std::vector<int>> data(8, std::vector<int>(20'000, 1));
        std::vector<request> requests;
        for (auto& d : data) requests.push_back(world.async().allreduce(d, tutti::sum));
        std::atomic<int> good{0};
        std::vector<std::thread> threads;
        for (std::size_t i = 0; i < requests.size(); ++i)
            threads.emplace_back([&, i] {
                requests[i].wait();
                if (data[i][19'999] == 2) ++good;
            });
        for (auto& t : threads) t.join();
        expect(good == 8, "every result");
        std::vector<int> last(1, 1);
        requests[0] = world.async().allreduce(last, tutti::sum);
        expect(wait_any(requests) == 0 && last[0] == 2, "and one more");
    });
}

TEST_CASE("requests outlive the handle that they came from") {
    run_ranks(2, [fabric = tutti::transport::memory_world::create(2)](int rank) {
        std::vector<int> data(50'000, 1);
        std::optional<communicator> world{std::in_place, tutti::transport::memory{fabric, rank},
                                          tutti::progress::by_waiters};
        auto r = world->async().allreduce(data, tutti::sum);
        world.reset();
        r.wait();
        expect(data[0] == 2, "the result");
    });
}

TEST_CASE("waits return at their time where nothing is over, where any thread may call and else") {
    using clock = tutti::transport::clock;
    for (const auto how : {tutti::progress::in_calls, tutti::progress::by_waiters})
        run_new_world(
            2,
            [](communicator& world) {
                std::vector<int> data(4, 1);
                if (world.rank() == 0) {
                    std::vector<request> requests;
                    requests.push_back(world.async().allreduce(data, tutti::sum));
                    const auto until = clock::now() + std::chrono::milliseconds(100);
                    expect(wait_any(std::span(requests), until) == requests.size(), "rank 1 has not come");
                    expect(clock::now() >= until, "not before");
                    const auto later = clock::now() + std::chrono::milliseconds(20);
                    expect(!requests[0].wait_for(std::chrono::milliseconds(20)) && clock::now() >= later, "nor here");
                    expect(!requests[0].wait_until(clock::time_point::min()) && !requests[0].collected(), "it goes on");
                    world.send(std::span<const int>(data), 1);
                    expect(wait_any(std::span(requests), clock::now() + std::chrono::seconds(20)) == 0,
                           "and now it has");
                    requests[0] = world.async().allreduce(data, tutti::sum);
                    while (!requests[0].wait_for(std::chrono::seconds(0)))
                        expect(clock::now() < until + patience, "looking alone makes progress");
                    requests[0] = world.async().allreduce(data, tutti::sum);
                    expect(requests[0].wait_for(std::chrono::hours::max()), "and once more");
                } else {
                    std::vector<int> word(4);
                    world.receive(std::span(word), 0);
                    for (int call = 0; call < 3; ++call) world.allreduce(data, tutti::sum);
                }
                expect(data[3] == 8, "the sums");
            },
            how);
}
