// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/asio.hpp> // first: Asio's headers do not compile behind `using namespace tutti`
#include <collectives/collectives.hpp>

#include "support/tcp_ranks.hpp"

/// What tests of faults share: worlds whose ranks are processes that talk TCP.
namespace tutti::test {

/// Ranks of a world here, where a test does not say otherwise.
inline constexpr int size = 4;
/// The deadline of every call here, and what may pass beyond it.
inline constexpr std::chrono::milliseconds deadline{1000}, beyond{1000};
/// An error that is known already comes at once; generous, since a loaded machine is no fault.
inline constexpr std::chrono::milliseconds at_once{500};

[[nodiscard]] inline world_of_processes join(int rank, int size, const reserved_port& at,
                                             const transport::tcp_limits& limits = {}) {
    world_of_processes world{transport::tcp{identity(rank, size, at), limits}};
    world.default_deadline(deadline);
    return world;
}

/// How a rank enters a world over TCP.
inline constexpr auto over_tcp = [](int rank, int size, const reserved_port& at) { return join(rank, size, at); };

/// Calls once. True if it threw a tutti::error, which is then in the account.
template <class Call>
bool fails(account& mine, Call&& call) {
    const moment called = std::chrono::steady_clock::now();
    try {
        call();
    } catch (const error& e) {
        mine.add(e, called, std::chrono::steady_clock::now());
        return true;
    }
    mine.calls.fetch_add(1, std::memory_order_release);
    return false;
}

/// Calls again and again until it throws a tutti::error, which is then in the account.
template <class Call>
void call_until_error(account& mine, Call&& call) {
    const auto end = std::chrono::steady_clock::now() + patience;
    while (!fails(mine, call)) expect(std::chrono::steady_clock::now() < end, "calls end with an error");
}

/// Tells the test that this rank may be killed now, and waits for it. A rank that kills itself when its own call has
/// returned may take with it what others still need of that call.
inline void await_death(account& mine, int stage) {
    mine.stage.store(stage, std::memory_order_release);
    std::this_thread::sleep_for(patience);
    expect(false, "this rank is killed");
}

/// A call on a communicator that has failed throws the same at once.
template <class Communicator>
void expect_refusal(const Communicator& world, const received_error& first) {
    int x = 1;
    const moment called = std::chrono::steady_clock::now();
    try {
        world.allreduce(std::span(&x, 1), sum);
    } catch (const error& e) {
        expect(std::chrono::steady_clock::now() - called <= at_once, "a failed communicator says so at once");
        expect(e.why() == first.why && e.facts().peer == first.peer, "a failed communicator says the same again");
        return;
    }
    expect(false, "a failed communicator refuses every call");
}

/// What a rank got is an error which blames `peer`, and it came in time.
inline void check_blames(const account& a, cause why, int peer) {
    REQUIRE(a.errors.load(std::memory_order_acquire) > 0);
    const auto& e = a.error[0];
    INFO(e.message.str());
    CHECK(name_of(e.why) == name_of(why));
    CHECK(e.peer == peer);
    CHECK(e.told - e.called <= deadline + beyond);
}

} // namespace tutti::test
