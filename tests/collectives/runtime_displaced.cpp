// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>

#include <collectives/runtime_call.hpp>

#include "support/catch.hpp"
#include "support/displaced.hpp"
#include "support/expect.hpp"
#include "support/world.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace tutti::test::displaced_parts {

using schedule::operation;

TEST_CASE("displacements by values: every operation, matching typed calls of other ranks") {
    CHECK_NOTHROW(run_world(4, [](const communicator& world) {
        const numbers counts = drawn_counts(4, 5);
        const bool typed = world.rank() == 2, is_root = world.rank() == 1;
        const std::size_t own = counts[index(world.rank())];
        scattered out(counts, 7), wanted = out, in(counts, 8);
        wanted.fill([](int r, std::size_t n) { return data(r, 0, n); });
        in.fill([](int r, std::size_t n) { return data(r, 2, n); });
        auto mine = data(world.rank(), 0, own);
        runtime_call c{operation::allgather, element_type::int32, operator_type::sum, own,
                       mine.data(),          out.memory.data()};
        c.counts = {out.counts, {}, out.displacements, {}};
        typed ? world.allgatherv(mine, out.memory, out.parts()) : issue(world, c);
        expect(out.memory == wanted.memory, "allgatherv");
        out.memory.assign(out.memory.size(), canary);
        c.what = operation::gather;
        c.root = 1;
        typed ? world.gatherv(mine, out.memory, out.parts(), 1) : issue(world, c);
        expect((out.memory == wanted.memory) == is_root, "gatherv");
        c.what = operation::scatter;
        c.input = in.memory.data();
        c.output = mine.data();
        c.counts = {in.counts, {}, in.displacements, {}};
        typed ? world.scatterv(in.memory, in.parts(), mine, 1) : issue(world, c);
        expect(mine == data(world.rank(), 2, own), "scatterv");
        auto e = blocks_of(world.rank(), 4, 9);
        c.what = operation::alltoall;
        c.input = e.in.memory.data();
        c.output = e.out.memory.data();
        c.counts = {e.in.counts, e.out.counts, e.in.displacements, e.out.displacements};
        typed ? world.alltoallv(e.in.memory, e.in.parts(), e.out.memory, e.out.parts()) : issue(world, c);
        expect(e.out.memory == e.wanted.memory, "alltoallv");
        c.what = operation::reduce_scatter;
        c.counts = {in.counts, {}, in.displacements, {}};
        c.input = in.memory.data();
        c.output = mine.data();
        typed ? world.reduce_scatterv(in.memory, mine, in.parts(), sum) : issue(world, c);
        for (std::size_t i = 0; i < own; ++i) expect(mine[i] == 4 * element(world.rank(), 2, i), "reduce_scatterv");
    }));
}

TEST_CASE("displacements by values that reach beyond all numbers are refused") {
    CHECK_NOTHROW(run_world(3, [](const communicator& world) {
        if (world.rank() != 0) return;
        std::vector<int> two(2), ten(10);
        runtime_call c{operation::allgather, element_type::int32, operator_type::sum, 2, two.data(), ten.data()};
        const numbers n{2, 3, std::numeric_limits<std::size_t>::max() / 8}, far{0, 4, std::size_t{1} << 63};
        c.counts = {n, {}, far, {}};
        const fault f = fault_of([&] { issue(world, c); });
        expect(f.why == cause::invalid_argument && f.detail.find("rank 2 has") != std::string::npos, f.detail);
    }));
}

} // namespace tutti::test::displaced_parts
