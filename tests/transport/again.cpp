// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Worlds of one program from the environment: one after the other, and several at once.

#include <transport/shared_memory.hpp>
#include <transport/tcp.hpp>

#include "support/effort.hpp"
#include "support/processes.hpp"
#include "support/reserved_port.hpp"
#include "support/surroundings.hpp"

#include <collectives/collectives.hpp>

#include <optional>
#include <string>
#include <thread>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int members = 3;

/// What a launcher tells a rank that has no key-value space.
variables told_by(const std::string& launcher, int rank, const reserved_port& at) {
    const auto number = std::to_string(rank), size = std::to_string(members), port = std::to_string(at.port());
    if (launcher == "torchrun")
        return {{"RANK", number},
                {"WORLD_SIZE", size},
                {"LOCAL_RANK", number},
                {"MASTER_ADDR", "127.0.0.1"},
                {"MASTER_PORT", port}};
    if (launcher == "srun")
        return {{"SLURM_PROCID", number},
                {"SLURM_STEP_NUM_TASKS", size},
                {"SLURM_STEP_ID", "0"},
                {"SLURM_STEP_NUM_NODES", "1"},
                {"SLURM_JOB_ID", port}};
    return {{"TUTTI_RANK", number},
            {"TUTTI_SIZE", size},
            {"TUTTI_ADDRESS", "127.0.0.1:" + port},
            {"TUTTI_BOOTSTRAP_TIMEOUT", "20"}};
}

template <class Transport>
communicator<Transport> made() {
    return communicator<Transport>{Transport::from_environment()};
}
template <class World>
void check_sum(const World& w) {
    expect(w.allreduce(w.rank() + 1, sum) == members * (members + 1) / 2, "a sum over all ranks");
}

} // namespace

TEST_CASE("a program makes worlds again and again, and waits for nothing between them") {
    const std::string launcher = GENERATE("tutti run", "torchrun", "srun");
    const reserved_port at;
    processes ranks(members, [&](int rank, account&) {
        const surroundings s(told_by(launcher, rank, at));
        for (int i = 0; i < effort(100); ++i) {
            const auto world = made<transport::tcp>();
            check_sum(world);
            if (world.rank() == i % 4) std::this_thread::sleep_for(1ms); // the others are in the next one before it
        }
    });
    check_ended(ranks);
}

TEST_CASE("a program holds several worlds at once, over different transports, and lets them go in any order") {
    const std::string launcher = GENERATE("tutti run", "torchrun", "srun");
    const reserved_port at;
    processes ranks(members, [&](int rank, account&) {
        const surroundings s(told_by(launcher, rank, at));
        std::optional first{made<transport::tcp>()};
        std::optional second{made<transport::shared_memory>()};
        check_sum(*first);
        check_sum(*second);
        first.reset();
        std::optional third{made<transport::tcp>()};
        second.reset();
        for (int i = 0; i < 10; ++i)
            third.emplace(made<transport::tcp>()); // the new one is there before the old one goes
        check_sum(*third);
    });
    check_ended(ranks);
}

TEST_CASE("a rank that was started again is refused soon, whichever worlds of its former self are there") {
    const reserved_port at;
    processes ranks(members, [&](int rank, account& mine) {
        const surroundings s(told_by("tutti run", rank, at));
        const auto first = made<transport::tcp>();
        { // one that shared its rendezvous, and is gone
            const auto second = made<transport::tcp>();
            check_sum(second);
        }
        mine.stage.store(1, std::memory_order_release);
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (mine.stage.load(std::memory_order_acquire) < 2 && std::chrono::steady_clock::now() < deadline)
            std::this_thread::sleep_for(1ms);
        check_sum(first);
    });
    ranks.await_stage(1);
    ranks.start([&](int, account& mine) {
        const surroundings s(told_by("tutti run", 1, at));
        const auto begun = std::chrono::steady_clock::now();
        try {
            static_cast<void>(made<transport::tcp>());
        } catch (const error& e) {
            mine.add(e, begun, std::chrono::steady_clock::now());
        }
    });
    CHECK(ranks.end(members) == "");
    for (int r = 0; r < members; ++r) ranks.of(r).stage.store(2, std::memory_order_release);
    const auto& refused = ranks.of(members).error[0];
    CHECK(refused.message.str().find("rank 1 has joined already, from ") != std::string::npos);
    CHECK(refused.told - refused.called < 5s);
    check_ended(ranks);
}

TEST_CASE("a child that becomes a rank itself is not taken for its parent") {
    const reserved_port at, of_children;
    processes ranks(members, [&](int rank, account&) {
        const surroundings s(told_by("tutti run", rank, at));
        const auto world = made<transport::tcp>();
        const auto ended = in_child([&] {
            ::setenv("TUTTI_ADDRESS", ("127.0.0.1:" + std::to_string(of_children.port())).c_str(), 1);
            check_sum(made<transport::tcp>());
        });
        expect(ended.empty(), "the children have a world of their own");
        check_sum(world);
    });
    check_ended(ranks);
}
