// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "worlds.hpp"

#include "fault/victims.hpp"
#include "transport/cuda_ipc/device_world.hpp"
#include "transport/cuda_ipc/exchange.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

/// Allreduces on device memory, one after the other, until one fails.
template <class World>
void work_on_devices(int rank, int ranks, const reserved_port& at, account& mine) {
    tutti::communicator world{on_two_hosts<World>(rank, ranks, at)};
    world.default_deadline(deadline);
    fake_executor e(fake_cuda(-1), world);
    const auto handle = world.with_executor(e);
    const placed_elements<float> data(world, place::device, 1 << 20);
    mine.stage.store(1, std::memory_order_release);
    call_until_error(mine, [&] { handle.allreduce(data.seen(), sum, algorithm::ring{}); });
}

template <class World>
void kill_in_turn(int times) {
    std::mt19937 random(7);
    for (int i = 0; i < times; ++i) {
        const int victim = i % 4;
        const reserved_port at;
        processes ranks(4, [&](int rank, account& mine) { work_on_devices<World>(rank, 4, at, mine); });
        ranks.await_stage(1);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
        const moment killed = ranks.send(victim, SIGKILL);
        CHECK(ranks.end(victim) == "signal 9");
        check_ended(ranks, victim);
        for (int r = 0; r < 4; ++r) {
            if (r == victim) continue;
            INFO("rank " << r);
            check_blames(ranks.of(r), cause::lost_peer, victim);
            CHECK(ranks.of(r).error[0].told - killed <= deadline + beyond);
        }
    }
}

template <class World>
void exchange_between_processes(unsigned seed) {
    const reserved_port at;
    const auto all = any_messages(4, 150, seed);
    processes each(4, [&](int rank, account&) {
        {
            auto t = on_two_hosts<World>(rank, 4, at);
            exchange(t, all, seed);
        }
        expect(fake_cuda::allocations() == 0, "all memory of the device is given back, and all that is pinned");
    });
    check_ended(each);
}

} // namespace

TEST_CASE("over staged TCP, messages go from any place to any place, between processes") {
    exchange_between_processes<fake_staged>(21);
}
TEST_CASE("over CUDA IPC and staged TCP, messages go from any place to any place, between processes") {
    exchange_between_processes<fake_routed>(22);
}

TEST_CASE("a rank that is killed while its device memory is staged is named by all others, in time") {
    kill_in_turn<fake_staged>(4);
    kill_in_turn<fake_routed>(4);
}

TEST_CASE("over staged TCP, a rank whose device fails says so to all ranks") {
    const reserved_port at;
    processes ranks(4, [&](int rank, account& mine) {
        if (rank == 1) fake_cuda::copies_until_failure() = 40;
        work_on_devices<fake_routed>(rank, 4, at, mine);
    });
    check_ended(ranks);
    for (int r = 0; r < 4; ++r) {
        INFO(ranks.of(r).error[0].message.str());
        CHECK(ranks.of(r).error[0].why == cause::aborted);
        CHECK(ranks.of(r).error[0].message.str().find("rank 1") != std::string::npos);
        CHECK(ranks.of(r).error[0].message.str().find("the device is lost") != std::string::npos);
    }
}

TEST_CASE("over staged TCP, a forked child that ends its copy leaves the rank's messages alone") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account&) {
        auto t = std::make_unique<fake_staged>(identity(rank, 2, at));
        const auto slab = [&](std::size_t size) { return t->allocate(size); };
        const placed_bytes data(slab, place::slab, 3'000'000);
        std::fill_n(data.there(), data.size(), static_cast<std::byte>(7 + rank));
        courier c{*t};
        if (rank == 0) {
            c.send({1, 0}, 1, data.data(), data.size());
            c.linger(1ms);
            expect(in_child([&] { t.reset(); }).empty(), "the child has left in good order");
        } else {
            c.receive({1, 0}, 0, data.data(), data.size());
        }
        c.finish("the message goes on");
        expect(data.there()[2'999'999] == std::byte{7}, "and is whole");
    });
    check_ended(ranks);
}
