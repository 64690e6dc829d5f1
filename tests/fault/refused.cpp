// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ranks.hpp"

#include "support/captured_stderr.hpp"
#include "support/effort.hpp"

#include <exception>

using namespace tutti;
using namespace tutti::test;

namespace {

/// What a rank hears that cannot join; empty if it can.
void try_to_join(account& mine, const transport::bootstrap::identity& me) {
    expect(fails(mine, [&] { world_of_processes{transport::tcp{me}}; }), "there is no world without all its ranks");
}

account* of_this_process = nullptr;

/// The same where nobody catches the error, as past main: nothing is destroyed, and the process ends at once.
void try_to_join_uncaught(account& mine, const transport::bootstrap::identity& me) {
    of_this_process = &mine;
    std::set_terminate([] {
        try {
            std::rethrow_exception(std::current_exception());
        } catch (const error& e) {
            const auto now = std::chrono::steady_clock::now();
            of_this_process->add(e, now, now);
        }
        ::_exit(0);
    });
    std::thread([&] { world_of_processes{transport::tcp{me}}; }).join();
}

} // namespace

TEST_CASE("who never comes to the rendezvous is named on all ranks that came") {
    constexpr int size = 4;
    for (int absent = 1; absent < size; ++absent) {
        CAPTURE(absent);
        const reserved_port at;
        processes ranks(size, [&](int rank, account& mine) {
            if (rank == absent) return;
            auto me = identity(rank, size, at);
            me.timeout = 600ms;
            try_to_join(mine, me);
        });
        check_ended(ranks);
        for (int r = 0; r < size; ++r) {
            if (r == absent) continue;
            const auto& e = ranks.of(r).error[0];
            INFO(e.message.str());
            CHECK(e.why == cause::bootstrap);
            CHECK(e.message.str().find("rank " + std::to_string(absent) + " never came") != std::string::npos);
            CHECK(e.told - e.called <= 600ms + beyond);
        }
    }
}

TEST_CASE("two processes of one number are named on all ranks at once") {
    const reserved_port at;
    processes ranks(4, [&](int rank, account& mine) { try_to_join(mine, identity(std::min(rank, 2), 5, at)); });
    check_ended(ranks);
    for (int r = 0; r < 4; ++r) {
        const auto& e = ranks.of(r).error[0];
        INFO(e.message.str());
        CHECK(e.why == cause::bootstrap);
        CHECK(e.peer == 2);
        CHECK(e.message.str().find("rank 2 has joined already, from ") != std::string::npos);
        CHECK(e.told - e.called <= at_once + beyond); // rank 0 waits a second for those who are still on their way
    }
}

TEST_CASE("all ranks are told of a refusal where it ends the process of each at once, rank 0's too") {
    for (int i = 0; i < effort(10); ++i) {
        const reserved_port at;
        const moment begun = std::chrono::steady_clock::now();
        processes ranks(5, [&](int rank, account& mine) {
            if (rank == 4) std::this_thread::sleep_for(i * 2ms);
            try_to_join_uncaught(mine, identity(std::min(rank, 3), 5, at));
        });
        check_ended(ranks);
        for (int r = 0; r < 5; ++r) {
            const auto& e = ranks.of(r).error[0];
            INFO(e.message.str());
            // Rank 0 waits a second for who is still on the way: on a busy machine one may take longer.
            const bool in_time = e.told - begun < 1s;
            CHECK((e.peer == 3 || !in_time));
        }
    }
}

TEST_CASE("a rank that has nowhere to listen is named on all ranks at once, with the reason") {
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) {
        auto me = identity(rank, 3, at);
        if (rank == 2) me.interface = "no-such-interface";
        try_to_join(mine, me);
    });
    check_ended(ranks);
    for (int r = 0; r < 2; ++r) {
        const auto& e = ranks.of(r).error[0];
        INFO(e.message.str());
        CHECK(e.peer == 2);
        CHECK(e.message.str().find("rank 2 gave up before it had joined: ") != std::string::npos);
        CHECK(e.message.str().find("no-such-interface") != std::string::npos);
        CHECK(e.told - e.called <= at_once);
    }
}

TEST_CASE("after five seconds rank 0 says on standard error for whom all wait") {
    const reserved_port at;
    const captured_stderr said;
    processes ranks(2, [&](int rank, account& mine) {
        auto me = identity(rank, 4, at);
        me.timeout = 6500ms;
        try_to_join(mine, me);
    });
    check_ended(ranks);
    CHECK(said.text() == "tutti: waiting for ranks 2 and 3 of 4 at " + at.host() + ":" + std::to_string(at.port()) +
                             ", for 5 s so far\n");
}

TEST_CASE("without rank 0 the others say where they looked for it") {
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) {
        if (rank == 0) return;
        auto me = identity(rank, 3, at);
        me.timeout = 600ms;
        try_to_join(mine, me);
    });
    check_ended(ranks);
    for (int r = 1; r < 3; ++r) {
        const auto& e = ranks.of(r).error[0];
        INFO(e.message.str());
        CHECK(e.why == cause::bootstrap);
        CHECK(e.message.str().find(at.host() + ":" + std::to_string(at.port())) != std::string::npos);
        CHECK(e.told - e.called <= 600ms + beyond);
    }
}

TEST_CASE("a rank that is killed while the others gather may come again") {
    const reserved_port at;
    const auto take_part_as = [&](int rank) {
        return [&at, rank](int, account& mine) {
            mine.stage.store(1, std::memory_order_release);
            const auto world = join(rank, 3, at);
            int x = 1;
            world.allreduce(std::span(&x, 1), sum);
            expect(x == 3, "the world is complete");
        };
    };
    processes ranks;
    ranks.start(take_part_as(0));
    ranks.start(take_part_as(1));
    ranks.await_stage(1);
    std::this_thread::sleep_for(50ms);
    ranks.send(1, SIGKILL);
    CHECK(ranks.end(1) == "signal 9");
    ranks.start(take_part_as(1));
    ranks.start(take_part_as(2));
    check_ended(ranks, 1);
}
