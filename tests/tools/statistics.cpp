// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/common/statistics.hpp"

#include "support/catch.hpp"

#include <cmath>

using tutti::tools::depth_of_median;
using tutti::tools::median_is_within;
using tutti::tools::median_of;
using tutti::tools::percentile;
using tutti::tools::summarise;

namespace {

// 1, 2, ..., count, from the back.
std::vector<double> countdown(int count) {
    std::vector<double> samples;
    for (int i = count; i > 0; --i) samples.push_back(i);
    return samples;
}

} // namespace

TEST_CASE("a percentile is a sample that was seen") {
    CHECK(percentile({7}, 50) == 7);
    CHECK(percentile({1, 2}, 50) == 1);
    CHECK(percentile({1, 2, 3}, 50) == 2);
    CHECK(percentile({1, 2, 3, 4}, 99) == 4);
    CHECK(percentile({1, 2, 3, 4}, 0) == 1);
}

TEST_CASE("a summary does not ask for sorted samples") {
    const auto s = summarise(countdown(200));
    CHECK(s.count == 200);
    CHECK(s.p50 == 100);
    CHECK(s.p99 == 198.);
    CHECK(s.least == 1);
    CHECK(s.most == 200);
}

TEST_CASE("no 99th percentile from under 100 samples") {
    CHECK(!summarise(countdown(99)).p99);
    CHECK(summarise(countdown(100)).p99 == 99.);
}

TEST_CASE("no samples, no numbers") {
    const auto s = summarise({});
    CHECK(s.count == 0);
    CHECK(!s.p99);
}

TEST_CASE("an interval of the median holds it with 99.9 %, and no narrower one does") {
    const auto missed = [](std::size_t n, std::size_t rank) { // twice the chance of at most `rank` heads of n coins
        double chance = 0, term = std::pow(0.5, static_cast<double>(n));
        for (std::size_t k = 0; k <= rank; ++k) {
            chance += term;
            term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
        }
        return 2 * chance;
    };
    CHECK(!tutti::tools::median_rank(0));
    CHECK(!tutti::tools::median_rank(10)); // 2 of 1024 times all are on one side
    for (const std::size_t n : {11U, 12U, 20U, 50U, 99U, 400U, 1000U}) {
        const auto rank = tutti::tools::median_rank(n);
        REQUIRE(rank);
        CHECK(missed(n, *rank) <= 0.001);
        CHECK(missed(n, *rank + 1) > 0.001);
    }
}

TEST_CASE("from where the normal distribution is taken on, an interval is hardly wider") {
    const auto before = tutti::tools::median_rank(9999), after = tutti::tools::median_rank(10'001);
    CHECK(*before - *after < 10);
    CHECK(*after > 4800);
}

TEST_CASE("a summary has the interval of its median where there are samples enough") {
    CHECK(!summarise(countdown(10)).p50_interval);
    const auto found = summarise(countdown(20)).p50_interval;
    REQUIRE(found);
    CHECK(found->low == 3); // 2 or fewer of 20 on one side: 0.04 %; 3 or fewer: 0.26 %
    CHECK(found->high == 18);
}

TEST_CASE("the median lies between order statistics as often as a coin says") {
    CHECK(median_is_within(5, 1) == Approx(1 - 2. / 32)); // not if all five are on one side
    CHECK(median_is_within(7, 1) == Approx(1 - 2. / 128));
    CHECK(median_is_within(9, 2) == Approx(1 - 2 * 10. / 512)); // none or one of nine on a side
    CHECK(depth_of_median(5) == 1);
    CHECK(depth_of_median(7) == 1); // of two: 1 - 16 / 128 = 0.875
    CHECK(depth_of_median(9) == 2);
    CHECK(depth_of_median(9, 0.97) == 1); // of two: 1 - 20 / 512 = 0.961
    CHECK(median_of({3, 1, 2}) == 2);
    CHECK(median_of({4, 1, 3, 2}) == 2.5);
}
