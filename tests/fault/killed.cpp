// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "looped.hpp"
#include "victims.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("whichever rank is killed in mid-collective, at whatever moment, all others name it in time") {
    const int ranks = GENERATE(3, 4);
    for (int victim = 0; victim < ranks; ++victim) kill_at_random_moments(over_tcp, ranks, victim, 12);
}

TEST_CASE("a killed rank is named in a world of two, and in one of eight") {
    for (const auto& [ranks, victim] : {std::pair{2, 0}, {2, 1}, {8, 0}, {8, 5}}) {
        CAPTURE(ranks, victim);
        kill_one(over_tcp, ranks, victim, 20ms, algorithm::ring{});
    }
}

TEST_CASE("a killed rank is named under every algorithm") {
    int victim = 0;
    for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce, 2)) {
        CAPTURE(how.name(), victim);
        kill_one(over_tcp, size, victim, 15ms, how);
        victim = (victim + 1) % size;
    }
}

TEST_CASE("a killed rank is named in time by ranks that wait in event loops of their own") {
    const int ranks = GENERATE(2, 4);
    for (int victim = 0; victim < ranks; ++victim) kill_at_random_moments(by_loop(over_tcp), ranks, victim, 3);
}

TEST_CASE("a killed rank is named in time by ranks that await their calls on Asio") {
    for (int victim = 0; victim < 3; ++victim) kill_at_random_moments(by_asio(over_tcp), 3, victim, 3);
}
