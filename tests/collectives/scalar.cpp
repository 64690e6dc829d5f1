// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/allgather.hpp>
#include <collectives/allreduce.hpp>
#include <collectives/broadcast.hpp>
#include <collectives/exscan.hpp>
#include <collectives/gather.hpp>
#include <collectives/reduce.hpp>
#include <collectives/scatter.hpp>
#include <collectives/send_receive.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <array>
#include <span>
#include <type_traits>
#include <vector>

using namespace tutti::test;

namespace {

/// Where the largest value was found: trivially copyable, hence an element.
struct place_of_largest {
    double value;
    int rank;
};

/// Elements that cannot be made without a value, or not be assigned.
struct numbered {
    explicit numbered(int n) : number(n) {}
    int number;
};
struct fixed {
    const int number;
};

template <class T>
void pass_around(communicator& world) {
    const int self = world.rank(), last = world.size() - 1;
    const T mine{self + 1};
    const auto sum = [](const T& a, const T& b) { return T{a.number + b.number}; };
    const std::vector<T> all = world.allgather(mine), at_root = world.gather(mine, last);
    expect(all.size() == 3 && all[1].number == 2 && all[2].number == 3, "of all ranks");
    expect(self == last ? at_root.size() == 3 && at_root[0].number == 1 : at_root.empty(), "of all, at the root");
    expect(world.exscan(mine, sum).number == (self + 1) * self / 2, "of those before");
    expect(world.allreduce(mine, sum).number == 6, "of all, reduced");
    if (self == 0) world.send(std::span(all).first(2), 1);
    if (self == 1) {
        const std::vector<T> came = world.template receive<T>(0);
        expect(came.size() == 2 && came[1].number == 2, "of any length");
    }
}

} // namespace

TEST_CASE("elements without a default constructor, or with const members, are passed around") {
    run_world(3, pass_around<numbered>);
    run_world(3, pass_around<fixed>);
}

TEST_CASE("the allreduce of one value returns the result, on every rank") {
    run_world(5, [](communicator& world) {
        const double mine = world.rank() + 0.5;
        const double sum = world.allreduce(mine, tutti::sum);
        expect(sum == 12.5, "the sum");
        expect(world.allreduce(world.rank(), tutti::maximum) == 4, "of a temporary");
        expect(world.allreduce(mine, tutti::average) == 2.5, "the average");
        expect(world.allreduce(world.rank() != 3, std::logical_and<>{}) == false, "of a truth value");
        static_assert(std::is_same_v<decltype(world.allreduce(1.0f, tutti::sum)), float>);
        expect(mine == world.rank() + 0.5, "the argument is as it was");
    });
}

TEST_CASE("the allreduce of one value takes records, functors and an algorithm's name") {
    run_world(3, [](communicator& world) {
        const auto larger = [](const place_of_largest& a, const place_of_largest& b) {
            return a.value < b.value || (a.value == b.value && b.rank < a.rank) ? b : a;
        };
        const std::array<double, 3> values{1, 7, 7};
        const place_of_largest mine{values[static_cast<std::size_t>(world.rank())], world.rank()};
        const auto found = world.allreduce(mine, larger, tutti::algorithm::ring{});
        expect(found.value == 7 && found.rank == 1, "the first of the largest");
        const int base =
            world.allreduce(world.rank() + 1, tutti::non_commutative([](int a, int b) { return 10 * a + b; }));
        expect(base == 123, "in rank order");
    });
}

TEST_CASE("a rank that passes one value goes with one that passes a range of one") {
    run_world(2, [](communicator& world) {
        std::array<int, 1> data{3};
        if (world.rank() == 0)
            expect(world.allreduce(4, tutti::sum) == 7, "the sum");
        else
            world.allreduce(data, tutti::sum);
        expect(world.rank() == 0 || data[0] == 7, "the sum");
    });
}

TEST_CASE("an array is a range, not one value") {
    run_world(2, [](communicator& world) {
        std::array<int, 2> data{1, 2};
        static_assert(std::is_void_v<decltype(world.allreduce(data, tutti::sum))>);
        world.allreduce(data, tutti::sum);
        expect(data[1] == 4, "in place");
    });
}

TEST_CASE("the broadcast of one value returns the root's, on every rank") {
    run_world(3, [](communicator& world) {
        const int mine = 10 + world.rank();
        expect(world.broadcast(mine, 1) == 11, "rank 1's");
        expect(mine == 10 + world.rank(), "the argument is as it was");
        const auto record = world.broadcast(place_of_largest{0.5 * world.rank(), world.rank()}, 2);
        expect(record.value == 1 && record.rank == 2, "a record");
        std::array<int, 1> data{world.rank()};
        static_assert(std::is_void_v<decltype(world.broadcast(data, 0))>);
        if (world.rank() == 0)
            expect(world.broadcast(7, 0) == 7, "the root's own");
        else
            world.broadcast(data, 0);
        expect(world.rank() == 0 || data[0] == 7, "beside a range of one");
    });
}

TEST_CASE("one value of each rank is gathered, reduced and scattered") {
    run_world(4, [](communicator& world) {
        const int mine = 10 * world.rank() + 1;
        const std::vector<int> all{1, 11, 21, 31}, none;
        expect(world.allgather(mine) == all, "all of them, on every rank");
        expect(world.allgather(mine, tutti::algorithm::ring{}) == all, "by an algorithm's name");
        expect(world.gather(mine, 2) == (world.rank() == 2 ? all : none), "all of them, at the root");
        expect(world.reduce(mine, 1, tutti::sum) == (world.rank() == 1 ? 64 : mine), "the sum, at the root");
        expect(world.scatter(world.rank() == 3 ? all : none, 3) == mine, "each rank's own");
        const auto found = world.allgather(place_of_largest{mine + 0.5, world.rank()});
        expect(found[3].value == 31.5 && found[3].rank == 3, "of records");
    });
}
