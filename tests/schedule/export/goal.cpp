// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/schedule/export/goal.hpp>

#include "goal_replay.hpp"
#include "programs.hpp"

#include "support/catch.hpp"

#include <string>

using export_test::make;
using export_test::subject;
using tutti::schedule::goal;
using tutti::schedule::operation;

namespace {

std::string goal_of(const subject& s, std::size_t count, const tutti::schedule::goal_costs& costs = {}) {
    return goal(s.program, s.cut(count), costs);
}
subject allreduce_of(const char* name, int size) {
    return make(tutti::algorithm::by_name(name), operation::allreduce, size);
}
std::string with(std::string text, const std::string& old, const std::string& fresh) {
    const std::size_t at = text.find(old);
    REQUIRE(at != text.npos);
    return text.replace(at, old.size(), fresh);
}

} // namespace

TEST_CASE("small allreduces as GOAL are what the golden files hold") {
    using export_test::golden;
    CHECK(goal_of(allreduce_of("ring", 3), 3, {4, 0}) == golden("ring_3.goal"));
    CHECK(goal_of(allreduce_of("naive", 3), 3, {4, 0.5}) == golden("naive_3.goal"));
    CHECK(goal_of(allreduce_of("halving_doubling", 4), 4, {4, 0}) == golden("halving_doubling_4.goal"));
}

TEST_CASE("all programs as GOAL are read and run to their end, with fewer elements than chunks as well") {
    export_test::for_all_programs([](const subject& s) {
        INFO(s.name());
        for (const std::size_t shards : {0, 1, 100}) {
            const std::size_t count =
                has_shards(s.program.what) ? shards * static_cast<std::size_t>(s.program.size) : shards;
            CHECK_NOTHROW(goal_test::finish_ns(goal_of(s, count, {4, 0.25})));
        }
    });
}

TEST_CASE("GOAL takes the times that LogGOPSim has found for the same schedules") {
    // 8 ranks, 8192 bytes, L = 1000 ns, o = g = 0, G = 1 ns a byte, no cost of reductions
    CHECK(goal_test::finish_ns(goal_of(allreduce_of("ring", 8), 8192)) == 28322);
    CHECK(goal_test::finish_ns(goal_of(allreduce_of("butterfly", 8), 8192)) == 27573);
    CHECK(goal_test::finish_ns(goal_of(allreduce_of("halving_doubling", 8), 8192)) == 20330);
    CHECK(goal_test::finish_ns(goal_of(allreduce_of("binomial_tree", 8), 8192)) == 55146);
    CHECK(goal_test::finish_ns(goal_of(allreduce_of("naive", 8), 8192)) == 116674);
}

TEST_CASE("GOAL charges a reduction for each further operand, and a copy once") {
    const auto calc_ns = [](const char* name, int size, std::size_t count, double per_byte) {
        const subject s = allreduce_of(name, size);
        return goal_test::finish_ns(goal_of(s, count, {4, per_byte})) - goal_test::finish_ns(goal_of(s, count, {4, 0}));
    };
    CHECK(calc_ns("naive", 2, 25, 2) == 200);         // one reduction of 100 bytes
    CHECK(calc_ns("direct", 4, 100, 0.5) == 3 * 50);  // three of 100 bytes in one step
    CHECK(calc_ns("butterfly", 4, 25, 0.504) == 100); // two of 50.4 ns each, rounded
    const subject alone = allreduce_of("ring", 1);
    CHECK(goal_test::finish_ns(goal_of(alone, 25, {4, 3})) == 300); // a copy of 100 bytes
}

TEST_CASE("what LogGOPSim would not take is not taken") {
    const std::string good = goal_of(allreduce_of("ring", 3), 3);
    CHECK_NOTHROW(goal_test::finish_ns(good));
    for (const auto& [old, fresh] : {std::pair{"num_ranks 3", "num_ranks 4"},
                                     {"num_ranks 3", "ranks 3"},
                                     {"rank 1 {", "rank 2 {"},
                                     {"}\n", "\n"},
                                     {"requires m0", "requires m99"},
                                     {"m0: send", "m0 send"},
                                     {"m0:", "0m:"},
                                     {"send 1b", "send 0b"},
                                     {"send 1b", "send 1"},
                                     {"cpu 0 nic 0", "nic 0 cpu 0"},
                                     {"to 1", "to 0"},
                                     {"to 1", "to 3"},
                                     {"send 1b", "send 2b"},
                                     {"tag 1 ", "tag 9 "},
                                     {"to 1", "to 2"},
                                     {" requires", " needs"}})
        CHECK_THROWS(goal_test::finish_ns(with(good, old, fresh)));
}

TEST_CASE("with one tag for all, messages of a GOAL file that are sent in another order than received go wrong") {
    // Without irequires the second send, which is free, overtakes the first; its size does not fit then.
    const std::string sender = "num_ranks 2\n\nrank 0 {\nc0: calc 50 cpu 0\nm1: send 8b to 1 tag 1 cpu 0 nic 0\n"
                               "m1 requires c0\nm2: send 9b to 1 tag 1 cpu 0 nic 0\n}\n",
                      receiver = "\nrank 1 {\nm0: recv 8b from 0 tag 1 cpu 0 nic 0\n"
                                 "m1: recv 9b from 0 tag 1 cpu 0 nic 0\nm1 irequires m0\n}\n";
    CHECK_THROWS(goal_test::finish_ns(sender + receiver));
    CHECK_NOTHROW(goal_test::finish_ns(
        with(sender, "m2: send 9b to 1 tag 1 cpu 0 nic 0\n", "m2: send 9b to 1 tag 1 cpu 0 nic 0\nm2 irequires m1\n") +
        receiver));
}
