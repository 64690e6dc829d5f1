// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/shared_memory.hpp>

#include "looped.hpp"
#include "victims.hpp"

#include <filesystem>
#include <set>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr auto over_shared_memory = [](int rank, int ranks, const reserved_port& at) {
    communicator world{transport::shared_memory{identity(rank, ranks, at)}};
    world.default_deadline(deadline);
    return world;
};

constexpr auto when_lending = [](int rank, int ranks, const reserved_port& at) {
    communicator world{transport::shared_memory{identity(rank, ranks, at), {.lend_bytes = 64 * 1024}}};
    world.default_deadline(deadline);
    return world;
};

std::set<std::string> left_in_shared_memory() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator{"/dev/shm"}) names.insert(entry.path());
    return names;
}

} // namespace

TEST_CASE("over shared memory too a killed rank is named in time, and nothing of it stays") {
    const auto before = left_in_shared_memory();
    const int ranks = GENERATE(2, 4);
    for (int victim = 0; victim < ranks; ++victim) {
        kill_at_random_moments(over_shared_memory, ranks, victim, 4);
        kill_at_random_moments(when_lending, ranks, victim, 2);
    }
    CHECK(left_in_shared_memory() == before);
}

TEST_CASE("over shared memory too a stopped rank is named in time, and learns when it goes on") {
    const int ranks = GENERATE(2, 4);
    for (int victim = 0; victim < ranks; ++victim) {
        CAPTURE(ranks, victim);
        stop_one(over_shared_memory, ranks, victim);
    }
}

TEST_CASE("over shared memory too ranks that wait in event loops, or on Asio, name who was killed or stopped") {
    for (int victim = 0; victim < 3; ++victim) {
        kill_at_random_moments(by_loop(over_shared_memory), 3, victim, 3);
        CAPTURE(victim);
        stop_one(by_loop(over_shared_memory), 3, victim);
    }
    kill_at_random_moments(by_asio(over_shared_memory), 3, 2, 3);
    stop_one(by_asio(over_shared_memory), 3, 0);
}

TEST_CASE("over shared memory too an abort reaches everyone, and who is outside learns at its next call") {
    abort_by_one(over_shared_memory, size);
}

TEST_CASE("what a stopped rank goes on to write to symmetric memory does not reach a peer whose call has failed") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        const auto world = over_shared_memory(rank, 2, at);
        constexpr std::size_t count = 1 << 18;
        const auto data = world.allocate<int>(count + 100);
        std::fill(data.begin(), data.end(), 1);
        world.barrier();
        static std::size_t calls;
        const auto add = [rank](int a, int b) {
            if (rank == 1 && ++calls == count / 4) ::raise(SIGSTOP);
            return a + b;
        };
        const bool failed =
            fails(mine, [&] { world.allreduce(std::span(data).first(count), add, algorithm::direct{}); });
        expect(failed, "the call fails");
        if (rank == 1) return;
        const auto in_its_half = std::count(data.begin() + count / 2, data.begin() + count, 2);
        expect(0 < in_its_half && in_its_half < count / 2, "rank 1 was stopped while it wrote");
        std::fill(data.begin(), data.end(), 7);
        mine.stage.store(1, std::memory_order_release);
        while (mine.stage.load(std::memory_order_acquire) < 2) std::this_thread::sleep_for(1ms);
        expect(std::count(data.begin(), data.end(), 7) == count + 100, "all is as this rank has left it");
    });
    ranks.await_stage(0, 1);
    check_blames_stopped(ranks.of(0), 1, ranks.of(0).error[0].told - deadline);
    const moment continued = ranks.send(1, SIGCONT);
    CHECK(ranks.end(1) == "");
    CHECK(ranks.of(1).error[0].told - continued <= beyond);
    ranks.of(0).stage.store(2, std::memory_order_release);
    CHECK(ranks.end(0) == "");
}
