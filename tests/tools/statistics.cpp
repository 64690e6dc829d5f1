// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/common/statistics.hpp"

#include "support/catch.hpp"

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
    CHECK(s.mean == Approx(100.5));
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
