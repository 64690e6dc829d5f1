// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/communicator.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <utility>
#include <vector>

using namespace tutti::test;

namespace {

/// Around the sizes at which messages travel in other ways: in a packet, behind it, announced.
constexpr std::array<std::size_t, 11> sizes{0, 1, 8, 120, 121, 4088, 4089, 5000, 64 * 1024, 64 * 1024 + 1, 300'000};

std::vector<unsigned char> content(std::size_t size, std::uint64_t number) {
    std::vector<unsigned char> data(size);
    for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<unsigned char>(number * 31 + i * 7 + (i >> 8U));
    return data;
}

/// A message of a random exchange.
struct planned {
    int from, to, tag;
    std::size_t communicator, size;
    std::uint64_t number;
};

std::vector<planned> drawn(std::uint64_t seed, int ranks, std::size_t count) {
    std::mt19937_64 dice(seed);
    const auto below = [&](auto n) { return static_cast<int>(dice() % static_cast<std::uint64_t>(n)); };
    std::vector<planned> all;
    for (std::uint64_t i = 0; i < count; ++i)
        all.push_back({below(ranks), below(ranks), below(4), dice() % 2, sizes[dice() % sizes.size()], i});
    return all;
}

/// Starts this rank's sends and receives of a plan: those of one peer, tag and communicator in the plan's order, else
/// in any. Waits for them in any order, or lets some go.
void exchange(const std::vector<planned>& plan, const std::array<communicator, 2>& on, std::uint64_t seed) {
    const int rank = on[0].rank();
    std::mt19937_64 dice(seed + static_cast<std::uint64_t>(rank));
    std::vector<std::pair<const planned*, bool>> mine; // and whether it is a send
    for (const planned& p : plan) {
        if (p.from == rank) mine.emplace_back(&p, true);
        if (p.to == rank) mine.emplace_back(&p, false);
    }
    std::shuffle(mine.begin(), mine.end(), dice);
    const auto key = [](const auto& each) {
        const auto& [p, sends] = each;
        return std::tuple(p->communicator, sends, sends ? p->to : p->from, p->tag);
    };
    for (std::size_t i = 0; i < mine.size(); ++i)
        for (std::size_t k = i + 1; k < mine.size(); ++k)
            if (key(mine[k]) == key(mine[i]) && mine[k].first->number < mine[i].first->number)
                std::swap(mine[i], mine[k]);

    std::deque<std::vector<unsigned char>> buffers;
    std::vector<request> requests;
    for (const auto& [p, sends] : mine) {
        const auto& world = on[p->communicator];
        auto& buffer =
            buffers.emplace_back(sends ? content(p->size, p->number) : std::vector<unsigned char>(p->size, 0xee));
        requests.push_back(sends ? world.async().send(buffer, p->to, p->tag)
                                 : world.async().receive(buffer, p->from, p->tag));
        if (dice() % 8 == 0) static_cast<void>(requests[dice() % requests.size()].test());
    }
    while (requests.size() > 1 && dice() % 16 != 0) {
        const std::size_t i = tutti::wait_any(requests);
        if (i == requests.size()) break;
    }
    if (dice() % 2 == 0)
        wait_all(requests);
    else
        requests.clear(); // dropping a request waits for it
    for (std::size_t i = 0; i < mine.size(); ++i)
        expect(buffers[i] == content(mine[i].first->size, mine[i].first->number), "a message is intact");
}

} // namespace

TEST_CASE("random messages of any length arrive, each at the receive of its rank, tag and turn") {
    for (const int ranks : {1, 2, 3, 5, 8})
        for (std::uint64_t seed = 1; seed <= (threads_watched ? 2 : 6); ++seed)
            run_world(ranks, [&](communicator& world) {
                const std::array<communicator, 2> both{world, world.duplicate()};
                exchange(drawn(seed * 100 + static_cast<std::uint64_t>(ranks), ranks, 150), both, seed);
                world.barrier();
            });
}

TEST_CASE("the same where a thread of the library drives") {
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
        run_new_world(
            3,
            [&](communicator& world) {
                const std::array<communicator, 2> both{world, world.duplicate()};
                exchange(drawn(seed, 3, 150), both, seed);
                world.barrier();
            },
            tutti::progress::by_waiters);
}

TEST_CASE("an element, a range, an array, and a message of unknown length") {
    run_world(2, [](communicator& world) {
        struct point {
            double x;
            int id;
        };
        if (world.rank() == 0) {
            world.send(7, 1);
            world.send(point{2.5, 9}, 1, 3);
            const std::array<float, 3> three{1, 2, 3};
            world.send(three, 1);
            for (const std::size_t n : {0U, 5U, 100'000U}) world.send(std::vector<std::int64_t>(n, 4), 1, 8);
            return;
        }
        int seven = 0;
        world.receive(seven, 0);
        point p{};
        world.receive(p, 0, 3);
        std::array<float, 3> three{};
        world.receive(three, 0);
        expect(seven == 7 && p.x == 2.5 && p.id == 9 && three[2] == 3, "values arrive");
        for (const std::size_t n : {0U, 5U, 100'000U})
            expect(world.receive<std::int64_t>(0, 8) == std::vector<std::int64_t>(n, 4), "a message of any length");
    });
}

TEST_CASE("all ranks of a ring may send and receive at once, of any length") {
    for (const int ranks : {1, 2, 3, 7})
        run_world(ranks, [](communicator& world) {
            const int size = world.size(), to = (world.rank() + 1) % size, from = (world.rank() + size - 1) % size;
            for (const std::size_t n : sizes) {
                const auto out = content(n, static_cast<std::uint64_t>(world.rank()));
                std::vector<unsigned char> in(n);
                world.sendrecv(out, to, in, from, 2);
                expect(in == content(n, static_cast<std::uint64_t>(from)), "the neighbour's data");
            }
        });
}

TEST_CASE("a group starts all before it waits, and can be used again") {
    run_world(4, [](communicator& world) {
        auto group = world.group();
        for (int turn = 0; turn < 3; ++turn) {
            std::vector<std::vector<int>> out, in;
            for (int r = 0; r < world.size(); ++r) {
                out.emplace_back(10'000, world.rank() * 10 + r + turn);
                in.emplace_back(10'000);
            }
            for (int r = 0; r < world.size(); ++r) {
                const auto i = static_cast<std::size_t>(r);
                group.send(out[i], r, turn);
                group.receive(in[i], r, turn);
            }
            group.wait();
            for (int r = 0; r < world.size(); ++r)
                expect(in[static_cast<std::size_t>(r)].back() == r * 10 + world.rank() + turn, "the pair's data");
        }
    });
}

TEST_CASE("a group that is used again sends and grants what is new, whatever the lengths before") {
    run_world(2, [](communicator& world) {
        const int peer = 1 - world.rank();
        auto group = world.group();
        std::uint64_t number = 0;
        for (const std::size_t before : sizes)
            for (const std::size_t after : sizes)
                for (const std::size_t n : {before, after}) {
                    ++number;
                    const auto there = content(n, number), back = content(n, number + 1);
                    std::vector<unsigned char> in(n);
                    if (world.rank() == 0) group.send(there, peer), group.receive(in, peer);
                    if (world.rank() == 1) group.receive(in, peer), group.send(back, peer);
                    group.wait();
                    expect(in == (world.rank() == 0 ? back : there), "the message of this turn");
                }
    });
}

TEST_CASE("messages that nobody receives yet delay no other, however many") {
    run_world(2, [](communicator& world) {
        constexpr int flood = 20'000;
        if (world.rank() == 0) {
            std::deque<std::array<int, 60>> data; // more than the receiver keeps: the later ones are announced
            std::vector<request> all;
            for (int i = 0; i < flood; ++i) {
                data.emplace_back().fill(i);
                all.push_back(world.async().send(data.back(), 1, 1));
            }
            world.send(42, 1, 2);
            wait_all(all);
            return;
        }
        int first = 0;
        world.receive(first, 0, 2);
        expect(first == 42, "the message behind the flood");
        std::array<int, 60> each{};
        for (int i = 0; i < flood; ++i) {
            world.receive(each, 0, 1);
            expect(each[0] == i && each[59] == i, "the flood in its order");
        }
    });
}

TEST_CASE("ranks that send to each other before they receive are kept apart by what the library keeps") {
    run_world(2, [](communicator& world) {
        const int peer = 1 - world.rank();
        for (int i = 0; i < 1000; ++i) world.send(i, peer);
        for (int i = 0; i < 1000; ++i) {
            int x = -1;
            world.receive(x, peer);
            expect(x == i, "in order");
        }
    });
}

TEST_CASE("messages and collectives of one communicator do not meet") {
    run_world(3, [](communicator& world) {
        const int to = (world.rank() + 1) % 3, from = (world.rank() + 2) % 3;
        std::vector<int> sum(50'000, 1), out(50'000, world.rank()), in(50'000);
        for (int i = 0; i < 20; ++i) {
            auto coming = world.async().receive(in, from, i);
            auto total = world.async().allreduce(sum, tutti::sum);
            auto going = world.async().send(out, to, i);
            if (i % 2 == 0) total.wait();
            coming.wait();
            going.wait();
            total.wait();
            expect(in[7] == from, "the message");
            std::fill(sum.begin(), sum.end(), 1);
        }
    });
}

TEST_CASE("a rank may send to itself, before or after its receive") {
    run_world(1, [](communicator& world) {
        for (const std::size_t n : sizes) {
            const auto out = content(n, 5);
            std::vector<unsigned char> in(n), late(n);
            auto first = world.async().receive(in, 0, 1);
            world.send(out, 0, 1);
            first.wait();
            auto ahead = world.async().send(out, 0, 2);
            world.receive(late, 0, 2);
            ahead.wait();
            expect(in == out && late == out, "both");
        }
    });
}

TEST_CASE("many tags: a thousand receives are met in any order") {
    run_world(2, [](communicator& world) {
        std::vector<int> tags(1000), values(1000);
        for (int i = 0; i < 1000; ++i) tags[static_cast<std::size_t>(i)] = i * 7919 % 100'003;
        std::vector<request> all;
        std::mt19937 dice(11);
        if (world.rank() == 0) std::shuffle(tags.begin(), tags.end(), dice);
        for (std::size_t i = 0; i < tags.size(); ++i) {
            if (world.rank() == 0) values[i] = tags[i];
            all.push_back(world.rank() == 0 ? world.async().send(values[i], 1, tags[i])
                                            : world.async().receive(values[i], 0, tags[i]));
        }
        wait_all(all);
        expect(values == tags, "each tag's value");
    });
}
