// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/closed_form.hpp>
#include <collectives/model/simulate.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

using namespace tutti;
using model::collective;
using model::loggp;
using model::receiver_rule;
using schedule::operation;

namespace {

constexpr std::array chain_rules{receiver_rule::serial, receiver_rule::full_duplex, receiver_rule::hockney};

// Where latency, overhead, the gap, bandwidth, reductions, or a processor that moves the bytes is what counts.
const std::array chain_machines{loggp{1e-6, 0, 0, 1e-9, 0},
                                loggp{5e-6, 1e-6, 2e-6, 3e-10, 1e-10},
                                loggp{1e-6, 1e-7, 1.5e-7, 5e-10, 1e-10},
                                loggp{5e-8, 2e-7, 0, 5e-10, 0},
                                loggp{1e-6, 1e-6, 5e-5, 1e-9, 1e-10},
                                loggp{5e-5, 5e-7, 2e-5, 1e-8, 3e-8},
                                loggp{2e-6, 5e-7, 5e-7, 1e-10, 5e-10},
                                loggp{3e-6, 1e-6, 1e-6, 2e-10, 1e-10, 2e-10}};

collective chain_of(operation what, int size, std::size_t bytes, int segments) {
    return {what, algorithm::chain{}, size, bytes, 0, segments};
}
double simulated_chain_s(const collective& c, const loggp& p, receiver_rule rule) {
    model::simulation_settings s;
    s.receiver = rule;
    return model::simulate(c, model::uniform(p), 1, s).finish_s;
}

/// Calls visit(collective) with sizes that segments divide well and badly.
void for_each_chain(const auto& visit) {
    for (const operation o : {operation::scan, operation::exscan})
        for (const int size : {2, 3, 4, 5, 8, 13, 33, 100})
            for (const std::size_t bytes : {0, 5, 1000, 65536, 1 << 26})
                for (const int segments : {1, 2, 4, 16, 64}) visit(chain_of(o, size, bytes, segments));
}

} // namespace

TEST_CASE("a chain's form is exact in as many segments as divide the data, unless two steps are ready at one time") {
    int exact = 0, worst_of = 0;
    double worst = 1;
    for (const receiver_rule rule : chain_rules)
        for (const loggp& p : chain_machines)
            for_each_chain([&](const collective& c) {
                const model::form form = model::closed_form(c, p, rule).value();
                const double simulated = simulated_chain_s(c, p, rule);
                CAPTURE(static_cast<int>(rule), std::string(name_of(c.what)), c.size, c.bytes, c.segments);
                if (form.exact) {
                    CHECK(simulated == Approx(form.seconds).epsilon(1e-9));
                    exact += c.segments > 1;
                } else if (simulated > 0) {
                    worst = std::max({worst, form.seconds / simulated, simulated / form.seconds});
                    ++worst_of;
                }
            });
    CHECK(exact > 3000);
    CHECK(worst_of > 100);
    CHECK(worst < 2);
}

TEST_CASE("a chain of 4,096 ranks in 64 segments takes what its simulation takes, mostly to the last bit") {
    int exact = 0;
    for (const receiver_rule rule : chain_rules)
        for (const operation o : {operation::scan, operation::exscan}) {
            const collective c = chain_of(o, 4096, 1 << 26, 64);
            const model::form form = model::closed_form(c, chain_machines[1], rule).value();
            CAPTURE(static_cast<int>(rule), std::string(name_of(o)));
            CHECK(simulated_chain_s(c, chain_machines[1], rule) ==
                  Approx(form.seconds).epsilon(form.exact ? 1e-9 : 0.1));
            exact += form.exact;
        }
    CHECK(exact >= 4);
}

TEST_CASE("a chain's form is not looked at rank by rank for ever: what does not settle is estimated") {
    const loggp drifting{1e-6, 1e-7, 1.5e-7, 5e-10, 1e-10};
    for (const int segments : {2, 16, 64}) {
        const model::form few =
            model::closed_form(chain_of(operation::scan, 1000, 1 << 20, segments), drifting).value();
        const double each = few.seconds / 1000;
        const model::form many =
            model::closed_form(chain_of(operation::scan, 1'000'000, 1 << 20, segments), drifting).value();
        CHECK(many.seconds == Approx(each * 1'000'000).epsilon(0.25));
    }
}
