// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/communicator.hpp>

#include <collectives/algorithm/all.hpp>
#include <collectives/algorithm/preserves_order.hpp>

#include "engine/faults.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/placed.hpp"
#include "support/placements.hpp"
#include "support/typed_call.hpp"
#include "support/world.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tutti::test::rank_placements {
namespace {

using schedule::operation;
using placed_world = tutti::communicator<placed>;

void on_nodes(const std::vector<int>& nodes, const std::function<void(placed_world&)>& work) {
    const auto size = static_cast<int>(nodes.size());
    run_ranks(size, [&, fabric = transport::memory_world::create(size)](int rank) {
        placed_world world{placed{fabric, rank, nodes}};
        world.default_deadline(patience);
        work(world);
    });
}

int element(int rank, std::size_t i) { return static_cast<int>(i % 1009) * (rank + 1) + rank; }

/// What rank `rank` must have as element `at` of the whole vector, or of what it gets of it.
int wanted(operation o, int size, int rank, int root, std::size_t part, std::size_t at) {
    const auto of = [&](std::size_t i) {
        int sum = 0;
        for (int r = 0; r < size; ++r) sum += element(r, i);
        return sum;
    };
    const std::size_t mine = part * static_cast<std::size_t>(rank);
    switch (o) {
    case operation::reduce_scatter: return of(mine + at);
    case operation::allgather: return element(static_cast<int>(at / part), at % part);
    case operation::broadcast: return element(root, at);
    case operation::alltoall: return element(static_cast<int>(at / part), mine + at % part);
    default: return of(at);
    }
}

/// One call of `part` elements a rank, in place or not, with its result checked.
void call(const placed_world& world, operation o, const std::optional<algorithm::any>& how, std::size_t part, int root,
          bool in_place) {
    const int size = world.size();
    std::vector<int> in(part * static_cast<std::size_t>(size)), out(in.size());
    const std::size_t own = in_place && o == operation::allgather ? part * static_cast<std::size_t>(world.rank()) : 0;
    for (std::size_t i = 0; i + own < in.size(); ++i) in[own + i] = element(world.rank(), i);
    const result_place at = typed_call(world, o, std::span(in), std::span(out), in_place, root, sum, how);
    const std::vector<int>& result = at.in_input ? in : out;
    for (std::size_t i = 0; i < at.count; ++i)
        expect(result[at.first + i] == wanted(o, size, world.rank(), root, part, i),
               std::string(name_of(o)) + " by " + std::string(how ? how->name() : "choice") + ", element " +
                   std::to_string(i));
}

constexpr std::array by_levels{operation::allreduce, operation::reduce_scatter, operation::allgather,
                               operation::reduce,    operation::broadcast,      operation::alltoall};

} // namespace

TEST_CASE("hierarchies of ranks that lie at random, in turn, or on nodes of random sizes give the right results") {
    std::mt19937 dice(19);
    for (const auto& nodes : placements(dice, sanitized ? 3 : 9, 8))
        on_nodes(nodes, [&](placed_world& world) {
            for (const auto& some : {algorithm::all(), algorithm::compositions()})
                for (const algorithm::any& a : some)
                    for (const operation o : by_levels) {
                        const algorithm::any how = world.topology().of_nodes(a);
                        if (!how.has_levels() || !how.offers(o)) continue;
                        for (const std::size_t part : {std::size_t{1}, std::size_t{0}, std::size_t{53}})
                            for (const bool in_place : {false, true})
                                call(world, o, how, part, world.size() / 2, in_place);
                    }
        });
}

TEST_CASE("what the library chooses gives the right results wherever ranks lie, barriers included") {
    std::mt19937 dice(7);
    for (const auto& nodes : placements(dice, sanitized ? 3 : 6, 9))
        on_nodes(nodes, [&](placed_world& world) {
            for (const operation o : by_levels)
                for (const std::size_t part : {std::size_t{1}, std::size_t{3000}, std::size_t{40'000}})
                    call(world, o, std::nullopt, part, world.size() - 1, part == 1);
            world.barrier();
        });
}

TEST_CASE("a barrier over nodes holds every rank until the last has come, wherever ranks lie") {
    for (const auto& nodes :
         std::vector<std::vector<int>>{{0, 1, 0, 1, 0, 1}, {0, 0, 0, 1, 1}, {0, 1, 1, 2, 1, 0, 2}}) {
        std::atomic<int> come = 0;
        on_nodes(nodes, [&](placed_world& world) {
            expect(world.choice().choose(operation::allreduce, 0).how.has_levels(), "a hierarchy serves it");
            for (int round = 1; round <= 50; ++round) {
                ++come;
                world.barrier();
                expect(come >= round * world.size(), "all have come");
            }
        });
    }
}

TEST_CASE("operands that may not change places keep their order, wherever ranks lie") {
    const auto first = non_commutative([](const int& a, const int&) noexcept { return a; });
    for (const auto& nodes : std::vector<std::vector<int>>{{0, 1, 0, 1}, {0, 1, 1, 1, 0, 2}})
        on_nodes(nodes, [&](placed_world& world) {
            std::vector<int> data(1000, world.rank() + 1);
            world.allreduce(data, first);
            expect(data[999] == 1, "rank 0's");
            const auto how = world.topology().of_nodes(
                algorithm::hierarchical<algorithm::halving_doubling, algorithm::butterfly>{2});
            const auto f = fault_of([&] { world.allreduce(data, first, how); });
            expect(f.why == cause::invalid_argument, "a placed hierarchy is refused");
            expect_contains(message_of(f), "does not keep rank order");
        });
}

TEST_CASE("ranks that think each other on other nodes are told of a mismatch, with both placements") {
    gate all_failed(4);
    run_ranks(4, [&, fabric = transport::memory_world::create(4)](int rank) {
        placed_world world{placed{fabric, rank, rank == 3 ? std::vector{0, 1, 1, 0} : std::vector{0, 1, 0, 1}}};
        world.default_deadline(short_deadline);
        std::vector<int> data(100'000, rank);
        const auto f = fault_in_time([&] {
            world.allreduce(data, sum);
            for (int k = 0; k < 8; ++k) world.barrier();
        });
        expect(f.why == cause::mismatch, "a mismatch, not: " + message_of(f));
        expect_contains(f.detail, "ranks on nodes 0 1 0 1");
        expect_contains(f.detail, "ranks on nodes 0 1 1 0");
        all_failed.pass();
    });
}

TEST_CASE("an algorithm that was placed for other ranks is refused before anything is sent") {
    on_nodes({0, 1, 0, 1, 1}, [](placed_world& world) {
        const auto how = world.topology().of_nodes(algorithm::hierarchical<algorithm::ring, algorithm::ring>{2});
        const placed_world part = world.split(world.rank() == 4 ? 1 : 0);
        std::vector<int> data(100, 1);
        const auto f = fault_of([&] { part.allreduce(data, sum, how); });
        expect(f.why == cause::invalid_argument || part.size() == 1, "placed for 5 ranks");
        part.barrier();
    });
}

} // namespace tutti::test::rank_placements
