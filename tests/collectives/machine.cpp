// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/machine.hpp>

#include "support/catch.hpp"
#include "support/world.hpp"

#include <memory>
#include <vector>

using namespace tutti::test;
using tutti::model::loggp;
using tutti::model::machine;
using tutti::schedule::operation;

namespace {

/// Of rank 0 messages are dear and bytes are not; of all others it is the other way round.
machine as_rank_sees_it(int rank) {
    return tutti::model::uniform(rank == 0 ? loggp{1e-3, 1e-4, 0, 1e-12} : loggp{1e-9, 1e-9, 0, 1e-6});
}

void with_machines(int size, const std::function<void(communicator&)>& work) {
    run_ranks(size, [&, fabric = tutti::transport::memory_world::create(size)](int rank) {
        communicator world{tutti::transport::memory{fabric, rank}, as_rank_sees_it(rank)};
        world.default_deadline(patience);
        work(world);
    });
}

void expect_sum(const communicator& world, std::size_t count) {
    std::vector<int> data(count, world.rank() + 1);
    world.allreduce(data, tutti::sum);
    for (const int x : data) expect(x == world.size() * (world.size() + 1) / 2, "the sum");
}

} // namespace

TEST_CASE("all ranks choose by the machine of rank 0") {
    for (const int size : {1, 2, 3, 4, 6})
        with_machines(size, [](communicator& world) {
            for (const std::size_t count : {1, 100, 10'000}) expect_sum(world, count);
            const auto e = world.explain(operation::allreduce, 40'000);
            const tutti::model::chooser of_rank_0(world.topology(), std::make_shared<const tutti::model::decisions>(
                                                                        world.topology(), as_rank_sees_it(0)));
            expect(e.text() == tutti::model::explain(of_rank_0, operation::allreduce, 40'000).text(),
                   "rank 0's choice");
        });
}

TEST_CASE("residuals of rank 0 count for all, too") {
    const int size = 4;
    const std::vector<int> ranks{size};
    const std::vector<std::size_t> sizes{400};
    run_ranks(size, [&, fabric = tutti::transport::memory_world::create(size)](int rank) {
        tutti::calibrated_machine m{as_rank_sees_it(0), {ranks, sizes}};
        const auto plain = tutti::model::decisions({size, size}, m).choose(operation::allreduce, 400).how;
        if (rank == 0) m.residual.set(operation::allreduce, plain, 0, 0, 50);
        communicator world{tutti::transport::memory{fabric, rank}, m};
        world.default_deadline(patience);
        expect_sum(world, 100);
        expect(!(world.explain(operation::allreduce, 400).chosen.how == plain), "it is 50 times as long");
    });
}

TEST_CASE("communicators made from one with a machine choose by it as well") {
    with_machines(4, [](communicator& world) {
        const auto half = world.split(world.rank() % 2);
        expect(half.explain(operation::allreduce, 400).ranking.size() > 1, "priced");
        expect(half.explain(operation::allreduce, 400).on.size == 2, "for its own ranks");
        expect_sum(half, 100);
        expect_sum(world.duplicate(), 100);
    });
}

TEST_CASE("a communicator without a machine explains its rule") {
    run_world(3, [](communicator& world) {
        const auto e = world.explain(operation::allreduce, 8);
        expect(e.ranking.empty(), "nothing is priced");
        expect(e.reason.find("by rule") == 0, "it says so: " + e.reason);
    });
}
