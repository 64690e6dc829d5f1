// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/simulate.hpp>

#include "simulated.hpp"

#include <cstddef>
#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::model;
using schedule::operation;
using test::allreduce_of;
using test::finish_ns;
using test::near_to;

namespace {

constexpr auto both_rules = {receiver_rule::serial, receiver_rule::full_duplex};

/// L, o, g in ns and G in ns a byte; gamma in ns a byte.
loggp ns(double l, double o, double g, double per_byte, double gamma = 0) {
    return {l * 1e-9, o * 1e-9, g * 1e-9, per_byte * 1e-9, gamma * 1e-9};
}

collective rooted(operation what, int size, std::size_t bytes) {
    return {what, algorithm::naive{}, size, bytes, 0, 1, true};
}

double power(int k) { return static_cast<double>(std::size_t{1} << k); }

} // namespace

TEST_CASE("the finish times of LogGOPSim, in ns") {
    const std::vector<std::pair<std::string, double>> expected{{"ring", 28322},
                                                               {"butterfly", 27573},
                                                               {"halving_doubling", 20330},
                                                               {"binomial_tree", 55146},
                                                               {"naive", 116674}};
    for (const auto& [name, finish] : expected) {
        INFO(name);
        const collective c = allreduce_of(algorithm::by_name(name), 8, 8192);
        CHECK(near_to(finish_ns(c, ns(1000, 0, 0, 1), receiver_rule::serial), finish));
    }
}

TEST_CASE("one message takes L + 2o + (m - 1)G") {
    for (const receiver_rule rule : both_rules) {
        CHECK(near_to(finish_ns(rooted(operation::broadcast, 2, 1001), ns(500, 70, 30, 2), rule), 500 + 140 + 2000));
        CHECK(near_to(finish_ns(rooted(operation::broadcast, 2, 0), ns(500, 70, 30, 2), rule), 500 + 140));
        CHECK(
            near_to(finish_ns(rooted(operation::reduce, 2, 101), ns(500, 70, 30, 2, 3), rule), 500 + 140 + 200 + 303));
    }
}

TEST_CASE("where processors copy they are busy for it at both ends, and a receiver while bytes come as well") {
    loggp cost = ns(500, 70, 30, 2);
    cost.overhead_s_per_byte = 3e-9;
    const collective one = rooted(operation::broadcast, 2, 101), two = rooted(operation::broadcast, 3, 101);
    CHECK(near_to(finish_ns(one, cost, receiver_rule::serial), 70 + 500 + 70 + 300));
    CHECK(near_to(finish_ns(one, cost, receiver_rule::full_duplex), 70 + 500 + 200 + 70 + 300));
    CHECK(near_to(finish_ns(two, cost, receiver_rule::serial), (70 + 300) + 70 + 500 + 70 + 300));
}

TEST_CASE("a sender begins with the next message after o, or g and its bytes, whichever is longer") {
    for (const receiver_rule rule : both_rules) {
        const collective c = rooted(operation::broadcast, 4, 101);
        CHECK(near_to(finish_ns(c, ns(500, 70, 30, 2), rule), 2 * (30 + 200) + 500 + 140 + 200));
        CHECK(near_to(finish_ns(c, ns(500, 270, 30, 2), rule), 2 * 270 + 500 + 540 + 200));
    }
}

TEST_CASE("serial: messages to one rank occupy its processor for o + (m - 1)G each") {
    const collective c = rooted(operation::reduce, 4, 101);
    CHECK(near_to(finish_ns(c, ns(500, 70, 30, 2), receiver_rule::serial), 500 + 70 + 3 * (70 + 200)));
    CHECK(near_to(finish_ns(c, ns(500, 70, 30, 2, 1), receiver_rule::serial), 500 + 70 + 3 * (70 + 200 + 101)));
    CHECK(near_to(finish_ns(c, ns(500, 70, 90, 2), receiver_rule::serial), 500 + 70 + 3 * (70 + 200)));
}

TEST_CASE("full duplex: messages to one rank come in one after the other, beside its processor") {
    const collective c = rooted(operation::reduce, 4, 101);
    const auto finish = [&](const loggp& cost) { return finish_ns(c, cost, receiver_rule::full_duplex); };
    CHECK(near_to(finish(ns(500, 70, 30, 2)), 500 + 70 + 3 * 200 + 70));
    CHECK(near_to(finish(ns(500, 70, 30, 2, 1)), 500 + 70 + 3 * 200 + 70 + 101));
    CHECK(near_to(finish(ns(500, 70, 30, 2, 3)), 500 + 70 + 200 + 3 * (70 + 303))); // now the processor is slower
}

TEST_CASE("serial: what a rank receives delays what it sends; full duplex it does not") {
    const collective c = allreduce_of(algorithm::one_shot{}, 3, 1001);
    // Its second send may begin after 1,000 ns, when it has begun to receive what came after 100.
    CHECK(near_to(finish_ns(c, ns(100, 0, 0, 1), receiver_rule::serial), 100 + 1000 + 100 + 1000));
    CHECK(near_to(finish_ns(c, ns(100, 0, 0, 1), receiver_rule::full_duplex), 1000 + 100 + 1000));
}

TEST_CASE("where each rank receives from one at a time, both rules take what the closed forms say") {
    const loggp cost = ns(1300, 110, 90, 0.7, 0.3);
    const auto t = [](double bytes) { return 1300 + 220 + (bytes - 1) * 0.7; };
    for (int k = 1; k <= 5; ++k)
        for (const receiver_rule rule : both_rules) {
            const double p = power(k), b = 48, n = p * b;
            const auto finish = [&](const algorithm::any& how) {
                return finish_ns(allreduce_of(how, 1 << k, static_cast<std::size_t>(n)), cost, rule);
            };
            INFO(p << " ranks");
            double halves = (p - 1) * b * 0.3;
            for (int i = 1; i <= k; ++i) halves += 2 * t(n / power(i));
            CHECK(near_to(finish(algorithm::ring{}), 2 * (p - 1) * t(b) + (p - 1) * b * 0.3));
            CHECK(near_to(finish(algorithm::butterfly{}), k * (t(n) + n * 0.3)));
            CHECK(near_to(finish(algorithm::halving_doubling{}), halves));
            CHECK(near_to(finish(algorithm::binomial_tree{}), 2 * k * t(n) + k * n * 0.3));
        }
}

TEST_CASE("full duplex, messages from all at once follow each other, where a processor takes no time for a message") {
    for (int size = 2; size <= 8; ++size) {
        const double p = size, n = 24.0 * p;
        const auto finish = [&](const algorithm::any& how) {
            const collective c = allreduce_of(how, size, static_cast<std::size_t>(n));
            return finish_ns(c, ns(10, 0, 0, 0.7), receiver_rule::full_duplex);
        };
        INFO(p << " ranks");
        CHECK(near_to(finish(algorithm::one_shot{}), 10 + (p - 1) * (n - 1) * 0.7));
        CHECK(near_to(finish(algorithm::parameter_server{}), 2 * (10 + (p - 1) * 23 * 0.7)));
        CHECK(near_to(finish(algorithm::direct{}), 2 * (10 + (p - 1) * 23 * 0.7)));
        CHECK(near_to(finish(algorithm::naive{}), 2 * 10 + 2 * (p - 1) * (n - 1) * 0.7));
    }
}

TEST_CASE("copies and reductions take their time on the processor") {
    machine m = uniform(ns(100, 0, 0, 0, 2));
    m.near.ranges[0].cost.copy_s_per_byte = 5e-9;
    CHECK(near_to(simulate(allreduce_of(algorithm::ring{}, 1, 100), m).finish_s * 1e9, 500));
    CHECK(near_to(simulate(allreduce_of(algorithm::one_shot{}, 4, 100), m).finish_s * 1e9, 100 + 3 * 200));
}

TEST_CASE("a message costs what the link between its ranks takes for one of its length") {
    machine m = uniform(ns(10, 0, 0, 0));
    m.far = ns(1000, 0, 0, 0);
    m.near.count = 2;
    m.near.ranges[0].most_bytes = 64;
    m.near.ranges[1].cost = ns(20, 0, 0, 0);
    const auto finish = [&](std::size_t bytes, int ranks_per_node) {
        return simulate(rooted(operation::broadcast, 4, bytes), m, ranks_per_node).rank_finish_s;
    };
    CHECK(near_to(finish(64, 2)[1] * 1e9, 10));
    CHECK(near_to(finish(65, 2)[1] * 1e9, 20));
    CHECK(near_to(finish(64, 2)[2] * 1e9, 1000));
    CHECK(near_to(finish(64, 4)[3] * 1e9, 10));
    CHECK(near_to(finish(64, 1)[1] * 1e9, 1000));
}

TEST_CASE("in a slower unit of time all takes so many times as long: rounding decides nothing") {
    for (const receiver_rule rule : {receiver_rule::serial, receiver_rule::full_duplex})
        for (const operation what : {operation::allreduce, operation::reduce_scatter, operation::broadcast})
            for (const algorithm::any& how : algorithm::all(4)) {
                if (!how.offers(what)) continue;
                for (const int size : {3, 6, 8})
                    for (const std::size_t bytes : {std::size_t{64}, std::size_t{65536}, std::size_t{1} << 20}) {
                        if (!how.runs_on(size)) continue;
                        const auto in_units_of = [&](double unit) {
                            const loggp cost{5e-6 * unit, 1e-6 * unit, 2e-6 * unit, 0.3e-9 * unit, 0.1e-9 * unit};
                            return finish_ns({what, how, size, bytes, 0, 4}, cost, rule) / unit;
                        };
                        CAPTURE(std::string(how.name()), std::string(name_of(what)), size, bytes);
                        CHECK(in_units_of(1000) == Approx(in_units_of(1)).epsilon(1e-9));
                        CHECK(in_units_of(3) == Approx(in_units_of(1)).epsilon(1e-9));
                    }
            }
    // Where a step and a message are ready at one time, the step's number decides: 580.501 us by hand.
    const loggp cost{5e-6, 1e-6, 2e-6, 0.3e-9, 0.1e-9};
    const collective c{operation::broadcast, algorithm::scatter_allgather{}, 8, std::size_t{1} << 20};
    CHECK(finish_ns(c, cost, receiver_rule::serial) == Approx(580'500.9).epsilon(1e-6));
}

TEST_CASE("pipelining a tree pays for much data") {
    collective c{operation::allreduce, algorithm::double_binary_tree{}, 16, 1 << 20};
    const double whole = finish_ns(c, ns(1000, 100, 100, 1), receiver_rule::full_duplex);
    c.segments = 16;
    const double cut = finish_ns(c, ns(1000, 100, 100, 1), receiver_rule::full_duplex);
    CHECK(cut < 0.4 * whole);
    CHECK(cut > 2 * 1'000'000); // every byte goes up a tree and down again
}

TEST_CASE("nonsense is refused in plain words") {
    const machine m = uniform(ns(1000, 0, 0, 1));
    const auto refused = [&](const collective& c, int ranks_per_node = 1) {
        try {
            static_cast<void>(simulate(c, m, ranks_per_node));
        } catch (const error& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    CHECK(refused({operation::broadcast, algorithm::ring{}, 4, 8}) ==
          "tutti: invalid argument in simulate: ring has no broadcast");
    CHECK(refused({operation::broadcast, algorithm::naive{}, 4, 8, 4}).find("the root") != std::string::npos);
    CHECK(refused({operation::allreduce, algorithm::ring{}, 0, 8}).find("there must be a rank") != std::string::npos);
    CHECK(refused({operation::allreduce, algorithm::ring{}, 4, 8}, 0).find("on a node") != std::string::npos);
}
