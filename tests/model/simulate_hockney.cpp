// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/simulate.hpp>

#include "simulated.hpp"

#include <cstddef>
#include <string>

using namespace tutti;
using model::collective;
using model::receiver_rule;
using model::simulated;
using schedule::activity;
using schedule::operation;

namespace {

/// A message of m bytes takes 100 + 2m ns, its reduction 3m ns.
constexpr model::loggp by_ports{4e-8, 3e-8, 7e-7, 2e-9, 3e-9};

simulated run_by_ports(const collective& c) {
    model::simulation_settings s;
    s.receiver = receiver_rule::hockney;
    s.activities = true;
    return model::simulate(c, model::uniform(by_ports), 1, s);
}
double ports_ns(const operation o, const algorithm::any& how, int size, std::size_t bytes) {
    return run_by_ports({o, how, size, bytes, 0}).finish_s * 1e9;
}

/// Checks that no two of a rank's sends, nor of its receives but for their reductions, are under way at once.
void one_each_way(const simulated& found, int size) {
    for (int r = 0; r < size; ++r) {
        double out = 0, in = 0;
        for (const activity& a : found.activities) { // in order of their begin
            if (a.rank != r || a.peer < 0) continue;
            double& free = a.what == schedule::action::send ? out : in;
            CHECK(a.begin_s >= free);
            free = a.begin_s + (100 + 2 * static_cast<double>(a.bytes)) * 0.999999e-9;
            CHECK(a.end_s >= free);
        }
    }
}

} // namespace

TEST_CASE("by Hockney's rule a message takes alpha and its bytes, an empty one alpha, whatever the gap") {
    CHECK(test::near_to(ports_ns(operation::broadcast, algorithm::naive{}, 2, 0), 100));
    CHECK(test::near_to(ports_ns(operation::broadcast, algorithm::naive{}, 2, 1), 102));
    CHECK(test::near_to(ports_ns(operation::broadcast, algorithm::naive{}, 4, 50), 3 * 200));
    CHECK(test::near_to(ports_ns(operation::reduce, algorithm::naive{}, 2, 50), 200 + 150));
}

TEST_CASE("by Hockney's rule a rank receives one message at a time, and sends one meanwhile") {
    CHECK(test::near_to(ports_ns(operation::allgather, algorithm::direct{}, 4, 200), 3 * 200));
    CHECK(test::near_to(ports_ns(operation::allreduce, algorithm::butterfly{}, 4, 50), 2 * (200 + 150)));
    for (const algorithm::any& a : algorithm::all(3))
        for (const operation o : schedule::operations)
            for (int size = 2; a.offers(o) && size <= 9; ++size) {
                CAPTURE(std::string(a.name()), std::string(name_of(o)), size);
                one_each_way(run_by_ports({o, a, size, 1001, 0}), size);
            }
}

TEST_CASE("by Hockney's rule a reduction of what has come waits only for the one before it") {
    // Three operands are reduced into one place: none is received before the one ahead of it is done with.
    CHECK(test::near_to(ports_ns(operation::reduce, algorithm::naive{}, 4, 50), 3 * (200 + 150)));
    // Four chunks of 25 bytes are reduced into places of their own, so that each comes while the last one is reduced.
    const collective c{operation::reduce, algorithm::double_binary_tree{}, 2, 100, 0, 2};
    CHECK(test::near_to(run_by_ports(c).finish_s * 1e9, 4 * (100 + 50) + 75));
}

TEST_CASE("by Hockney's rule one rank stands for all, as it does by the others") {
    model::simulation_settings s;
    s.receiver = receiver_rule::hockney;
    const collective c{operation::allreduce, algorithm::ring{}, 12, 1200, 0};
    const double whole = model::simulate(c, model::uniform(by_ports), 1, s).finish_s;
    s.symmetric_beyond = 0;
    const simulated one = model::simulate(c, model::uniform(by_ports), 1, s);
    CHECK(one.by_symmetry);
    CHECK(one.finish_s == Approx(whole).epsilon(1e-12));
}

TEST_CASE("Hockney's rule knows no contention") {
    model::simulation_settings s;
    s.receiver = receiver_rule::hockney;
    model::machine crowded = model::uniform(by_ports);
    crowded.oversubscription = 2;
    const collective c{operation::allreduce, algorithm::ring{}, 4, 100, 0};
    CHECK_THROWS_WITH(model::simulate(c, crowded, 1, s), Catch::Contains("by Hockney's rule ranks share nothing"));
}
