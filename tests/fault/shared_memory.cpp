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

TEST_CASE("what stopped ranks go on to write to symmetric memory does not reach peers whose call has failed") {
    const reserved_port at;
    constexpr int size = 4;
    constexpr std::size_t shard = 1 << 16, count = size * shard, beside = 20'000;
    const auto stops = [](int rank) { return rank == 1 || rank == 2; };
    processes ranks(size, [&](int rank, account& mine) {
        const auto world = over_shared_memory(rank, size, at);
        const auto others = world.split(stops(rank) ? 1 : 0);
        const auto data = world.allocate<int>(count + beside);
        const std::span all(data.begin(), data.end()), of_others = all.subspan(count);
        std::fill(data.begin(), data.end(), 1);
        world.barrier();
        static std::size_t calls;
        const auto add = [&](int a, int b) {
            if (stops(rank) && ++calls == shard) ::raise(SIGSTOP); // a third of its calls
            return a + b;
        };
        const bool failed = fails(mine, [&] { world.allreduce(all.first(count), add, algorithm::direct{}); });
        expect(failed, "the call fails");
        if (stops(rank)) return;
        for (const std::size_t by : {1U, 2U}) {
            const auto of_it = all.subspan(by * shard, shard);
            const auto written = static_cast<std::size_t>(std::count(of_it.begin(), of_it.end(), size));
            expect(0 < written && written < shard, "rank " + std::to_string(by) + " was stopped while it wrote");
        }
        std::fill(data.begin(), data.end(), 7);
        mine.stage.store(1, std::memory_order_release);
        while (mine.stage.load(std::memory_order_acquire) < 2) std::this_thread::sleep_for(1ms);
        expect(std::count(data.begin(), data.end(), 7) == count + beside, "all is as this rank has left it");
        others.allreduce(of_others, sum, algorithm::direct{});
        others.allreduce(all.first(count), sum, algorithm::direct{});
        expect(std::count(data.begin(), data.end(), 14) == count + beside, "who goes on goes on with that memory");
    });
    for (const int r : {0, 3}) ranks.await_stage(r, 1);
    for (const int r : {1, 2}) {
        const moment continued = ranks.send(r, SIGCONT);
        CHECK(ranks.end(r) == "");
        CHECK(ranks.of(r).error[0].told - continued <= beyond);
    }
    for (const int r : {0, 3}) ranks.of(r).stage.store(2, std::memory_order_release);
    for (const int r : {3, 0}) CHECK(ranks.end(r) == "");
}
