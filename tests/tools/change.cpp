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

TEST_CASE("few rounds are judged by what holds the intervals within them, and not without") {
    const measured_times then{{10, 10.2}, {{9.9, 10.1}, {10, 10.4}}};
    CHECK(compare(then, {{10.6}, {{10.5, 10.8}}}, 0, 0.05).what == change::slower);
    CHECK(compare(then, {{10.6}, {{10.5, 10.8}}}, 0.05, 0.05).what == change::none); // 10.5 / 10.4 is below 1.05
    CHECK(compare(then, {{10.3}, {{10.3, 10.8}}}, 0, 0.05).what == change::none);    // they meet
    CHECK(compare(then, {{9}, {{8.9, 9.1}}}, 0.05, 0.05).what == change::faster);
    CHECK(compare(then, {{20}, {}}, 0, 0.05).what == change::unknown);
    const auto c = compare(then, {{20.2}, {{20, 20.4}}}, 0.05, 0.05);
    CHECK(c.earlier == Approx(10.1));
    CHECK(c.ratio.low == Approx(20 / 10.4));
    CHECK(c.ratio.high == Approx(20.4 / 9.9));
    CHECK(c.false_alarm == 0);
}
