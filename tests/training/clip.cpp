// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <training/clip.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/world.hpp"

#include <limits>
#include <random>

namespace tutti::test::clipping {
namespace {

std::vector<float> numbers(std::size_t count) {
    std::mt19937 random(7);
    std::vector<float> all(count);
    for (auto& x : all)
        x = std::ldexp(static_cast<float>(static_cast<int>(random())), static_cast<int>(random() % 40) - 60);
    return all;
}

} // namespace

TEST_CASE("gradients beyond the norm are scaled to it, others stay as they are") {
    std::vector<float> g{3, 0, -4};
    CHECK(training::clip(g, 5.5) == 5);
    CHECK(g == std::vector<float>{3, 0, -4});
    CHECK(training::clip(g, 1) == 5);
    CHECK(std::abs(training::clip(g, 1e9) - 1) < 1e-5);
    CHECK(std::abs(g[2] + 0.8F) < 1e-6F);
}

TEST_CASE("a norm that is no number makes all gradients none, and a limit that is none is refused") {
    std::vector<float> g{1, std::numeric_limits<float>::quiet_NaN()};
    CHECK(std::isnan(training::clip(g, 1)));
    CHECK(std::isnan(g[0]));
    CHECK(has(fault_of([&] { training::clip(g, 0); }).detail, "more than 0"));
}

TEST_CASE("shards are clipped to the bits of the whole, however they are cut") {
    auto serial = numbers(5000);
    const auto before = serial;
    const double norm = training::clip(serial, 0.5);
    for (const int size : {1, 2, 3, 5})
        run_world(size, [&](const communicator& world) {
            std::mt19937 random(static_cast<unsigned>(size));
            std::vector<std::size_t> cuts{0, before.size()};
            for (int r = 1; r < size; ++r) cuts.push_back(random() % before.size());
            std::sort(cuts.begin(), cuts.end());
            const auto from =
                before.begin() + static_cast<std::ptrdiff_t>(cuts[static_cast<std::size_t>(world.rank())]);
            const auto to =
                before.begin() + static_cast<std::ptrdiff_t>(cuts[static_cast<std::size_t>(world.rank()) + 1]);
            std::vector<float> mine(from, to);
            expect(training::clip(world, mine, 0.5) == norm, "one norm");
            expect(std::equal(mine.begin(), mine.end(), serial.begin() + (from - before.begin())), "the same bits");
        });
}

} // namespace tutti::test::clipping
