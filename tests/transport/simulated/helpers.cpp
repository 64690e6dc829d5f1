// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/simulated.hpp>

#include <collectives/collectives.hpp>

#include "support/catch.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using tutti::transport::simulated;
using tutti::transport::simulated_world;

namespace {

struct outcome {
    std::vector<std::uint64_t> sums; ///< by rank
    std::chrono::nanoseconds time{};

    friend bool operator==(const outcome&, const outcome&) = default;
};

/// 40 ranks do work of random length, and tell each other what has come of it.
outcome worked(int helpers) {
    constexpr int ranks = 40, rounds = 12;
    const auto world = simulated_world::create({.size = ranks, .helpers = helpers});
    outcome found{std::vector<std::uint64_t>(ranks), {}};
    world->run([&](simulated end) {
        const tutti::communicator all{std::move(end)};
        const auto rank = static_cast<unsigned>(all.rank());
        std::uint64_t& own = found.sums[rank];
        std::mt19937 random(rank);
        std::vector<std::uint64_t> numbers(1 + random() % 4000, rank);
        for (int round = 0; round < rounds; ++round) {
            world->compute(std::chrono::microseconds(random() % 100), [&] {
                for (auto& x : numbers) x = x * 6364136223846793005U + 1442695040888963407U;
                own += std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
            });
            std::vector<std::uint64_t> told{own};
            all.allreduce(told, tutti::sum);
            own ^= told[0];
        }
    });
    found.time = world->now();
    return found;
}

} // namespace

TEST_CASE("who does the work of ranks changes neither results nor times") {
    const outcome alone = worked(0);
    CHECK(alone.time > 1ms);
    CHECK(worked(1) == alone);
    CHECK(worked(3) == alone);
    CHECK(worked(-1) == alone);
}

TEST_CASE("what work throws comes out of compute()") {
    const auto world = simulated_world::create({.size = 8, .helpers = 2});
    world->run([&](simulated t) {
        for (int i = 0; i < 20; ++i)
            CHECK_THROWS_AS(world->compute(1us, [&] { throw std::out_of_range("rank " + std::to_string(t.rank())); }),
                            std::out_of_range);
    });
    CHECK(world->now() == 20us);
}

TEST_CASE("threads and work that use the world are refused") {
    for (const int helpers : {0, 2}) {
        const auto world = simulated_world::create({.size = 6, .helpers = helpers});
        world->run([&](simulated t) {
            for (int i = 0; i < 10; ++i)
                CHECK_THROWS_AS(world->compute(1us, [&] { world->compute(1us); }), tutti::error);
            CHECK_THROWS_AS(world->compute(1us, [&] { t.wait(tutti::transport::clock::time_point::max()); }),
                            tutti::error);
            std::exception_ptr failure;
            std::thread([&] {
                try {
                    world->compute(1us);
                } catch (...) {
                    failure = std::current_exception();
                }
            }).join();
            REQUIRE(failure);
            CHECK_THROWS_AS(std::rethrow_exception(failure), tutti::error);
        });
        CHECK(world->now() == 11us);
    }
}

TEST_CASE("a time that is refused starts no work") {
    const auto world = simulated_world::create({.size = 1});
    int done = 0;
    CHECK_THROWS_AS(world->compute(1s, [&] { ++done; }), tutti::error); // no rank runs
    world->run([&](simulated) { CHECK_THROWS_AS(world->compute(-1s, [&] { ++done; }), tutti::error); });
    CHECK(done == 0);
    CHECK_THROWS_AS(simulated_world::create({.size = 1, .helpers = -2}), tutti::error);
}
