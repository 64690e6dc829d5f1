// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tools/tutti/common/meeting.hpp"

#include "support/bound.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"

#include <thread>

using namespace tutti::tools;
using namespace std::chrono_literals;

namespace {

void as_threads(int ranks, const std::function<void(int)>& body) {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(body, rank);
}

tutti::fault fault_of(shared_meeting& m) {
    try {
        m.barrier();
    } catch (const tutti::error& e) {
        return e.facts();
    }
    FAIL("the barrier did not throw");
    return {};
}

} // namespace

TEST_CASE("nobody leaves a barrier before all have come") {
    constexpr int ranks = 5, rounds = 500;
    const auto room = shared_room::create(ranks);
    std::vector<int> come(ranks, 0); // plain: the barrier must order what is written before it and read after it
    std::atomic<int> early = 0;
    as_threads(ranks, [&](int rank) {
        shared_meeting m{room, rank, 20s, {}};
        for (int round = 1; round <= rounds; ++round) {
            come[static_cast<std::size_t>(rank)] = round;
            m.barrier();
            for (int other : come) early += other != round;
            m.barrier();
        }
    });
    CHECK(early == 0);
}

TEST_CASE("ranks are crowded when they are bound to the same processor, not when each has its own") {
    const auto mine = tutti::transport::bootstrap::own_allotment();
    const auto all = mine.processors.numbers();
    const bool together = GENERATE(true, false);
    if (all.size() < 2 && !together) {
        WARN("this host has one processor");
        return;
    }
    const auto room = shared_room::create(2);
    std::atomic<int> crowded = 0;
    as_threads(2, [&](int rank) {
        const tutti::test::bound here(all[together ? 0 : static_cast<std::size_t>(rank)]);
        shared_meeting m{room, rank, 20s, {}};
        for (int i = 0; i < 3; ++i) m.barrier();
        crowded += m.crowded();
    });
    const bool limited = mine.quota.thousandths > 0 && mine.quota.thousandths < 2000;
    CHECK(crowded == (together || limited ? 2 : 0));
}

TEST_CASE("the maximum is taken place by place, over more places than fit at once") {
    constexpr int ranks = 3;
    const auto room = shared_room::create(ranks);
    std::atomic<int> wrong = 0;
    as_threads(ranks, [&](int rank) {
        shared_meeting m{room, rank, 20s, {}};
        std::vector<double> values(2 * shared_room::window + 7);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = i % ranks == static_cast<std::size_t>(rank) ? static_cast<double>(i) : -1;
        m.maximum(values);
        for (std::size_t i = 0; i < values.size(); ++i) wrong += values[i] != static_cast<double>(i);
        wrong += m.sum(rank + 1, rank, ranks) != 6;
    });
    CHECK(wrong == 0);
}

TEST_CASE("a rank that does not come is named when the deadline has passed") {
    const auto room = shared_room::create(3);
    const auto start = std::chrono::steady_clock::now(); // who comes late is told at once
    as_threads(2, [&](int rank) {
        shared_meeting m{room, rank == 0 ? 0 : 2, 200ms, {}};
        try {
            m.barrier();
        } catch (const tutti::error& e) {
            const auto waited = std::chrono::steady_clock::now() - start;
            if (e.why() == tutti::cause::timeout && e.facts().peer == 1 && waited >= 200ms) return;
        }
        std::terminate();
    });
}

TEST_CASE("a rank that is lost ends the barriers under way and those to come") {
    const auto room = shared_room::create(2);
    shared_meeting m{room, 0, 20s, {}};
    std::jthread later{[&] {
        std::this_thread::sleep_for(50ms);
        room->lose(1);
        room->lose(0); // only the first counts
    }};
    const auto start = std::chrono::steady_clock::now();
    const tutti::fault f = fault_of(m);
    CHECK(f.why == tutti::cause::lost_peer);
    CHECK(f.peer == 1);
    CHECK(fault_of(m).peer == 1);
    CHECK(std::chrono::steady_clock::now() - start < 10s);
}

TEST_CASE("whom one rank gives up the others name at once, though they have waited for less") {
    const auto room = shared_room::create(4);
    tutti::fault early, late;
    const auto start = std::chrono::steady_clock::now();
    as_threads(3, [&](int rank) { // rank 3 never comes; rank 0 has met it elsewhere, and blames it
        shared_meeting m{room, rank, 20s, {}};
        if (rank == 0) m.blame(3);
        if (rank == 1) early = fault_of(m);
        if (rank == 2) late = fault_of(m);
    });
    CHECK(std::chrono::steady_clock::now() - start < 10s); // long before the deadline
    for (const tutti::fault& f : {early, late}) {
        CHECK(f.why == tutti::cause::timeout);
        CHECK(f.peer == 3);
    }
}

TEST_CASE("who knows better may throw instead") {
    const auto room = shared_room::create(2);
    room->lose(1);
    shared_meeting m{room, 0, 20s, [] { throw std::runtime_error("better"); }};
    CHECK_THROWS_WITH(m.barrier(), "better");
}

TEST_CASE("processes meet in a file that is handed down") {
    const descriptor file = shared_room::make_file(2);
    tutti::test::child other([&] {
        shared_meeting m{shared_room::open(2, file.get()), 1, 20s, {}};
        double value = 2;
        m.maximum({&value, 1});
        return value == 2;
    });
    shared_meeting m{shared_room::open(2, file.get()), 0, 20s, {}};
    double value = 1;
    m.maximum({&value, 1});
    CHECK(other.end() == "");
    CHECK(value == 2);
}
