// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/model/working_set.hpp>

#include "model/simulated.hpp"
#include "support/catch.hpp"

#include <collectives/algorithm/all.hpp>

namespace algorithm = tutti::algorithm;
using tutti::model::collective;
using tutti::model::loggp;
using tutti::model::machine;
using tutti::model::simulate;
using tutti::model::working_set_bytes;
using tutti::schedule::operation;
using tutti::test::allreduce_of;

namespace {

machine with_small_caches() {
    machine m = tutti::model::uniform(loggp{0, 1e-6, 0, 0, 1e-9, 1e-9, 1e-9});
    m.cache_bytes = 1000;
    m.miss_s_per_byte = 4e-9;
    return m;
}

} // namespace

TEST_CASE("the working set of a call is what its ranks of a node have of inputs, outputs and scratch") {
    collective ring = allreduce_of(algorithm::ring{}, 4, 400);
    CHECK(working_set_bytes(ring, 4) == 4 * 2 * 400);
    CHECK(working_set_bytes(ring, 2) == 2 * 2 * 400);
    ring.in_place = true;
    CHECK(working_set_bytes(ring, 4) == 4 * 400);

    const collective at_root{operation::broadcast, algorithm::naive{}, 3, 100};
    CHECK(working_set_bytes(at_root, 3) == 100 + 3 * 100); // the root's input, and an output of each

    collective staged = allreduce_of(algorithm::one_shot{}, 4, 400);
    CHECK(working_set_bytes(staged, 4) == 4 * (400 + 400 + 3 * 400)); // each keeps what the others send
}

TEST_CASE("of a working set as large a share misses the caches as does not fit") {
    const machine m = with_small_caches();
    CHECK(with_misses(m, 1000) == m);
    const machine half = with_misses(m, 2000);
    for (const auto price : {&loggp::overhead_s_per_byte, &loggp::gamma_s_per_byte, &loggp::copy_s_per_byte}) {
        CHECK(half.near.at(1).*price == Approx(1e-9 + 2e-9));
        CHECK(half.far.at(1).*price == Approx(1e-9 + 2e-9));
    }
    CHECK(half.near.at(1).overhead_s == 1e-6);
    machine unbounded = m;
    unbounded.cache_bytes = 0;
    CHECK(with_misses(unbounded, 1e12) == unbounded);
}

TEST_CASE("a call is simulated with what its working set misses, and each rank begins after call_s") {
    const collective c = allreduce_of(algorithm::butterfly{}, 2, 4096);
    machine m = with_small_caches();
    const double set = working_set_bytes(c, 2);
    REQUIRE(set > m.cache_bytes);
    machine plain = with_misses(m, set);
    plain.cache_bytes = 0;
    CHECK(simulate(c, m, 2).finish_s == Approx(simulate(c, plain, 2).finish_s));
    m.cache_bytes = 1e9;
    CHECK(simulate(c, m, 2).finish_s < simulate(c, plain, 2).finish_s);

    const double before = simulate(c, m, 2).finish_s;
    m.call_s = 5e-6;
    CHECK(simulate(c, m, 2).finish_s == Approx(before + 5e-6));
    m.cores = 1;
    const double shared = simulate(c, m, 2).finish_s;
    m.call_s = 0;
    CHECK(shared == Approx(simulate(c, m, 2).finish_s + 5e-6));
}
