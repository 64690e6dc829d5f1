// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/closed_form.hpp>

#include "executor.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

using namespace tutti::algorithm;
using tutti::model::closed_form;
using tutti::model::collective;
using tutti::model::hockney;
using tutti::model::loggp;
using tutti::schedule::operation;

namespace {

const std::array hockneys{hockney{10, 0.1, 0.02}, hockney{100, 0.1, 0}, hockney{1, 0, 0}};
const std::array loggps{loggp{1000, 0, 0, 1, 0}, loggp{1000, 100, 150, 0.5, 0.1}, loggp{1e8, 100, 50, 0.5, 0.1},
                        loggp{50, 200, 0, 0.5, 0}};
const std::array long_gaps{loggp{100, 100, 5000, 0.5, 0.1}};

/// Calls visit(collective) with all algorithms and operations, few ranks, and sizes that divide well and badly.
void for_each_collective(int most_ranks, const auto& visit) {
    for (const int g : {3, 4}) {
        std::vector<any> list;
        for (const any& a : all(g)) list.push_back(a);
        for (const any& a : compositions(g)) list.push_back(a);
        for (const any& a : list)
            for (const operation o : tutti::schedule::operations)
                for (int size = 2; size <= most_ranks && a.offers(o); ++size)
                    for (const std::size_t bytes : {0, 1, 5, 1000, 720'720})
                        visit(collective{o, a, size, bytes, has_root(o) ? 1 : 0});
    }
}

void same_as_steps(const auto& parameters, int expected) {
    int compared = 0;
    for (const auto& p : parameters)
        for_each_collective(13, [&](const collective& c) {
            const auto f = closed_form(c, p);
            if (!f->exact) return;
            CAPTURE(std::string(c.how.name()), std::string(name_of(c.what)), c.size, c.bytes);
            CHECK(f->seconds == Approx(tutti::test::executor(c, p).run()).epsilon(1e-9));
            ++compared;
        });
    CHECK(compared > expected);
}

/// The least and the most that a form is of the time that the steps take.
struct ratios {
    double least = 1, most = 1;
    void add(double form_s, double steps_s) {
        if (steps_s == 0) return;
        least = std::min(least, form_s / steps_s);
        most = std::max(most, form_s / steps_s);
    }
};

ratios of_estimates(const auto& parameters) {
    ratios found;
    for (const auto& p : parameters)
        for_each_collective(13, [&](const collective& c) {
            if (!c.how.target<double_binary_tree>())
                found.add(closed_form(c, p)->seconds, tutti::test::executor(c, p).run());
        });
    return found;
}

ratios of_trees(const auto& parameters) {
    ratios found;
    for (const auto& p : parameters)
        for (const operation o : {operation::allreduce, operation::reduce, operation::broadcast})
            for (const int size : {2, 3, 4, 7, 8, 12, 16, 17, 33})
                for (const int segments : {1, 2, 4})
                    for (const std::size_t bytes : {64, 4096, 1 << 20}) {
                        const collective c{o, double_binary_tree{}, size, bytes, 0, segments};
                        found.add(closed_form(c, p)->seconds, tutti::test::executor(c, p).run());
                    }
    return found;
}

} // namespace

TEST_CASE("where a form is exact it is what the steps take under Hockney's model") { same_as_steps(hockneys, 5000); }

TEST_CASE("where a form is exact it is what the steps take under LogGP") { same_as_steps(loggps, 5000); }

TEST_CASE("estimates are near what the steps take, those of the double binary tree less so") {
    for (const ratios& r : {of_estimates(hockneys), of_estimates(loggps), of_estimates(long_gaps)}) {
        CHECK(r.least > 0.5);
        CHECK(r.most < 1.6);
    }
    for (const ratios& r : {of_trees(hockneys), of_trees(loggps)}) {
        CHECK(r.least > 0.5);
        CHECK(r.most < 2);
    }
}

TEST_CASE("no form is below what no schedule can beat") {
    const hockney p{10, 0.1, 0.02};
    for_each_collective(40, [&](const collective& c) {
        CAPTURE(std::string(c.how.name()), std::string(name_of(c.what)), c.size, c.bytes);
        const auto least = tutti::model::lower_bounds_of(c.what, c.size, c.bytes, p);
        CHECK(closed_form(c, p)->seconds >= least.largest_s() * (1 - 1e-12));
    });
}

TEST_CASE("bounds are of rounds, of bytes that someone must move, and of reductions that all share") {
    const auto b = tutti::model::lower_bounds_of(operation::allreduce, 5, 1000, {10, 0.5, 0.25});
    CHECK(b.latency_s == 30);
    CHECK(b.bandwidth_s == Approx(800));
    CHECK(b.reduction_s == Approx(200));
    CHECK(b.largest_s() == b.bandwidth_s);
    const auto broadcast = tutti::model::lower_bounds_of(operation::broadcast, 5, 1000, {10, 0.5, 0.25});
    CHECK(broadcast.bandwidth_s == 500);
    CHECK(broadcast.reduction_s == 0);
    CHECK(tutti::model::lower_bounds_of(operation::allgather, 4, 1000, {10, 0.5, 0.25}).bandwidth_s == 375);
    CHECK(tutti::model::lower_bounds_of(operation::reduce, 1, 1000, {10, 0.5, 0.25}).largest_s() == 0);
}

TEST_CASE("the best number of segments is that of which the form is least") {
    const auto check = [](const auto& p, std::size_t bytes, int size, operation o) {
        collective c{o, double_binary_tree{}, size, bytes};
        const int best = tutti::model::best_segments(c, p);
        CAPTURE(bytes, size, best);
        const auto seconds = [&](int segments) {
            c.segments = segments;
            return closed_form(c, p)->seconds;
        };
        for (int k = 1; k <= 200; ++k)
            if (static_cast<std::size_t>(2 * k) <= bytes) CHECK(seconds(best) <= seconds(k) * (1 + 1e-12));
        return best;
    };
    for (const operation o : {operation::allreduce, operation::reduce, operation::broadcast})
        for (const int size : {2, 5, 16, 100})
            for (const std::size_t bytes : {0, 1, 100, 100'000, 10'000'000}) {
                check(hockney{10, 0.01, 0.001}, bytes, size, o);
                check(loggp{1000, 100, 150, 0.1, 0}, bytes, size, o);
            }
    const double height = 7; // of 63 nodes below the root
    CHECK(check(hockney{10, 0.01, 0}, 10'000'000, 64, operation::broadcast) ==
          Approx(std::sqrt((height - 1) * 10'000 / 2)).margin(1));
    CHECK(check(hockney{0, 1, 0}, 100, 64, operation::reduce) == 50);
    CHECK(check(hockney{1, 0, 0}, 100'000, 64, operation::reduce) == 1);
    CHECK(tutti::model::best_segments({operation::allreduce, ring{}, 8, 100'000'000}, hockney{1, 1, 0}) == 1);
}
