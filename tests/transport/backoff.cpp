// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/world/backoff.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace {

using namespace std::chrono_literals;

/// A core whose clock the test moves: a pause and a yield take what it says.
struct told_core {
    using clock = std::chrono::steady_clock;

    static clock::time_point now() noexcept { return time; }
    static void pause() noexcept { time += 50ns; }
    static void yield() noexcept {
        time += a_yield;
        ++yields;
        left += leaves;
    }
    struct absence_count {
        int thread = 0;
        long number = 0;
    };
    static absence_count absences() noexcept { return {thread, left}; }
    static void move_to(int processor) noexcept { moved_to = processor; }

    static void begin_again() {
        time = clock::time_point{} + 1h;
        a_yield = 200ns;
        yields = 0;
        left = leaves = 0;
        moved_to = -1;
        thread = 1;
    }

    static inline clock::time_point time;
    static inline std::chrono::nanoseconds a_yield;
    static inline int yields, leaves, moved_to, thread;
    static inline long left;
};
using told_backoff = tutti::transport::basic_backoff<told_core>;

/// Waits, and says how long until it was time to block, or until what it waits for has come, after `lasts`.
std::chrono::nanoseconds wait(told_backoff& b, std::chrono::nanoseconds lasts = 24h) {
    const auto began = told_core::time;
    b.begin();
    while (told_core::time - began < lasts)
        if (!b.rest()) {
            const auto spun = told_core::time - began;
            told_core::time = std::max(told_core::time, began + lasts);
            b.woke();
            b.news();
            return spun;
        }
    b.news();
    return told_core::time - began;
}

TEST_CASE("a wait spins for no longer than it says, and yields meanwhile") {
    told_core::begin_again();
    told_backoff b(false);
    const auto spun = wait(b);
    CHECK(spun >= told_backoff::longest);
    CHECK(spun < told_backoff::longest + 100us);
    // Every few polls: a peer that has to use this core gets it within a microsecond.
    CHECK(spun / told_core::yields < 1us);
}

TEST_CASE("waits that spinning does not serve become short, until one would have been served") {
    told_core::begin_again();
    told_backoff b(false);
    for (int vain = 0; vain < told_backoff::most_in_vain; ++vain) CHECK(wait(b, 20ms) >= told_backoff::longest);
    for (int later = 0; later < 5; ++later) {
        CHECK(wait(b, 20ms) < told_backoff::shortest + 100us);
        CHECK(wait(b, 2us) >= 2us); // a short one in between says nothing
    }
    CHECK(wait(b, 5ms) < 1ms);  // it slept, and woke early
    CHECK(wait(b, 5ms) >= 5ms); // so this one is spun through
    CHECK(wait(b, 20ms) >= told_backoff::longest);
}

TEST_CASE("waits of which spinning serves some spin on") {
    told_core::begin_again();
    told_backoff b(false);
    for (int turn = 0; turn < 10; ++turn) {
        CHECK(wait(b, 20ms) >= told_backoff::longest);
        CHECK(wait(b, 1ms) >= 1ms);
    }
}

TEST_CASE("a wait that was blocked and brought nothing goes on without a spin") {
    told_core::begin_again();
    told_backoff b(false);
    b.begin();
    while (b.rest()) {
    }
    for (int wakes = 0; wakes < 3; ++wakes) {
        told_core::time += 20ms;
        b.woke();
        b.begin();
        CHECK_FALSE(b.rest());
    }
    b.news();
    b.begin();
    CHECK(b.rest());
}

TEST_CASE("a wait that is woken for nothing spins once") {
    told_core::begin_again();
    told_backoff b(false);
    // It looks, is rung for nothing, and waits on, before it is time to block and behind that.
    std::chrono::nanoseconds spun{0};
    for (int rings = 0; rings < 1000; ++rings) {
        const auto began = told_core::time;
        b.begin();
        bool blocked = false;
        while (!blocked && told_core::time - began < 1ms) blocked = !b.rest();
        spun += told_core::time - began;
        if (blocked) told_core::time += 1ms, b.woke();
    }
    CHECK(spun < told_backoff::longest + 1ms);
}

TEST_CASE("a thread that computes on this core gets it soon") {
    told_core::begin_again();
    told_core::a_yield = 3ms; // its slice
    told_backoff b(false);
    CHECK(wait(b) < 4ms);
    CHECK(told_core::yields == 1);
}

TEST_CASE("on a crowded host a wait yields a few times, and blocks") {
    told_core::begin_again();
    told_backoff b(true, 1);
    for (int waits = 0; waits < 50; ++waits) {
        told_core::yields = 0;
        static_cast<void>(wait(b));
        CHECK(told_core::yields == told_backoff::yields_crowded);
    }
}

/// A wait whose peer has run on this core, while this rank had yielded it.
void wait_for_one_beside(told_backoff& b) {
    b.begin();
    for (const int before = told_core::yields; told_core::yields == before;) REQUIRE(b.rest());
    b.news();
}

TEST_CASE("a rank moves when its peer runs on its core, again and again") {
    told_core::begin_again();
    told_backoff b(false, 5);
    SECTION("it does") {
        told_core::leaves = 1;
        for (int waits = 0; waits < 2 * told_backoff::suspicious; ++waits) {
            wait_for_one_beside(b);
            CHECK(told_core::moved_to == -1);
        }
        b.begin(); // it learns from the last one
        CHECK(told_core::moved_to == 5);
    }
    SECTION("nobody else has run there") {
        for (int waits = 0; waits < 100; ++waits) wait_for_one_beside(b);
        CHECK(told_core::moved_to == -1);
    }
    SECTION("another thread drives from then on") {
        told_core::leaves = 1;
        for (int waits = 0; waits < 100; ++waits) {
            wait_for_one_beside(b);
            ++told_core::thread;
        }
        CHECK(told_core::moved_to == -1);
    }
    SECTION("it does not help, again and again") {
        told_core::leaves = 1;
        int moves = 0;
        for (int waits = 0; waits < 1000; ++waits) {
            wait_for_one_beside(b);
            moves += std::exchange(told_core::moved_to, -1) == 5;
        }
        CHECK(moves == told_backoff::most_moves);
    }
    SECTION("waits end otherwise now and then") {
        told_core::leaves = 1;
        for (int waits = 0; waits < 100; ++waits) {
            wait_for_one_beside(b);
            if (waits % told_backoff::suspicious == 0) static_cast<void>(wait(b, 1us));
        }
        CHECK(told_core::moved_to == -1);
    }
    SECTION("it has no processor of its own") {
        told_core::leaves = 1;
        told_backoff without(false);
        for (int waits = 0; waits < 100; ++waits) wait_for_one_beside(without);
        CHECK(told_core::moved_to == -1);
    }
}

TEST_CASE("a thread moves to a processor that it may use, and may use all others again") {
    using tutti::transport::detail::this_core;
    cpu_set_t before, after;
    REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
    for (int p = 0; p < CPU_SETSIZE; ++p) {
        if (!CPU_ISSET(p, &before)) continue;
        this_core::move_to(p);
        REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
        CHECK(CPU_EQUAL(&before, &after));
    }
    // What it may not use, or there is not, changes nothing.
    this_core::move_to(-1);
    this_core::move_to(CPU_SETSIZE);
    this_core::move_to(CPU_SETSIZE - 1);
    REQUIRE(sched_getaffinity(0, sizeof after, &after) == 0);
    CHECK(CPU_EQUAL(&before, &after));
}

} // namespace
