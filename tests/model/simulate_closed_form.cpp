// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/closed_form.hpp>
#include <collectives/model/simulate.hpp>

#include "simulated.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

using namespace tutti;
using model::collective;
using model::hockney;
using model::loggp;
using model::receiver_rule;
using schedule::operation;

namespace {

const std::array hockney_costs{hockney{10e-6, 0.32e-9, 0.1e-9}, hockney{1e-6, 1e-9, 5e-9}, hockney{1e-6, 0, 0},
                               hockney{0, 1e-9, 1e-10}, hockney{3e-9, 1e-9, 0}};
const std::array loggp_costs{loggp{1e-6, 0, 0, 1e-9, 0}, loggp{5e-6, 1e-6, 2e-6, 3e-10, 1e-10},
                             loggp{1e-6, 1e-7, 1.5e-7, 5e-10, 1e-10}, loggp{0.1, 1e-7, 5e-8, 5e-10, 1e-10},
                             loggp{5e-8, 2e-7, 0, 5e-10, 0}};
/// Whose gap is longer than a message's way.
const std::array loggp_gaps{loggp{1e-6, 1e-6, 5e-5, 1e-9, 1e-10}, loggp{1e-6, 0, 2e-6, 1e-9, 0},
                            loggp{1e-6, 1e-6, 3e-6, 0, 0}, loggp{5e-5, 5e-7, 2e-5, 1e-8, 3e-8}};
/// By which a message is there before it has left, as a fit finds.
const std::array loggp_at_once{loggp{-1e-6, 2e-6, 0, 1e-9, 0}, loggp{-2e-6, 2e-6, 0, 1e-8, 3e-8}};

/// Calls visit(collective) with all algorithms and operations, and sizes that divide well and badly.
void for_each_priced_call(const auto& visit) {
    constexpr std::array sizes{2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 32, 33};
    for (const algorithm::any& a : algorithm::all(4))
        for (const operation o : schedule::operations)
            for (const int size : sizes)
                for (const std::size_t bytes : {0, 1, 5, 1000, 720'720})
                    if (a.offers(o)) visit(collective{o, a, size, bytes, 0});
    for (const algorithm::any& a : algorithm::compositions(4))
        for (int size = 2; size <= 16; ++size) visit(collective{operation::allreduce, a, size, 48'000});
}

double simulated_s(const collective& c, const loggp& cost, receiver_rule rule) {
    return test::finish_ns(c, cost, rule) / 1e9;
}
double simulated_s(const collective& c, const hockney& p, receiver_rule rule) {
    return simulated_s(c, {0, p.alpha_s / 2, p.alpha_s, p.beta_s_per_byte, p.gamma_s_per_byte}, rule);
}
model::form form_of(const collective& c, const loggp& cost, receiver_rule rule) {
    return model::closed_form(c, cost, rule).value();
}
model::form form_of(const collective& c, const hockney& p, receiver_rule) { return model::closed_form(c, p).value(); }

/// How many forms say that they are exact; checks that these are.
int exact_forms(const auto& costs, receiver_rule rule) {
    int exact = 0;
    for (const auto& cost : costs)
        for_each_priced_call([&](const collective& c) {
            const model::form form = form_of(c, cost, rule);
            if (!form.exact) return;
            CAPTURE(std::string(c.how.name()), std::string(name_of(c.what)), c.size, c.bytes);
            CHECK(simulated_s(c, cost, rule) == Approx(form.seconds).epsilon(1e-9));
            ++exact;
        });
    return exact;
}

/// The most by which a form is too low or too high, as a factor; not of the double binary tree.
double worst_estimate(const auto& costs, receiver_rule rule) {
    double worst = 1;
    for (const auto& cost : costs)
        for_each_priced_call([&](const collective& c) {
            if (c.how.target<algorithm::double_binary_tree>()) return;
            const double form = form_of(c, cost, rule).seconds, simulated = simulated_s(c, cost, rule);
            if (simulated > 0) worst = std::max({worst, form / simulated, simulated / form});
        });
    return worst;
}

} // namespace

TEST_CASE("where a closed form is exact the simulation takes as long, by each rule") {
    CHECK(exact_forms(hockney_costs, receiver_rule::hockney) > 6000);
    CHECK(exact_forms(loggp_costs, receiver_rule::serial) > 5000);
    CHECK(exact_forms(loggp_costs, receiver_rule::full_duplex) > 4000);
    CHECK(exact_forms(loggp_gaps, receiver_rule::serial) > 500);
    CHECK(exact_forms(loggp_gaps, receiver_rule::full_duplex) > 400);
    CHECK(exact_forms(loggp_costs, receiver_rule::hockney) > 6000);
}

TEST_CASE("a form is exact for other roots, or says that it is not") {
    const loggp cost{0, 2e-6, 0, 1e-8, 3e-8};
    for (const receiver_rule rule : {receiver_rule::serial, receiver_rule::full_duplex, receiver_rule::hockney})
        for_each_priced_call([&](collective c) {
            if (!has_root(c.what)) return;
            c.root = c.size / 3;
            const model::form form = form_of(c, cost, rule);
            CAPTURE(std::string(c.how.name()), std::string(name_of(c.what)), c.size, c.bytes, c.root);
            if (form.exact) CHECK(simulated_s(c, cost, rule) == Approx(form.seconds).epsilon(1e-9));
        });
}

TEST_CASE("no form is exact where messages are there before they have left") {
    CHECK(exact_forms(loggp_at_once, receiver_rule::serial) == 0);
    CHECK(exact_forms(loggp_at_once, receiver_rule::full_duplex) == 0);
}

TEST_CASE("where a closed form is an estimate it is within a factor of two, by each rule") {
    CHECK(worst_estimate(hockney_costs, receiver_rule::hockney) < 2);
    for (const receiver_rule rule : {receiver_rule::serial, receiver_rule::full_duplex}) {
        CHECK(worst_estimate(loggp_costs, rule) < 2);
        CHECK(worst_estimate(loggp_gaps, rule) < 2);
    }
}

TEST_CASE("by Hockney's rule no simulation is below what no schedule can beat") {
    for (const hockney& p : hockney_costs)
        for_each_priced_call([&](const collective& c) {
            CAPTURE(std::string(c.how.name()), std::string(name_of(c.what)), c.size, c.bytes);
            const auto least = model::lower_bounds_of(c.what, c.size, c.bytes, p);
            CHECK(simulated_s(c, p, receiver_rule::hockney) >= least.largest_s() * (1 - 1e-12));
        });
}
