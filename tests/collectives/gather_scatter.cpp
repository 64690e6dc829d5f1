// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <collectives/collectives.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/world.hpp"

#include <numeric>
#include <span>
#include <string>
#include <vector>

using namespace tutti::test;
namespace algorithm = tutti::algorithm;
namespace schedule = tutti::schedule;

namespace {

constexpr std::size_t part = 37;

/// What rank `rank` contributes.
std::vector<int> data_of(int rank) {
    std::vector<int> data(part);
    std::iota(data.begin(), data.end(), 1000 * rank);
    return data;
}
std::vector<int> data_of_all(int ranks) {
    std::vector<int> all;
    for (int r = 0; r < ranks; ++r)
        for (const int x : data_of(r)) all.push_back(x);
    return all;
}

void gather_from_all(const communicator& world, int root, const auto&... how) {
    const auto all = data_of_all(world.size());
    const auto mine = data_of(world.rank());
    std::vector<int> whole(world.rank() == root ? all.size() : 0);
    world.gather(mine, whole, root, how...);
    expect(world.rank() != root || whole == all, "gathered in rank order");
    if (world.rank() != root) return world.gather(mine, whole, root, how...);
    std::vector<int> in_place(all.size());
    const auto own = std::span(in_place).subspan(part * static_cast<std::size_t>(root), part);
    std::copy(mine.begin(), mine.end(), own.begin());
    world.gather(own, in_place, root, how...);
    expect(in_place == all, "gathered in place");
}

void scatter_to_all(const communicator& world, int root, const auto&... how) {
    auto all = world.rank() == root ? data_of_all(world.size()) : std::vector<int>{};
    const auto wanted = data_of(world.rank());
    std::vector<int> mine(part);
    world.scatter(all, mine, root, how...);
    expect(mine == wanted, "this rank's part");
    expect(world.rank() != root || all == data_of_all(world.size()), "the root's data are as they were");
    if (world.rank() != root) return world.scatter(all, mine, root, how...);
    world.scatter(all, std::span(all).subspan(part * static_cast<std::size_t>(root), part), root, how...);
    expect(all == data_of_all(world.size()), "in place the root's part is where it was");
}

} // namespace

TEST_CASE("a gather and a scatter move each rank's part, from and to any root, in place there or not") {
    for (const int size : {1, 2, 3, 4, 7})
        CHECK_NOTHROW(run_world(size, [](const communicator& world) {
            for (int root = 0; root < world.size(); ++root) {
                gather_from_all(world, root);
                scatter_to_all(world, root);
                for (const auto& how : algorithm::all(schedule::operation::gather)) gather_from_all(world, root, how);
                for (const auto& how : algorithm::all(schedule::operation::scatter)) scatter_to_all(world, root, how);
            }
        }));
}

TEST_CASE("what a scatter has handed out a gather brings back, started and prepared") {
    CHECK_NOTHROW(run_world(5, [](const communicator& world) {
        const int root = 3;
        const auto before = data_of_all(world.rank() == root ? world.size() : 0);
        std::vector<int> mine(part), after(before.size());
        auto hand_out = world.prepare().scatter(before, mine, root);
        for (int k = 0; k < 3; ++k) {
            hand_out.run();
            auto request = world.async().gather(mine, after, root);
            request.wait();
            expect(after == before, "as before");
        }
    }));
}

TEST_CASE("sizes that do not fit are told, at the root and in its own numbers") {
    CHECK_NOTHROW(run_world(2, [](const communicator& world) {
        std::vector<int> three(3), seven(7);
        if (world.rank() != 0) return;
        const auto f = fault_of([&] { world.gather(three, seven, 0); });
        expect(f.why == tutti::cause::invalid_argument &&
                   f.detail.find("3 elements and the output 7") != std::string::npos,
               f.detail);
        expect(fault_of([&] { world.scatter(three, seven, 0); }).why == tutti::cause::invalid_argument, "scatter");
        expect(fault_of([&] { world.gather(three, seven, 2); }).why == tutti::cause::invalid_argument, "no such root");
    }));
}

TEST_CASE("other roots and other counts are a mismatch") {
    CHECK_NOTHROW(run_new_world(3, [](const communicator& world) {
        std::vector<int> mine(part + (world.rank() == 2 ? 1 : 0)), whole(3 * part);
        const auto f = fault_of([&] {
            world.gather(mine, whole, 0);
            world.barrier();
        });
        expect(f.why == tutti::cause::mismatch, f.detail);
    }));
}
