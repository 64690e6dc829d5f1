// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/common/change.hpp"
#include "../../tools/tutti/common/random.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

using namespace tutti::tools;

namespace {

/// From 0, excluded, to 1.
double uniform(random_source& random) { return 1 - random.between(0, 1); }

/// Times with the noise of a machine: some per cent, and now and then many times as long.
double noisy(random_source& random, double us) {
    const double normal = std::sqrt(-2 * std::log(uniform(random))) * std::cos(2 * std::numbers::pi * uniform(random));
    const double disturbed = uniform(random) < 0.1 ? 1 / uniform(random) : 1; // a tail without a mean
    return us * std::exp(0.03 * normal) * disturbed;
}

measured_times rounds(random_source& random, std::size_t n, double us) {
    measured_times t;
    for (std::size_t k = 0; k < n; ++k) t.rounds.push_back(noisy(random, us));
    return t;
}

/// The share of all ways to order n + m values in which the depth-th least of the n is above the depth-th greatest of
/// m.
double share_of_orders(unsigned n, unsigned m, unsigned depth) {
    double above = 0, all = 0;
    for (std::uint32_t word = 0; word < std::uint32_t{1} << (n + m); ++word) { // bits, from the least value: of the n?
        if (static_cast<unsigned>(std::popcount(word)) != n) continue;
        unsigned ours = 0, theirs = 0, before = 0;
        for (unsigned at = 0; at < n + m && ours < depth; ++at) {
            const bool is_ours = (word >> at & 1) != 0;
            ours += is_ours;
            theirs += !is_ours;
            before = theirs;
        }
        above += before >= m - depth + 1;
        ++all;
    }
    return above / all;
}

} // namespace

TEST_CASE("the chance of a false alarm is the share of all orders that raise one") {
    for (unsigned n = 1; n <= 7; ++n)
        for (unsigned m = 1; m <= 7; ++m)
            for (unsigned depth = 1; depth <= std::min(n, m); ++depth)
                CHECK(false_alarm(n, m, depth) == Approx(share_of_orders(n, m, depth)));
    CHECK(false_alarm(5, 5, 1) == Approx(1. / 252));
}

TEST_CASE("the depth is the greatest whose alarms are rare enough, and 1 where none is") {
    CHECK(depth_for(5, 5, 1e-9) == 1);
    for (const double most : {0.05, 0.001})
        for (const std::size_t n : {5U, 9U, 30U}) {
            const std::size_t depth = depth_for(n, n, most);
            if (depth > 1) CHECK(false_alarm(n, n, depth) <= most);
            if (2 * (depth + 1) <= n + 1) CHECK(false_alarm(n, n, depth + 1) > most);
        }
}

// 7 and 7 rounds have 14! / (7! 7!) = 3432 orders. The second least of one is above the second greatest of the other in
// 7 * 6 + 8 * 1 = 50: six of the others come before it in 7 ways, and one behind it in 6; or all seven before it in 8.
TEST_CASE("docs/tools.md says how rare false alarms are, by how many rows there are") {
    const auto of_rows = [](std::size_t rounds, double rows) {
        return false_alarm(rounds, rounds, depth_for(rounds, rounds, 0.05 / rows));
    };
    CHECK(of_rows(5, 1) == Approx(1. / 252));
    CHECK(of_rows(5, 12) == Approx(1. / 252));
    CHECK(of_rows(7, 3) == Approx(50. / 3432)); // 3 * 50 / 3432 = 4.4 %
    CHECK(of_rows(7, 4) == Approx(1. / 3432));  // 4 * 50 / 3432 = 5.8 %
}

TEST_CASE("where nothing changed, rows are called slower no more often than is promised, whatever the noise") {
    constexpr int trials = 20'000;
    random_source random{7};
    for (const std::size_t n : {5U, 7U, 12U}) {
        double promised = 0;
        int slower = 0, faster = 0;
        for (int k = 0; k < trials; ++k) {
            const auto c = compare(rounds(random, 5, 10), rounds(random, n, 10), 0, 0.05);
            promised = c.false_alarm;
            slower += c.what == change::slower;
            faster += c.what == change::faster;
        }
        const double expected = promised * trials, deviation = std::sqrt(expected);
        CHECK(promised <= 0.05);
        CHECK(slower < expected + 5 * deviation + 1);
        CHECK(slower > expected - 5 * deviation - 1); // the promise is exact: it could not be lower
        CHECK(faster < expected + 5 * deviation + 1);
    }
}

TEST_CASE("what became slower by no more than the tolerance is called so even less often") {
    random_source random{8};
    int slower = 0;
    for (int k = 0; k < 20'000; ++k)
        slower += compare(rounds(random, 5, 10), rounds(random, 5, 10.5), 0.05, 0.05).what == change::slower;
    CHECK(slower < 20'000. / 252 + 5 * std::sqrt(20'000. / 252));
}

TEST_CASE("what takes half as long again is found in four of five comparisons of nine such rounds") {
    random_source random{9};
    int slower = 0, faster = 0;
    for (int k = 0; k < 1000; ++k) {
        slower += compare(rounds(random, 9, 10), rounds(random, 9, 15), 0.05, 0.01).what == change::slower;
        faster += compare(rounds(random, 9, 15), rounds(random, 9, 10), 0.05, 0.01).what == change::faster;
    }
    CHECK(slower > 800);
    CHECK(faster > 800);
}

TEST_CASE("fewer launches than five on a side are not judged, however far apart they are") {
    CHECK(compare({{10, 10, 10, 10}}, {{90, 90, 90, 90, 90}}, 0, 0.05).what == change::unknown);
    CHECK(compare({{10, 10, 10, 10, 10}}, {{90, 90, 90, 90}}, 0, 0.05).what == change::unknown);
    const auto c = compare({{10, 11, 12, 13, 14}}, {{20, 21, 22, 23, 28}}, 0.05, 0.05);
    CHECK(c.what == change::slower);
    CHECK(c.earlier == 12);
    CHECK(c.now == 22);
    CHECK(c.ratio.low == Approx(20. / 14)); // of five, nothing is left out: 1 in 252 orders is all on one side
    CHECK(c.ratio.high == Approx(28. / 10));
    CHECK(c.false_alarm == Approx(1. / 252));
}

TEST_CASE("of 1,000 pairs of runs of one binary, as many are called slower as the footer says") {
    // A launch has a level of its own, 20 % of noise, from where its memory and its processes came to lie; the five
    // medians of a side are those of launches. Of the 252 orders of 5 and 5 values, 26 have at most one of ours below
    // their second greatest: 6 where none of ours comes before the fourth of theirs, 20 where one does.
    constexpr int pairs = 1000;
    constexpr double share = 26. / 252, expected = share * pairs;
    random_source random{12};
    const auto side = [&] {
        measured_times t;
        for (int launch = 0; launch < 5; ++launch) {
            const double level = 10 * std::exp(0.2 * (uniform(random) - 0.5));
            std::vector<double> within;
            for (int k = 0; k < 20; ++k) within.push_back(noisy(random, level));
            t.rounds.push_back(median_of(within));
        }
        return t;
    };
    int slower = 0;
    for (int k = 0; k < pairs; ++k) {
        const auto c = compare(side(), side(), 0, 0.11); // so frequent alarms that there is something to count
        CHECK(c.false_alarm == Approx(share));
        slower += c.what == change::slower;
    }
    CHECK(slower > expected - 3 * std::sqrt(expected * (1 - share)));
    CHECK(slower < expected + 3 * std::sqrt(expected * (1 - share)));
}
