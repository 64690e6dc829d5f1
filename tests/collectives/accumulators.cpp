// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <collectives/reduction/accumulator.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace tutti::test::accumulators {
namespace {

/// Numbers of many magnitudes, of which a plain sum depends on the order.
std::vector<double> numbers() {
    std::mt19937_64 random(1906);
    std::vector<double> all(3000);
    for (auto& x : all)
        x = std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), -static_cast<int>(random() % 120));
    return all;
}

/// The same random cuts on all ranks; some parts are empty.
std::span<const double> part_of(std::span<const double> all, int ranks, int rank, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<std::size_t> cuts{0, all.size()};
    for (int r = 1; r < ranks; ++r) cuts.push_back(random() % all.size());
    std::sort(cuts.begin(), cuts.end());
    const auto i = static_cast<std::size_t>(rank);
    return all.subspan(cuts[i], cuts[i + 1] - cuts[i]);
}

} // namespace

TEST_CASE("sums by accumulators have equal bits over any number of ranks, any algorithm and any partition") {
    const auto all = numbers();
    accumulator<double> serial;
    exact_accumulator<double> exact;
    serial.add(all);
    exact.add(all);
    for (int ranks = 1; ranks <= 33; ++ranks) {
        CHECK_NOTHROW(run_world(ranks, [&](const communicator& world) {
            unsigned seed = static_cast<unsigned>(ranks) * 1000;
            for (const auto& how : algorithm::all(schedule::operation::allreduce)) {
                const auto mine = part_of(all, ranks, world.rank(), ++seed);
                accumulator<double> total;
                total.add(mine);
                expect(world.allreduce(total, sum, how) == serial, "one state");
                exact_accumulator<double> exact_total;
                exact_total.add(mine);
                expect(world.allreduce(exact_total, sum, how) == exact, "one exact state");
            }
        }));
    }
    CHECK(serial.value() == exact.value());
}

TEST_CASE("accumulators in ranges, reduced, scattered and scanned") {
    const auto all = numbers();
    CHECK_NOTHROW(run_world(5, [&](const communicator& world) {
        const auto mine = part_of(all, 5, world.rank(), 7);
        std::vector<accumulator<float>> columns(10), block(2);
        for (std::size_t i = 0; i < mine.size(); ++i) columns[i % 10].add(static_cast<float>(mine[i]));
        std::vector<accumulator<float>> serial(10);
        for (int r = 0; r < 5; ++r) {
            const auto part = part_of(all, 5, r, 7);
            for (std::size_t i = 0; i < part.size(); ++i) serial[i % 10].add(static_cast<float>(part[i]));
        }
        world.reduce_scatter(columns, block, sum);
        const auto first = static_cast<std::size_t>(2 * world.rank());
        expect(block[0] == serial[first] && block[1] == serial[first + 1], "reduce_scatter");
        accumulator<double> before, running;
        for (int r = 0; r <= world.rank(); ++r) before.add(part_of(all, 5, r, 7));
        running.add(mine);
        std::vector<accumulator<double>> one{running};
        world.scan(one, sum);
        expect(one[0] == before, "scan");
    }));
}

} // namespace tutti::test::accumulators
