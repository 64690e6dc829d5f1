// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>

#include "support/catch.hpp"
#include "support/displaced.hpp"
#include "support/expect.hpp"
#include "support/threaded_executor.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace tutti::test::displaced_parts {
namespace {

using schedule::operation;

void all_gather(const communicator& world, const numbers& counts, unsigned seed, const auto&... how) {
    // Every rank has its own displacements.
    scattered out(counts, seed + 17 * static_cast<unsigned>(world.rank())), wanted = out, in_place = out;
    wanted.fill([](int r, std::size_t n) { return data(r, 0, n); });
    const auto mine = data(world.rank(), 0, counts[index(world.rank())]);
    world.allgatherv(mine, out.memory, out.parts(), how...);
    expect(out.memory == wanted.memory, "allgatherv");
    const auto here = in_place.part(index(world.rank()));
    std::copy(mine.begin(), mine.end(), here.begin());
    world.allgatherv(here, in_place.memory, in_place.parts(), how...);
    expect(in_place.memory == wanted.memory, "allgatherv in place");
    if (world.rank() % 2 == 0) { // some ranks have no gaps
        out.memory.assign(out.memory.size(), canary);
        world.allgatherv(mine, out.memory, out.parts(), how...);
        expect(out.memory == wanted.memory, "allgatherv, others without gaps");
    } else {
        std::vector<int> flat(std::accumulate(counts.begin(), counts.end(), std::size_t{0})), all;
        world.allgatherv(mine, flat, counts, how...);
        for (int r = 0; r < world.size(); ++r)
            for (const int x : data(r, 0, counts[index(r)])) all.push_back(x);
        expect(flat == all, "allgatherv without gaps");
    }
}

void there_and_back(const communicator& world, int root, const numbers& counts, unsigned seed, const auto&... how) {
    const bool is_root = world.rank() == root;
    scattered whole(is_root ? counts : numbers{}, seed), back = whole;
    if (is_root) whole.fill([](int r, std::size_t n) { return data(r, 1, n); });
    const auto wanted = data(world.rank(), 1, counts[index(world.rank())]);
    std::vector<int> part(wanted.size(), canary);
    const auto before = whole.memory;
    world.scatterv(std::as_const(whole.memory), whole.parts(), part, root, how...);
    expect(part == wanted && whole.memory == before, "scatterv");
    world.gatherv(part, back.memory, back.parts(), root, how...);
    expect(back.memory == whole.memory, "gatherv");
    const auto here = is_root ? whole.part(index(root)) : std::span(part);
    world.scatterv(whole.memory, whole.parts(), here, root, how...);
    expect(std::equal(here.begin(), here.end(), wanted.begin(), wanted.end()), "scatterv in place");
    world.gatherv(here, whole.memory, whole.parts(), root, how...);
    expect(whole.memory == before, "gatherv in place");
}

void exchange(const communicator& world, unsigned seed, const auto&... how) {
    auto [in, out, wanted] = blocks_of(world.rank(), world.size(), seed);
    world.alltoallv(std::as_const(in.memory), in.parts(), out.memory, out.parts(), how...);
    expect(out.memory == wanted.memory, "alltoallv");
    std::vector<int> flat; // the same input without gaps
    for (std::size_t r = 0; r < in.counts.size(); ++r) flat.insert(flat.end(), in.part(r).begin(), in.part(r).end());
    out.memory.assign(out.memory.size(), canary);
    world.alltoallv(flat, in.counts, out.memory, out.parts(), how...);
    expect(out.memory == wanted.memory, "alltoallv, gaps in the output");
}

/// Ranks have displacements of their own, and those of odd numbers none, or the result in place.
void reduce_parts(const communicator& world, const numbers& counts, unsigned seed, const auto&... how) {
    scattered in(counts, seed + 19 * static_cast<unsigned>(world.rank()));
    in.fill([&](int r, std::size_t n) { return data(world.rank(), r, n); });
    const auto own = index(world.rank());
    std::vector<int> wanted(counts[own], 0), part(counts[own], canary);
    for (int r = 0; r < world.size(); ++r)
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += element(r, world.rank(), i);
    const auto before = in.memory;
    world.reduce_scatterv(std::as_const(in.memory), part, in.parts(), sum, how...);
    expect(part == wanted && in.memory == before, "reduce_scatterv");
    world.reduce_scatterv(in.memory, part, in.parts(), premultiplied_sum(3), how...);
    for (std::size_t i = 0; i < part.size(); ++i) expect(part[i] == 3 * wanted[i], "multiplied first");
    auto again = in;
    world.reduce_scatterv(again.memory, again.part(own), again.parts(), premultiplied_sum(3), how...);
    for (std::size_t i = 0; i < part.size(); ++i) expect(again.part(own)[i] == 3 * wanted[i], "multiplied, in place");
    std::vector<float> floats(in.memory.begin(), in.memory.end()), mean(part.size());
    world.reduce_scatterv(floats, mean, in.parts(), average, how...);
    for (std::size_t i = 0; i < mean.size(); ++i)
        expect(std::abs(mean[i] * static_cast<float>(world.size()) / static_cast<float>(wanted[i]) - 1) < 1e-4F ||
                   wanted[i] == 0,
               "an average");
    if (world.rank() % 2 == 0) {
        world.reduce_scatterv(in.memory, in.part(own), in.parts(), sum, how...);
        const auto here = in.part(own);
        expect(std::equal(here.begin(), here.end(), wanted.begin(), wanted.end()), "reduce_scatterv in place");
        std::vector<int> flat = before;
        for (std::size_t i = 0; i < wanted.size(); ++i) flat[in.displacements[own] + i] = wanted[i];
        expect(in.memory == flat, "reduce_scatterv in place, what others are for");
    } else {
        std::vector<int> flat;
        for (std::size_t r = 0; r < counts.size(); ++r) flat.insert(flat.end(), in.part(r).begin(), in.part(r).end());
        part.assign(part.size(), canary);
        world.reduce_scatterv(flat, part, counts, sum, how...);
        expect(part == wanted, "reduce_scatterv without gaps");
    }
}

void all_of(const communicator& world, unsigned seed) {
    const numbers counts = drawn_counts(world.size(), 100 * seed);
    reduce_parts(world, counts, seed);
    for (const auto& how : algorithm::all(operation::reduce_scatter, 3)) reduce_parts(world, counts, seed, how);
    all_gather(world, counts, seed);
    for (const auto& how : algorithm::all(operation::allgather, 3)) all_gather(world, counts, seed, how);
    exchange(world, 100 * seed);
    exchange(world, 100 * seed + 50, algorithm::direct{});
    for (int root = 0; root < world.size(); ++root) {
        there_and_back(world, root, counts, seed);
        there_and_back(world, root, counts, seed, algorithm::naive{});
    }
}

} // namespace

TEST_CASE("every operation with displaced parts, by every algorithm, for random lengths, orders and gaps") {
    for (int size = 1; size <= 9; ++size)
        CHECK_NOTHROW(run_world(size, [](const communicator& world) {
            for (unsigned seed = 1; seed <= 3; ++seed) all_of(world, seed);
        }));
}

TEST_CASE("the same where an executor does the local work of some ranks") {
    for (const int size : {2, 5})
        CHECK_NOTHROW(run_world(size, [](const communicator& world) {
            threaded_executor e(static_cast<unsigned>(world.rank()));
            all_of(world.rank() % 2 == 0 ? world.with_executor(e) : world, 4);
        }));
}

TEST_CASE("calls with displaced parts are started and prepared, and keep their displacements") {
    CHECK_NOTHROW(run_world(3, [](const communicator& world) {
        std::vector<int> out(9), mine = data(world.rank(), 0, static_cast<std::size_t>(world.rank()) + 1);
        const std::vector<int> wanted{-1, 20000000, 20000001, 20000002, 0, -1, 10000000, 10000001, -1};
        auto plan = world.prepare().allgatherv(mine, out, displaced{std::array{1, 2, 3}, std::vector<long>{4, 6, 1}});
        for (int k = 0; k < 3; ++k) {
            out.assign(9, -1);
            plan.run();
            expect(out == wanted, "prepared");
        }
        out.assign(9, -1);
        auto request = world.async().gatherv(mine, out, displaced{std::array{1, 2, 3}, std::array{4, 6, 1}}, 1);
        request.wait();
        expect(out == (world.rank() == 1 ? wanted : std::vector<int>(9, -1)), "started");
    }));
}

TEST_CASE("displacements that do not fit are told before anything is sent") {
    CHECK_NOTHROW(run_world(3, [](const communicator& world) {
        if (world.rank() != 0) return;
        std::vector<int> two(2), ten(10);
        const auto whole = std::span(ten);
        const auto refused = [&](auto&& call, const std::string& why) {
            const fault f = fault_of(call);
            expect(f.why == cause::invalid_argument && f.detail.find(why) != std::string::npos, why + ": " + f.detail);
        };
        const auto gathers = [&](std::vector<long> counts, std::vector<long> at, const std::string& why) {
            refused([&] { world.allgatherv(two, ten, displaced{counts, at}); }, why);
            refused([&] { world.gatherv(two, ten, displaced{counts, at}, 0); }, why);
        };
        gathers({2, 3, 1}, {0, 4}, "2 displacements are given, for 3 ranks");
        gathers({2, 3}, {0, 4, 8}, "2 counts are given, for 3 ranks");
        gathers({2, 3, 1}, {0, -1, 8}, "a displacement is negative");
        gathers({2, -3, 1}, {0, 4, 8}, "a count is negative");
        gathers({2, 3, 1}, {0, 8, 4}, "rank 1 has 3 elements from element 8 on, where the output has 10");
        gathers({2, 3, 1}, {0, 2, 11}, "rank 2 has 1 elements from element 11 on");
        gathers({2, 3, 1}, {0, 2, std::numeric_limits<long>::max()}, "rank 2 has 1 elements from");
        gathers({2, 3, 1}, {4, 2, 8}, "the parts of ranks 0 and 1 overlap in the output");
        gathers({2, 5, 1}, {8, 1, 3}, "the parts of ranks 1 and 2 overlap in the output");
        gathers({3, 3, 1}, {0, 4, 8}, "this rank's part has 3 elements where the input has 2");
        const std::array counts{2, 3, 1}, at{0, 4, 8};
        refused([&] { world.allgatherv(whole.subspan(5, 2), ten, displaced{counts, at}); }, "input and output overlap");
        refused([&] { world.scatterv(ten, displaced{counts, std::array{0, 4, 10}}, two, 0); }, "where the input has");
        refused(
            [&] {
                world.reduce_scatterv(ten, whole.first(2), displaced{counts, std::array{0, 1, 8}}, sum);
            },
            "input and output overlap");
        refused(
            [&] {
                world.scatterv(ten, displaced{counts, at}, whole.subspan(1, 2), 0);
            },
            "input and output overlap");
        const displaced sent{counts, std::array{0, 2, 5}};
        refused([&] { world.alltoallv(two, sent, ten, displaced{counts, at}); }, "where the input has 2");
        refused([&] { world.alltoallv(ten, sent, ten, displaced{counts, at}); }, "input and output overlap");
        std::vector<int> other(10);
        refused(
            [&] {
                world.alltoallv(ten, sent, other, displaced{counts, std::array{0, 1, 8}});
            },
            "ranks 0 and 1 overlap in the output");
        refused([&] { world.alltoallv(ten, sent, other, displaced{std::array{3, 0, 0}, at}); }, "sends itself 2");
    }));
}

TEST_CASE("the parts of an input may overlap, and gaps of one buffer may hold parts of the other") {
    CHECK_NOTHROW(run_world(2, [](const communicator& world) {
        std::vector<int> in{1, 2, 3}, part(2);
        const std::array counts{2, 2};
        world.scatterv(in, displaced{counts, std::array{0, 1}}, part, 0);
        expect(part == (world.rank() == 0 ? std::vector{1, 2} : std::vector{2, 3}), "scattered");
        std::vector<int> out(4);
        world.alltoallv(in, displaced{counts, std::array{1, 1}}, out, counts);
        expect(out == std::vector{2, 3, 2, 3}, "exchanged");
        std::vector<int> arena(8, world.rank() + 1); // blocks to send in the gaps between those received
        const std::array to{0, 4}, from{2, 6};
        world.alltoallv(arena, displaced{counts, to}, arena, displaced{counts, from});
        const int r = world.rank() + 1;
        expect(arena == std::vector{r, r, 1, 1, r, r, 2, 2}, "within one buffer");
        std::vector<int> gathered(6, 9);
        gathered[2] = world.rank();
        const auto own = std::span(gathered).subspan(2, 1);
        world.allgatherv(own, gathered, displaced{std::array{1, 1}, std::array{5, 0}});
        expect(gathered == std::vector{1, 9, world.rank(), 9, 9, 0}, "from a gap");
    }));
}

} // namespace tutti::test::displaced_parts
