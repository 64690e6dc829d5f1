// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "device_world.hpp"
#include "exchange.hpp"

#include <transport/fabrics/cuda_ipc/fabric.hpp>
#include <transport/fabrics/tcp/fabric.hpp>

#include "fault/victims.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

fake_communicator enter(int rank, int ranks, const reserved_port& at) {
    fake_communicator world{fake_ipc{identity(rank, ranks, at)}};
    world.default_deadline(deadline);
    return world;
}

/// Allreduces on device memory, one after the other, until one fails.
void work_on_device(int rank, int ranks, const reserved_port& at, account& mine, place where) {
    const auto world = enter(rank, ranks, at);
    fake_executor e(fake_cuda(-1), world);
    const auto handle = world.with_executor(e);
    const placed_elements<float> data(world, where, 1 << 20);
    mine.stage.store(1, std::memory_order_release);
    call_until_error(mine, [&] { handle.allreduce(data.seen(), sum, algorithm::ring{}); });
}

} // namespace

TEST_CASE("messages go from any place to any place, between processes") {
    const unsigned seed = GENERATE(11u, 12u, 13u, 14u);
    const int ranks = 2 + static_cast<int>(seed % 2);
    const reserved_port at;
    const auto all = any_messages(ranks, 150, seed);
    processes each(ranks, [&](int rank, account&) {
        {
            fake_ipc t{identity(rank, ranks, at)};
            exchange(t, all, seed);
        }
        expect(fake_cuda::allocations() == 0, "all device memory is given back");
    });
    check_ended(each);
}

TEST_CASE("registered memory is read where it lies by other processes, any part of it") {
    constexpr int ranks = 3;
    const reserved_port at, beside;
    processes each(ranks, [&](int rank, account&) {
        constexpr std::size_t all = 1 << 20;
        std::minstd_rand random(7); // alike on all ranks
        const placed_bytes memory({}, place::device, all * sizeof(float));
        const auto other = enter(rank, ranks, beside);
        {
            const auto world = enter(rank, ranks, at);
            fake_executor e(fake_cuda(-1), world);
            const auto handle = world.with_executor(e);
            const std::span whole(reinterpret_cast<float*>(memory.data()), all);
            const std::span there(reinterpret_cast<float*>(memory.there()), all);
            world.register_memory(whole.subspan(100, 10));
            for (int i = 0; i < 20; ++i) {
                const std::size_t first = random() % all, count = 1 + random() % (all - first);
                std::fill(there.begin(), there.end(), static_cast<float>(rank + i));
                handle.allreduce(whole.subspan(first, count), sum, algorithm::ring{});
                for (const std::size_t k : {first, first + count / 2, first + count - 1})
                    expect(there[k] == static_cast<float>(3 * i + 3), "the sum");
                if (first > 0) expect(there[first - 1] == static_cast<float>(rank + i), "nothing beside it");
            }
            const long before = fake_cuda::copies();
            handle.broadcast(whole, 0, algorithm::binomial_tree{});
            if (rank == 0) expect(fake_cuda::copies() == before, "its sender copies nothing");
            expect(fake_cuda::allocations() > 1, "the world has memory as well");
        }
        expect(fake_cuda::allocations() == 1, "the user's memory is left to the user");
        other.barrier(); // nobody has it open any more
    });
    check_ended(each);
}

TEST_CASE("a rank that is killed while its device memory is read is named by all others, in time") {
    std::mt19937 random(5);
    for (int i = 0; i < 6; ++i) {
        const int victim = i % 3;
        const place where = i % 2 == 0 ? place::slab : place::device;
        const reserved_port at;
        processes ranks(3, [&](int rank, account& mine) { work_on_device(rank, 3, at, mine, where); });
        ranks.await_stage(1);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
        const moment killed = ranks.send(victim, SIGKILL);
        CHECK(ranks.end(victim) == "signal 9");
        check_ended(ranks, victim);
        for (int r = 0; r < 3; ++r) {
            if (r == victim) continue;
            INFO("rank " << r);
            check_blames(ranks.of(r), cause::lost_peer, victim);
            CHECK(ranks.of(r).error[0].told - killed <= deadline + beyond);
        }
    }
}

TEST_CASE("a rank that is stopped while its device memory is read is named, and learns of it when it goes on") {
    const reserved_port at;
    processes ranks(3, [&](int rank, account& mine) { work_on_device(rank, 3, at, mine, place::slab); });
    ranks.await_stage(1);
    std::this_thread::sleep_for(10ms);
    const moment stopped = ranks.send(1, SIGSTOP);
    for (const int r : {0, 2}) {
        INFO("rank " << r);
        ranks.await_error(r);
        check_blames_stopped(ranks.of(r), 1, stopped);
    }
    ranks.send(1, SIGCONT);
    check_ended(ranks);
}

TEST_CASE("a rank whose device fails says so to all ranks, wherever its data are") {
    for (const place where : {place::slab, place::device}) {
        const reserved_port at;
        processes ranks(3, [&](int rank, account& mine) {
            if (rank == 1) fake_cuda::copies_until_failure() = 40;
            work_on_device(rank, 3, at, mine, where);
        });
        check_ended(ranks);
        for (int r = 0; r < 3; ++r) {
            INFO(ranks.of(r).error[0].message.str());
            CHECK(ranks.of(r).error[0].why == cause::aborted);
            CHECK(ranks.of(r).error[0].message.str().find("rank 1") != std::string::npos);
            CHECK(ranks.of(r).error[0].message.str().find("the device is lost") != std::string::npos);
        }
    }
}

TEST_CASE("a child that a rank forks and that ends its copy leaves the rank's messages alone") {
    const reserved_port at;
    processes ranks(2, [&](int rank, account& mine) {
        auto t = std::make_unique<fake_ipc>(identity(rank, 2, at));
        const auto slab = [&](std::size_t size) { return t->allocate(size); };
        const placed_bytes data(slab, place::slab, 100'000);
        std::fill_n(data.there(), data.size(), static_cast<std::byte>(7 + rank));
        courier c{*t};
        if (rank == 0) {
            c.send({1, 0}, 1, data.data(), data.size());
            expect(in_child([&] { t.reset(); }).empty(), "the child has left in good order");
        }
        mine.stage.store(1, std::memory_order_release);
        std::byte go{};
        if (rank == 1) {
            c.receive({1, 1}, 0, &go, 1); // after the child has ended
            c.finish("the rank goes on");
            c.receive({1, 0}, 0, data.data(), data.size());
        } else {
            c.send({1, 1}, 1, &go, 1);
        }
        c.finish("the message is read");
        expect(data.there()[99'999] == std::byte{7}, "and whole");
    });
    check_ended(ranks);
}
