// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/communicator.hpp>

#include "support/catch.hpp"
#include "support/placed.hpp"
#include "support/world.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

using namespace tutti::test;
using tutti::model::topology;
using tutti::transport::medium;

namespace {

using placed_world = tutti::communicator<placed>;

void on_nodes(const std::vector<int>& nodes, const std::function<void(placed_world&)>& work) {
    const auto size = static_cast<int>(nodes.size());
    run_ranks(size, [&, fabric = tutti::transport::memory_world::create(size)](int rank) {
        placed_world world{placed{fabric, rank, nodes}};
        world.default_deadline(patience);
        work(world);
    });
}

topology networked(int size, int ranks_per_node) { return {size, ranks_per_node, medium::memory, medium::network}; }

void expect_sums(const placed_world& world) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{1000}, std::size_t{70'000}}) {
        std::vector<int> data(count);
        for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<int>(i % 1000) * (world.rank() + 1);
        world.allreduce(data, tutti::sum);
        for (std::size_t i = 0; i < count; ++i)
            expect(data[i] == static_cast<int>(i % 1000) * world.size() * (world.size() + 1) / 2, "the exact sum");
    }
}

} // namespace

TEST_CASE("threads of one process are one node") {
    for (const int size : {1, 2, 5})
        run_world(size, [size](communicator& world) {
            topology threads{size};
            threads.reads_in_place = true;
            expect(world.topology() == threads, "one node, all of it memory that all can read");
            expect(world.split(world.rank() % 2).topology().nodes() == 1, "parts of it too");
        });
}

TEST_CASE("a communicator tells where its ranks are, in its own order of them") {
    on_nodes({0, 0, 0, 1, 1, 1}, [](placed_world& world) {
        expect(world.topology() == networked(6, 3), "the world");
        expect(world.duplicate().topology() == networked(6, 3), "a duplicate");
        expect(world.split(0, -world.rank()).topology() == networked(6, 3), "backwards");
        const auto in_turn = world.split(0, world.rank() % 3).topology();
        expect(in_turn.placed && *in_turn.placed == tutti::schedule::placement(std::vector{0, 1, 0, 1, 0, 1}),
               "nodes in turn");
        expect(world.split(world.rank() / 3).topology() == networked(3, 3), "one node");
        expect(world.split(world.rank() % 3).topology() == networked(2, 1), "one rank a node");
        const auto part = world.split(world.rank() == 5 ? 1 : 0);
        expect(part.topology() == networked(part.size(), part.size() == 5 ? 3 : 1), "a shorter last node, or one rank");
        const auto rest = world.split(world.rank() == 0 ? 1 : 0).topology();
        expect((rest.placed != nullptr) == (rest.size == 5), "a shorter first node");
    });
}

TEST_CASE("what the library chooses over several nodes gives exact sums, however the ranks lie") {
    for (const auto& nodes : std::vector<std::vector<int>>{
             {0, 0, 1, 1}, {0, 0, 0, 1, 1, 1}, {0, 0, 1, 1, 2}, {0, 1, 0, 1}, {0, 0, 1, 1, 2, 2}})
        on_nodes(nodes, [](placed_world& world) {
            expect_sums(world);
            expect_sums(world.split(0, -world.rank()));
            expect_sums(world.split(0, world.rank() % 2));
        });
}

TEST_CASE("over several nodes the library's choice is a hierarchical algorithm, by name in its errors") {
    on_nodes({0, 0, 1, 1}, [](placed_world& world) {
        std::vector<float> data(world.rank() == 3 ? 100'001 : 100'000);
        const auto f = fault_of([&] { world.allreduce(data, tutti::sum); });
        expect(f.why == tutti::cause::mismatch, "the counts differ");
        expect(message_of(f).find("allreduce(hierarchical:halving_doubling:parameter_server)") != std::string::npos,
               "named in: " + message_of(f));
    });
}

static_assert(tutti::detail::says_symmetric<tutti::symmetric_memory<float>&>);
static_assert(!tutti::detail::says_symmetric<std::span<float>>);

TEST_CASE("given as symmetric memory on all ranks, buffers are chosen for; a span of it counts as plain memory") {
    run_world(3, [](communicator& world) {
        auto x = world.allocate<float>(100'000);
        std::vector<float> y(100'000, 1);
        std::fill(x.begin(), x.end(), 1.0f);
        world.allreduce(x, tutti::sum);
        expect(x[99'999] == 3, "the sum");
        if (world.rank() == 0)
            world.allreduce(std::span(x.begin(), x.end()), tutti::sum);
        else
            world.allreduce(y, tutti::sum);
        expect(world.rank() == 0 || y[0] == 5, "the sum of a span and vectors");
    });
}

TEST_CASE("with a named algorithm any rank may pass symmetric memory") {
    run_world(3, [](communicator& world) {
        auto x = world.allocate<float>(100'000);
        std::vector<float> y(100'000, 1);
        std::fill(x.begin(), x.end(), 1.0f);
        const tutti::algorithm::ring how;
        world.rank() == 0 ? world.allreduce(x, tutti::sum, how) : world.allreduce(y, tutti::sum, how);
        expect((world.rank() == 0 ? x[99'999] : y[99'999]) == 3, "the sum");
    });
}
