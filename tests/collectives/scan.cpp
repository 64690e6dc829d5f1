// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <collectives/algorithm/preserves_order.hpp>
#include <collectives/collectives.hpp>

#include "support/catch.hpp"
#include "support/expect.hpp"
#include "support/world.hpp"

#include <vector>

using namespace tutti::test;
namespace algorithm = tutti::algorithm;
namespace schedule = tutti::schedule;

namespace {

/// f after g: x -> a x + b, in whole numbers. Associative, not commutative.
struct affine {
    unsigned a = 1, b = 0;
    friend bool operator==(const affine&, const affine&) = default;
};
constexpr auto after = [](affine f, affine g) noexcept { return affine{f.a * g.a, f.b * g.a + g.b}; };

std::vector<affine> data_of(int rank, std::size_t count) {
    std::vector<affine> data(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto k = static_cast<unsigned>(i) * 7 + static_cast<unsigned>(rank) * 3 + 1;
        data[i] = {2 * k + 1, k};
    }
    return data;
}
/// The reduction of ranks 0 to `last`, in rank order.
std::vector<affine> prefix(int last, std::size_t count) {
    auto sum = data_of(0, count);
    for (int r = 1; r <= last; ++r) {
        const auto next = data_of(r, count);
        for (std::size_t i = 0; i < count; ++i) sum[i] = after(sum[i], next[i]);
    }
    return sum;
}

void scan_all(const communicator& world, std::size_t count, const auto&... how) {
    const auto op = tutti::non_commutative(after);
    const auto mine = data_of(world.rank(), count), untouched = std::vector<affine>(count, {77, 77});
    auto out = untouched, in_place = mine;
    world.scan(mine, out, op, how...);
    expect(out == prefix(world.rank(), count), "scan");
    world.scan(in_place, op, how...);
    expect(in_place == out, "scan in place");
    out = untouched;
    in_place = mine;
    world.exscan(mine, out, op, how...);
    expect(out == (world.rank() == 0 ? untouched : prefix(world.rank() - 1, count)), "exscan");
    world.exscan(in_place, op, how...);
    expect(in_place == (world.rank() == 0 ? mine : out), "exscan in place");
}

} // namespace

TEST_CASE("a scan gives each rank the reduction of the lower ranks and its own, an exscan of the lower ones alone") {
    for (const int size : {1, 2, 3, 4, 5, 8})
        CHECK_NOTHROW(run_world(size, [](const communicator& world) {
            for (const std::size_t count : {0, 1, 1000}) {
                scan_all(world, count);
                for (const auto& how : algorithm::all(schedule::operation::scan)) scan_all(world, count, how);
                scan_all(world, count, algorithm::chain{});
                scan_all(world, count, algorithm::hillis_steele{});
            }
        }));
}

TEST_CASE("a chain of much data goes in segments") {
    CHECK_NOTHROW(run_world(4, [](const communicator& world) {
        std::vector<int> data(3'000'001, world.rank() + 1);
        world.scan(data, tutti::sum, algorithm::chain{});
        const int wanted = (world.rank() + 1) * (world.rank() + 2) / 2;
        expect(data.front() == wanted && data[1'234'567] == wanted && data.back() == wanted, "sums");
    }));
}

TEST_CASE("of one value the result is returned; an exscan's on rank 0 is that of no value") {
    CHECK_NOTHROW(run_world(4, [](const communicator& world) {
        const int rank = world.rank();
        expect(world.scan(rank + 1, tutti::sum) == (rank + 1) * (rank + 2) / 2, "scan");
        expect(world.exscan(rank + 1, tutti::sum) == rank * (rank + 1) / 2, "exscan: where this rank's elements begin");
    }));
}
