// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/bench/figures.hpp"
#include "../../tools/tutti/bench/overlap_times.hpp"

#include "support/catch.hpp"

using tutti::tools::bandwidth_figure;
using tutti::tools::overlap_times;
using tutti::tools::ratio_figure;

TEST_CASE("bandwidths of short messages have digits, in seven columns at most") {
    CHECK(bandwidth_figure(0) == "0.00");
    CHECK(bandwidth_figure(8e-7) == "8.0e-07");
    CHECK(bandwidth_figure(0.00123) == "0.00123");
    CHECK(bandwidth_figure(0.51224) == "0.5122");
    CHECK(bandwidth_figure(12.345) == "12.35");
    CHECK(bandwidth_figure(1234.5) == "1234");
}

TEST_CASE("ratios have three digits that matter, however small they are") {
    CHECK(ratio_figure(12.3456) == "12.346");
    CHECK(ratio_figure(1) == "1.000");
    CHECK(ratio_figure(0.1) == "0.100");
    CHECK(ratio_figure(0.01234) == "0.0123");
    CHECK(ratio_figure(0.0004) == "0.000400");
    CHECK(ratio_figure(3.21e-7) == "3.21e-07");
}

TEST_CASE("an overlap is told where call and computation are of a kind, and both took as long as either") {
    CHECK(overlap_times{100, 100, 100}.percent() == 100.);
    CHECK(overlap_times{100, 100, 150}.percent() == 50.);
    CHECK(overlap_times{100, 120, 300}.percent() == 0.);
    CHECK(overlap_times{100, 100, 300}.percent() == 0.); // one and a half times their sum, and no more
    CHECK(!overlap_times{100, 100, 301}.percent());
    CHECK(!overlap_times{38.8, 38.9, 117.2}.percent());    // 1.5 * 77.7 = 116.55
    CHECK(overlap_times{100, 120, 115}.percent() == 100.); // a little less is noise
    CHECK(!overlap_times{100, 400, 420}.percent());        // the computation waited for a core
    CHECK(!overlap_times{400, 100, 420}.percent());
    CHECK(!overlap_times{100, 100, 60}.percent());
    CHECK(!overlap_times{0, 1, 1}.percent());
}
