// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// One rank fails that only its partner has a communicator with; the others wait for each other along a chain of
// communicators of two. All must name the one that failed.

#include <transport/shared_memory.hpp>

#include "victims.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int victim = 3;

constexpr auto in_shared_memory = [](int rank, int ranks, const reserved_port& at) {
    communicator world{transport::shared_memory{identity(rank, ranks, at)}};
    world.default_deadline(deadline);
    return world;
};

enum class mishap { killed, stopped, leaves };

/// Each rank of the chain 0 - 1 - 2 - 3 shares a communicator with the next one.
template <class Communicator>
struct chain {
    explicit chain(const Communicator& world)
        : down(world.split(world.rank() / 2)), up(world.split((world.rank() + 1) / 2 % 2)) {}
    Communicator down, up; // {0, 1} and {2, 3}; {1, 2}, and {0, 3}, which nobody uses
};

/// The first call of rank 2 never ends for its partner's fault. The others wait for it: 1 for 2, and 0 for 1.
template <class Enter>
void break_the_chain(const Enter& enter, mishap what, bool leaves_at_once) {
    CAPTURE(static_cast<int>(what), leaves_at_once);
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = enter(rank, size, at);
        const chain pairs(world);
        std::vector<int> data(1000, 1);
        pairs.down.allreduce(data, maximum);
        pairs.up.allreduce(data, maximum);
        mine.stage.store(1, std::memory_order_release);
        if (rank == victim && what == mishap::leaves) return;
        if (rank == victim) std::this_thread::sleep_for(what == mishap::killed ? patience : 4s);
        const auto& on = rank == 1 ? pairs.up : pairs.down;
        const bool failed = fails(mine, [&] { on.allreduce(data, maximum); });
        if (rank == victim) return; // its partner had done its part
        expect(failed, "a call that cannot end fails");
        if (!leaves_at_once) std::this_thread::sleep_for(deadline + beyond);
    });
    ranks.await_stage(1);
    if (what == mishap::killed) ranks.send(victim, SIGKILL);
    if (what == mishap::stopped) ranks.send(victim, SIGSTOP);
    for (int r = 0; r < victim; ++r) {
        CAPTURE(r);
        ranks.await_error(r);
        check_blames(ranks.of(r), what == mishap::stopped ? cause::timeout : cause::lost_peer, victim);
    }
    if (what == mishap::killed) CHECK(ranks.end(victim) == "signal 9");
    if (what == mishap::stopped) ranks.send(victim, SIGCONT);
    check_ended(ranks, what == mishap::killed ? victim : -1);
}

template <class Enter>
void break_the_chain(const Enter& enter) {
    for (const bool leaves_at_once : {true, false})
        for (const auto what : {mishap::killed, mishap::stopped, mishap::leaves})
            break_the_chain(enter, what, leaves_at_once);
}

} // namespace

TEST_CASE("who waits in another communicator is told of the rank that failed, not of its neighbour, over tcp") {
    break_the_chain(over_tcp);
}

TEST_CASE("and over shared memory") { break_the_chain(in_shared_memory); }

TEST_CASE("a rank whose program has gone on after a failure is named when it leaves") {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = join(rank, size, at);
        const auto others = world.split(rank == victim), again = others.duplicate();
        std::vector<int> data(1000, 1);
        if (rank == victim) await_death(mine, 1);
        mine.stage.store(1, std::memory_order_release);
        call_until_error(mine, [&] { world.allreduce(data, maximum); });
        for (int k = 0; k < 10; ++k) others.allreduce(data, maximum);
        if (rank == 2) return;
        expect(fails(mine, [&] { again.allreduce(data, maximum); }), "a call without one of its ranks fails");
    });
    ranks.await_stage(1);
    ranks.send(victim, SIGKILL);
    CHECK(ranks.end(victim) == "signal 9");
    check_ended(ranks, victim);
    for (const int r : {0, 1}) {
        INFO("rank " << r);
        check_blames(ranks.of(r), cause::lost_peer, victim);
        const auto& second = ranks.of(r).error[1];
        INFO(second.message.str());
        CHECK(second.why == cause::lost_peer);
        CHECK(second.peer == 2);
        CHECK(second.message.str().find("rank 2 has left") != std::string::npos);
    }
}

TEST_CASE("ranks that call on two communicators in unlike order are told of the circle and of both calls") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        const auto world = join(rank, 2, at), twin = world.duplicate();
        std::vector<int> data(1000, 1);
        expect(fails(mine, [&] { rank == 0 ? world.barrier() : (void)twin.allreduce(data, sum); }), "both wait");
    });
    check_ended(ranks);
    for (int r = 0; r < 2; ++r) {
        const std::string text = ranks.of(r).error[0].message.str();
        INFO(text);
        CHECK(ranks.of(r).error[0].why == cause::timeout);
        CHECK(text.find("in calls of different communicators") != std::string::npos);
        CHECK(text.find("rank 0 in barrier") != std::string::npos);
        CHECK(text.find("rank 1 in allreduce(") != std::string::npos);
    }
}

namespace {

/// Ranks call in the world and on halves of it in turn. Rank 0 is killed or stopped. Some wait for it, others for ranks
/// that leave because of it, or would.
template <class Enter>
void lose_rank_0(const Enter& enter) {
    for (const bool dies : {true, false})
        for (const bool leaves_at_once : {true, false}) {
            CAPTURE(dies, leaves_at_once);
            const reserved_port at;
            processes ranks(size, [&](int rank, account& mine) {
                const auto world = enter(rank, size, at);
                const auto half = world.split(rank % 2);
                std::vector<int> data(1000, 1);
                half.allreduce(data, maximum);
                mine.stage.store(1, std::memory_order_release);
                call_until_error(mine, [&] {
                    world.allreduce(data, maximum);
                    half.allreduce(data, maximum);
                    if (rank == 1) std::this_thread::sleep_for(1ms); // so that it is mostly the one in its half
                });
                if (!leaves_at_once) std::this_thread::sleep_for(deadline + beyond);
            });
            ranks.await_stage(1);
            std::this_thread::sleep_for(20ms);
            ranks.send(0, dies ? SIGKILL : SIGSTOP);
            for (int r = 1; r < size; ++r) {
                CAPTURE(r);
                ranks.await_error(r);
                check_blames(ranks.of(r), ranks.of(r).error[0].why, 0);
                CHECK((ranks.of(r).error[0].why == cause::lost_peer ||
                       (!dies && ranks.of(r).error[0].why == cause::timeout)));
            }
            if (!dies) ranks.send(0, SIGKILL);
            CHECK(ranks.end(0) == "signal 9");
            check_ended(ranks, 0);
        }
}

/// Ranks call on halves and on pairs in turn. Rank 1 is killed; rank 0, whose calls fail by that, ends at once, as by
/// an error that nobody catches, and the control plane with it. Rank 2 shares no communicator with rank 1.
template <class Enter>
void lose_rank_0_by_rank_1(const Enter& enter) {
    for (int round = 0; round < 6; ++round) {
        CAPTURE(round);
        const reserved_port at;
        processes ranks(size, [&](int rank, account& mine) {
            const auto world = enter(rank, size, at);
            const auto half = world.split(rank % 2), pair = world.split(rank / 2);
            std::vector<int> data(1000, 1);
            half.allreduce(data, maximum);
            mine.stage.store(1, std::memory_order_release);
            call_until_error(mine, [&] {
                half.allreduce(data, maximum);
                pair.allreduce(data, maximum);
            });
            if (rank == 0) raise(SIGKILL);
        });
        ranks.await_stage(1);
        std::this_thread::sleep_for(20ms);
        ranks.send(1, SIGKILL);
        for (const int r : {0, 2, 3}) {
            CAPTURE(r);
            ranks.await_error(r);
            check_blames(ranks.of(r), cause::lost_peer, 1);
        }
        for (const int r : {0, 1}) CHECK(ranks.end(r) == "signal 9");
        for (const int r : {2, 3}) CHECK(ranks.end(r) == "");
    }
}

} // namespace

TEST_CASE("all survivors name rank 0, whoever leaves because of it, over tcp") { lose_rank_0(over_tcp); }

TEST_CASE("all survivors name rank 0, whoever leaves because of it, over shared memory") {
    lose_rank_0(in_shared_memory);
}

TEST_CASE("the first that was lost is named where rank 0 ends because of it, over tcp") {
    lose_rank_0_by_rank_1(over_tcp);
}
TEST_CASE("the first that was lost is named where rank 0 ends because of it, over shared memory") {
    lose_rank_0_by_rank_1(in_shared_memory);
}

TEST_CASE("while rank 0 is stopped, others name it, and say for whom they wait") {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = join(rank, size, at);
        const auto others = world.split(rank == 0);
        std::vector<int> data(1000, 1);
        others.allreduce(data, maximum);
        mine.stage.store(1, std::memory_order_release);
        if (rank == 0 || rank == victim) return std::this_thread::sleep_for(deadline + beyond);
        std::this_thread::sleep_for(50ms); // rank 0 is stopped by then
        expect(fails(mine, [&] { others.broadcast(data, others.size() - 1, algorithm::naive{}); }), "nobody sends");
    });
    ranks.await_stage(1);
    ranks.send(0, SIGSTOP);
    for (const int r : {1, 2}) {
        CAPTURE(r);
        ranks.await_error(r);
        check_blames(ranks.of(r), ranks.of(r).error[0].why, 0); // late, or lost, as a stopped rank 0 mostly is
        const std::string text = ranks.of(r).error[0].message.str();
        CHECK(text.find("this rank waits for rank 3") != std::string::npos);
        CHECK(text.find("so nobody could be asked for more") != std::string::npos);
    }
    ranks.send(0, SIGCONT);
    check_ended(ranks);
}

TEST_CASE("without rank 0 a rank that had left is named at once, not a deadline that has not passed") {
    const reserved_port at;
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = join(rank, size, at);
        const auto others = world.split(rank == 0).with_deadline(patience);
        const auto staying = world.split(rank == victim);
        std::vector<int> data(1000, 1);
        others.allreduce(data, maximum);
        if (rank == victim) return;
        const auto heard = std::chrono::steady_clock::now() + 500ms; // that the victim has left: news come in calls
        for (int more = 1; more != 0;) {
            const int mine_too = std::chrono::steady_clock::now() < heard;
            staying.allreduce(std::span(&mine_too, 1), std::span(&more, 1), maximum);
        }
        mine.stage.store(1, std::memory_order_release);
        if (rank == 0) return std::this_thread::sleep_for(patience);
        for (const auto end = std::chrono::steady_clock::now() + patience; mine.stage.load() < 2;) {
            expect(std::chrono::steady_clock::now() < end, "rank 0 is killed");
            std::this_thread::sleep_for(1ms);
        }
        expect(fails(mine, [&] { others.broadcast(data, others.size() - 1, algorithm::naive{}); }), "nobody sends");
    });
    CHECK(ranks.end(victim) == "");
    for (int r = 0; r < victim; ++r) ranks.await_stage(r, 1);
    ranks.send(0, SIGKILL);
    CHECK(ranks.end(0) == "signal 9");
    for (const int r : {1, 2}) ranks.of(r).stage.store(2);
    for (const int r : {1, 2}) {
        CAPTURE(r);
        CHECK(ranks.end(r) == "");
        check_blames(ranks.of(r), cause::lost_peer, victim);
        CHECK(ranks.of(r).error[0].message.str().find("deadline has passed") == std::string::npos);
    }
}
