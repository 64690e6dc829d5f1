// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>

#include <collectives/cartesian.hpp>
#include <transport/invitation.hpp>
#include <transport/routed.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/run_ranks.hpp"
#include "support/surroundings.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tutti::test::strided_data {
namespace {

constexpr int gap = -5;

/// Strides of a random shape within memory of their own, all of whose elements are `gap` at first.
struct area {
    std::vector<int> memory;
    std::size_t first, count, stride, block;

    area(std::minstd_rand& dice, std::size_t count_of, std::size_t block_of)
        : first(dice() % 9), count(count_of), stride(block_of + dice() % 7), block(block_of) {
        memory.assign(first + count * stride + 3, gap);
    }
    [[nodiscard]] strided<int> all() { return {memory.data() + first, count, stride, block}; }
    /// The same with these elements in it.
    [[nodiscard]] std::vector<int> with(const std::vector<int>& elements) const {
        auto m = memory;
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t i = 0; i < block; ++i) m[first + k * stride + i] = elements[k * block + i];
        return m;
    }
};

std::vector<int> numbered(std::size_t count, int from) {
    std::vector<int> all(count);
    std::iota(all.begin(), all.end(), from);
    return all;
}

/// One exchange around a ring, of a random kind. All ranks draw the same kinds and counts, and shapes of their own.
template <class Communicator>
void around(const Communicator& world, std::minstd_rand& common, std::minstd_rand& own) {
    constexpr std::array<std::size_t, 6> counts{1, 7, 30, 500, 1200, 20'000};
    const std::size_t count = counts[common() % counts.size()], block = 1 + common() % 4;
    const auto kind = common() % 5;
    const int size = world.size(), next = (world.rank() + 1) % size, before = (world.rank() + size - 1) % size;
    area out(own, count, block), in(own, count, block);
    const auto mine = numbered(count * block, 100'000 * world.rank()),
               theirs = numbered(count * block, 100'000 * before);
    out.memory = out.with(mine);
    const auto wanted = in.with(theirs), kept = out.memory;
    std::vector<int> flat(count * block);
    switch (kind) {
    case 0: world.sendrecv(out.all(), next, in.all(), before); break;
    case 1: // to and from elements in a row
        world.sendrecv(mine, next, in.all(), before);
        world.sendrecv(out.all(), next, flat, before);
        expect(flat == theirs, "strides to a row");
        break;
    case 2: {
        auto sent = world.async().send(out.all(), next, 3);
        auto received = world.async().receive(in.all(), any_rank, 3);
        wait_all(sent, received);
        break;
    }
    case 3: {
        auto r = world.async().receive(in.all(), before);
        world.send(strided<const int>{out.memory.data() + out.first, count, out.stride, block}, next);
        r.wait();
        break;
    }
    default: {
        auto group = world.group();
        group.receive(in.all(), before, 1);
        group.send(out.all(), next, 1);
        group.wait();
        for (int k = 1; k < 4; ++k) {
            expect(in.memory == wanted, "of a group");
            in.memory.assign(in.memory.size(), gap);
            group.restart();
            group.wait();
        }
    }
    }
    expect(in.memory == wanted, "what came, and gaps as they were, kind " + std::to_string(kind));
    expect(out.memory == kept, "what was sent stays");
}

template <class Communicator>
void many(const Communicator& world, unsigned seed) {
    std::minstd_rand common(seed), own(seed + 77 * static_cast<unsigned>(world.rank() + 1));
    for (int k = 0; k < 40; ++k) around(world, common, own);
}

template <class Transport>
void many_over(int size, unsigned seed) {
    const std::string text = invitation::create("127.0.0.1").text();
    run_ranks(size, [&](int rank) {
        const tutti::communicator<Transport> world{Transport{invitation{text}.as(rank, size)}};
        many(world, seed);
    });
}

} // namespace

TEST_CASE("strided messages: random shapes and kinds, over every transport of processes and threads") {
    const auto seed = GENERATE(take(2, random(1U, 1U << 30U)));
    CAPTURE(seed);
    for (const int size : {1, 2, 5})
        CHECK_NOTHROW(run_world(size, [&](const communicator& world) { many(world, seed); }));
    const surroundings none(variables{{"TUTTI_INTERFACE", "lo"}});
    CHECK_NOTHROW(many_over<transport::tcp>(3, seed));
    CHECK_NOTHROW(many_over<transport::shared_memory>(3, seed));
    CHECK_NOTHROW((many_over<transport::routed<transport::shared_memory, transport::tcp>>(2, seed)));
}

TEST_CASE("strides that overlap, or lie nowhere, are refused; of none nothing travels") {
    CHECK_NOTHROW(run_new_world(1, [](const communicator& world) {
        std::vector<int> x(10, 1), y(10);
        expect_refused([&] { world.send(strided{x.data(), 3, 1, 2}, 0); }, "blocks of 2 elements lie 1 elements apart");
        expect_refused([&] { world.send(strided<int>{nullptr, 3, 2}, 0); }, "null");
        world.sendrecv(strided<int>{nullptr, 0, 2}, 0, strided{y.data(), 0, 2}, 0);
        world.sendrecv(strided{x.data(), 1, 0, 10}, 0, y, 0); // one block may have any stride
        expect(x == y, "one block");
        const fault f = fault_of([&] { world.sendrecv(strided{x.data(), 3, 2}, 0, strided{y.data(), 2, 2}, 0); });
        expect(f.why == cause::mismatch && f.detail.find("receive of 2 int32") != std::string::npos, f.detail);
    }));
}

TEST_CASE("a strided receive that is cancelled has changed nothing") {
    CHECK_NOTHROW(run_world(1, [](const communicator& world) {
        std::vector<int> x(20, gap);
        for (const int from : {0, any_rank}) {
            auto r = world.async().receive(strided{x.data(), 5, 4, 2}, from);
            expect(r.cancel(), "withdrawn");
            auto dropped = world.async().receive(strided{x.data(), 5, 4, 2}, from);
            expect(dropped.cancel(), "withdrawn");
        }
        expect(x == std::vector<int>(20, gap), "no element has changed");
        std::vector<int> probed(10, 1);
        auto sent = world.async().send(strided{probed.data(), 5, 2}, 0);
        expect(world.probe<int>(0).count == 5, "as many as are sent");
        world.receive(strided{x.data(), 5, 4}, 0);
        sent.wait();
        expect(x[0] == 1 && x[1] == gap && x[16] == 1, "received");
        expect_refused([&] { world.send(strided{x.data(), std::size_t{1} << 63, 2, 2}, 0); }, "more than memory");
        expect_refused([&] { world.send(strided{x.data(), 4, std::size_t{1} << 62, 2}, 0); }, "more than memory");
    }));
}

TEST_CASE("a group is restarted after wait() alone, and its messages hear of a failure") {
    CHECK_NOTHROW(run_new_world(2, [](const communicator& world) {
        const int other = 1 - world.rank();
        std::array<int, 2> x{world.rank(), 7}, y{};
        auto group = world.group();
        group.restart(); // of no messages
        group.wait();
        group.send(x, other);
        expect_refused([&] { group.restart(); }, "under way");
        group.receive(y, other);
        for (int k = 0; k < 100; ++k) {
            group.wait();
            expect(y[0] == other + 2 * k, "the data of this round");
            group.wait(); // of nothing
            x[0] += 2;
            group.restart();
        }
        group.wait();
        expect_refused([&] { group.send(std::span<int>(static_cast<int*>(nullptr), 1), other); }, "null");
        auto one = world.group();
        one.restart(); // of none
        std::array<int, 1> token{world.rank()};
        for (int k = 0; k < 3; ++k) {
            if (k > 0)
                one.restart();
            else if (world.rank() == 0)
                one.send(token, 1, 9);
            else
                one.receive(token, 0, 9);
            one.wait();
            expect(token[0] == 0, "a token");
            if (world.rank() == 1) token[0] = 1;
        }
        group.restart();
        group.wait();
        world.barrier();
        if (world.rank() == 0) world.abort("enough");
        const fault f = fault_of([&] {
            for (;;) {
                group.restart();
                group.wait();
            }
        });
        expect(f.why == cause::aborted, f.detail);
    }));
}

TEST_CASE("dims_create: the extents are as near to each other as their product allows") {
    CHECK(dims_create(12, 2) == std::vector{4, 3});
    CHECK(dims_create(64, 3) == std::vector{4, 4, 4});
    CHECK(dims_create(7, 3) == std::vector{7, 1, 1});
    CHECK(dims_create(1, 4) == std::vector{1, 1, 1, 1});
    CHECK(dims_create(60, 3) == std::vector{5, 4, 3});
    CHECK(dims_create(2'147'483'647, 2) == std::vector{2'147'483'647, 1});
    for (int ranks = 1; ranks <= 300; ++ranks)
        for (int d = 1; d <= 4; ++d) {
            const auto dims = dims_create(ranks, d);
            REQUIRE(dims.size() == static_cast<std::size_t>(d));
            CHECK(std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>{}) == ranks);
            CHECK(std::is_sorted(dims.rbegin(), dims.rend()));
            int least = ranks; // by trying all
            const auto all = [&](auto&& self, int left, int most, int deep) -> void {
                if (deep == d) {
                    if (left == 1) least = std::min(least, most);
                    return;
                }
                for (int f = 1; f <= left; ++f)
                    if (left % f == 0) self(self, left / f, std::max(most, f), deep + 1);
            };
            if (ranks <= 60) {
                all(all, ranks, 1, 0);
                CHECK(dims[0] == least);
            }
        }
    CHECK_THROWS_AS(dims_create(0, 2), error);
    CHECK_THROWS_AS(dims_create(2, 0), error);
}

TEST_CASE("a grid of ranks: coordinates, and who lies beside whom") {
    const cartesian grid({3, 4}, {true, false});
    CHECK(grid.size() == 12);
    for (int r = 0; r < 12; ++r) CHECK(grid.rank(grid.coordinates(r)) == r);
    CHECK(grid.coordinates(7) == std::vector{1, 3});
    CHECK(grid.shift(7, 0, 1) == 11);
    CHECK(grid.shift(11, 0, 1) == 3); // around
    CHECK(grid.shift(0, 0, -1) == 8);
    CHECK(grid.shift(0, 0, -301) == 8);
    CHECK(grid.shift(5, 0, 2'147'483'647) == 9); // 1 more than a multiple of 3
    CHECK(grid.shift(6, 1, 1) == 7);
    CHECK_FALSE(grid.shift(7, 1, 1).has_value());
    CHECK_FALSE(grid.shift(4, 1, -1).has_value());
    CHECK_FALSE(grid.shift(4, 1, -2'147'483'647).has_value());
    CHECK(cartesian({}).size() == 1);
    const cartesian ring({2'147'483'647}, {true});
    CHECK(ring.shift(2'147'483'646, 0, 2'147'483'647) == 2'147'483'646);
    CHECK(ring.shift(2'147'483'646, 0, 2) == 1);
    CHECK_THROWS_AS(cartesian({2, 0}), error);
    CHECK_THROWS_AS(cartesian({65'536, 65'536}), error);
    CHECK_THROWS_AS(cartesian({2}, {true, false}), error);
    CHECK_THROWS_AS(grid.coordinates(12), error);
    CHECK_THROWS_AS(grid.shift(0, 2, 1), error);
    CHECK_THROWS_AS(grid.rank(std::array{1}), error);
}

} // namespace tutti::test::strided_data
