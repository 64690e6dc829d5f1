// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include "kernels/square_sum.hpp"

#include "kernels/reduce/host_execution.hpp"

#include <collectives/reduction/narrow_float.hpp>

#include "support/catch.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace tutti::kernels;

namespace {

template <class Add, class T>
std::vector<double> level(const std::vector<T>& from, geometry shape) {
    std::vector<double> partial(tiles_of(from.size()));
    run_on_host(shape, [&, lanes = std::vector<double>(tile_lanes)](const host_execution& here) {
        sum_tiles(from.data(), from.size(), partial.data(), const_cast<double*>(lanes.data()), Add{}, here);
    });
    return partial;
}

template <class T>
double square_sum(const std::vector<T>& from, geometry shape) {
    std::vector<double> sums = level<squared>(from, shape);
    while (sums.size() > 1) sums = level<as_is>(sums, shape);
    return sums[0];
}

template <class T>
std::vector<T> numbers(std::size_t count) {
    std::mt19937 random{5};
    std::normal_distribution<float> normal;
    std::vector<T> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<T>(normal(random)));
    return all;
}

} // namespace

TEMPLATE_TEST_CASE("the sum of squares has the same bits for every geometry", "", float, tutti::bfloat16) {
    for (const std::size_t count : {1, 255, 1024, 1025, 5000, 40'000}) {
        const auto data = numbers<TestType>(count);
        const double once = square_sum(data, {1, 1});
        CHECK(square_sum(data, {1, 7}) == once);
        CHECK(square_sum(data, {3, 2}) == once);
        CHECK(square_sum(data, {50, 1}) == once);
        double plain = 0;
        for (const auto x : data) plain += double{float(x)} * float(x);
        CHECK(std::abs(once - plain) <= 1e-12 * plain);
    }
}

TEST_CASE("more than a thousand tiles take a third level") {
    const std::vector<float> ones((std::size_t{1} << 20) + 5, 1.0F);
    CHECK(square_sum(ones, {1, 1}) == static_cast<double>(ones.size()));
}

TEST_CASE("a gradient is clipped to the norm that was asked for, and left alone below it") {
    CHECK(clip_factor(100.0, 1.0F) == Approx(0.1));
    CHECK(clip_factor(0.25, 1.0F) == 1.0F);
    CHECK(clip_factor(0.0, 1.0F) == 1.0F);
    CHECK(clip_factor(std::numeric_limits<double>::infinity(), 1.0F) == 0.0F);
}
