// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/send_receive.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <map>
#include <random>
#include <span>

using namespace tutti::test;
using tutti::any_rank;

namespace {

/// Around the sizes at which messages travel in other ways.
std::size_t drawn_count(std::minstd_rand& random) {
    constexpr std::size_t around[] = {1, 20, 1'000, 1'030, 16'000, 17'000, 60'000};
    return around[random() % std::size(around)];
}

} // namespace

TEST_CASE("messages of random lengths and tags from all ranks come in each sender's order, in every way to receive") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    for (const int size : {1, 2, 5})
        run_world(size, [=](communicator& world) {
            constexpr int each = 40;
            std::minstd_rand random(seed + static_cast<unsigned>(world.rank()));
            std::deque<std::vector<int>> sent;
            std::vector<request> sends;
            std::map<int, int> turn; // of a tag
            for (int k = 0; k < each; ++k) {
                const int tag = static_cast<int>(random() % 3);
                sent.emplace_back(drawn_count(random), turn[tag]++);
                sends.push_back(world.async().send(sent.back(), 0, tag));
            }
            if (world.rank() == 0) {
                std::map<std::pair<int, int>, int> next; // by sender and tag
                std::vector<int> left(3), told(3);
                for (int r = 0; r < size; ++r) { // how many of each tag there are
                    std::minstd_rand other(seed + static_cast<unsigned>(r));
                    for (int k = 0; k < each; ++k) {
                        ++left[other() % 3];
                        drawn_count(other);
                    }
                }
                for (int k = 0; k < size * each; ++k) {
                    int tag = static_cast<int>(random() % 3), source = -1;
                    while (left[static_cast<std::size_t>(tag)] == 0) tag = (tag + 1) % 3;
                    --left[static_cast<std::size_t>(tag)];
                    std::vector<int> got;
                    if (random() % 2) {
                        got = world.receive<int>(any_rank, tag, &source);
                    } else {
                        const auto facts = world.probe<int>(any_rank, tag);
                        got.resize(facts.count);
                        const auto again = world.probe<int>(facts.source, tag);
                        expect(again.count == facts.count, "a probe takes nothing");
                        source = facts.source;
                        if (random() % 2) {
                            expect(world.receive(std::span(got), source, tag) == source, "its sender");
                        } else {
                            auto group = world.group();
                            group.receive(got, source, tag);
                            group.wait();
                            expect(group.source(0) == source, "its sender in a group");
                        }
                    }
                    expect(source >= 0 && source < size, "a rank");
                    const int wanted = next[{source, tag}]++;
                    expect(got.front() == wanted && got.back() == wanted, "the sender's next message of that tag");
                }
            }
            wait_all(sends);
            world.barrier();
        });
}

TEST_CASE("of receives that a message suits the first to start takes it, whether from any rank or from one") {
    run_world(3, [](communicator& world) {
        if (world.rank() == 0) {
            int a = 0, b = 0, c = 0, d = 0;
            auto first = world.async().receive(a, any_rank), second = world.async().receive(b, 1);
            auto third = world.async().receive(c, any_rank), fourth = world.async().receive(d, 2);
            world.barrier();
            wait_all(first, second, third);
            world.send(0, 2);
            fourth.wait();
            expect(a == 1 && b == 2 && first.source() == 1 && second.source() == 1, "of rank 1 in turn");
            expect(c == 3 && third.source() == 1 && d == 7, "and the rest");
            return;
        }
        world.barrier();
        if (world.rank() == 1)
            for (const int x : {1, 2, 3}) world.send(x, 0);
        if (world.rank() == 2) {
            int go = 0;
            world.receive(go, 0);
            world.send(7, 0);
        }
    });
}

TEST_CASE("no sender starves while another one floods") {
    run_world(3, [](communicator& world) {
        if (world.rank() > 0) {
            std::vector<request> sends;
            const std::vector<int> data(10, world.rank());
            for (int k = 0; k < (world.rank() == 1 ? 300 : 3); ++k) sends.push_back(world.async().send(data, 0));
            world.barrier();
            wait_all(sends);
            return;
        }
        world.barrier();
        std::vector<int> data(10);
        int of_two = 0;
        for (int k = 0; k < 303; ++k) {
            if (world.receive(std::span(data), any_rank) == 2) ++of_two;
            expect(k < 12 || of_two == 3, "each rank has its turn");
        }
    });
}

TEST_CASE("a receive from any rank is withdrawn, takes what this rank sends itself, and is told by name") {
    run_world(2, [](communicator& world) {
        int given_up = -1, data = 0;
        auto r = world.async().receive(given_up, any_rank, 3);
        expect(r.cancel(), "it is withdrawn");
        auto own = world.async().receive(data, any_rank, 3);
        world.send(5, world.rank(), 3);
        own.wait();
        expect(data == 5 && given_up == -1 && own.source() == world.rank(), "its own message");
        const auto to_any = fault_of([&] { world.send(1, any_rank); });
        expect(to_any.why == tutti::cause::invalid_argument, to_any.detail);
        world.barrier();
        const auto group = world.duplicate();
        if (world.rank() == 0) {
            const auto f =
                fault_of([&] { group.with_deadline(std::chrono::milliseconds(100)).receive(data, any_rank, 4); });
            expect(f.why == tutti::cause::timeout && f.operation.find("from any rank, tag 4") != std::string::npos,
                   f.operation + ": " + f.detail);
        }
        world.barrier();
    });
}

TEST_CASE("a receive from any rank that is late names who does nothing, not who has left") {
    const auto fabric = tutti::transport::memory_world::create(3);
    CHECK_NOTHROW(run_ranks(3, [&](int rank) {
        const communicator world(tutti::transport::memory(fabric, rank));
        world.barrier();
        if (rank == 1) return;
        if (rank == 2) return std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        int data = 0;
        const auto f = fault_of([&] { world.with_deadline(std::chrono::milliseconds(400)).receive(data, any_rank); });
        expect(f.peer == 2 && f.why == tutti::cause::timeout, f.detail);
    }));
}

TEST_CASE("a receive from any rank fails with its communicator") {
    run_world(3, [](communicator& world) {
        const auto group = world.duplicate();
        int data = 0;
        if (world.rank() == 0) {
            auto r = group.async().receive(data, any_rank);
            world.barrier();
            const auto f = fault_of([&] { r.wait(); });
            expect(f.why == tutti::cause::aborted && f.detail.find("enough") != std::string::npos, f.detail);
            return;
        }
        world.barrier();
        if (world.rank() == 1) group.abort("enough");
    });
}

TEST_CASE("a receive from any rank fails when all others have left, and not before") {
    const auto fabric = tutti::transport::memory_world::create(3);
    CHECK_NOTHROW(run_ranks(3, [&](int rank) {
        const communicator world(tutti::transport::memory(fabric, rank));
        world.barrier();
        if (rank == 1) return;
        int data = 0;
        if (rank == 2) {
            std::this_thread::sleep_for(std::chrono::milliseconds(600)); // rank 1 has left long ago
            return world.send(9, 0);
        }
        expect(world.receive(data, any_rank) == 2 && data == 9, "one was still there");
        const auto begin = std::chrono::steady_clock::now();
        const auto f = fault_of([&] { world.receive(data, any_rank); });
        expect(std::chrono::steady_clock::now() - begin < patience / 2, "it does not wait for its deadline");
        expect(f.why == tutti::cause::lost_peer && f.detail.find("has left") != std::string::npos, f.detail);
    }));
}
