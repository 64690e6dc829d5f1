// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "across/every_algorithm.hpp"
#include "across/sequence.hpp"
#include "ranks.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr auto as_it_is = [](int) { return transport::verbs_limits{}; };

/// On both ports of the pair, each rank's first being the other's second.
transport::verbs_limits on_both_ends(int rank) {
    auto limits = on_ports(rank % 2 == 0 ? "rxe1,rxe2" : "rxe2:1,rxe1:1");
    limits.piece_bytes = 10'000;
    return limits;
}

} // namespace

TEST_CASE("every allreduce algorithm is exact over verbs") {
    const int size = GENERATE(2, 3, 4, 8);
    CAPTURE(size);
    run_verbs_processes(size, as_it_is, [](const auto& world) { expect_all_algorithms(world, 20'001); });
}

TEST_CASE("any sequence of calls over verbs gives the bits of the serial reference") {
    run_verbs_processes(3, as_it_is, [](const auto& world) { sequence(world, 2026).run(300); });
}

TEST_CASE("so it does where every other rank has an executor") {
    run_verbs_processes(3, as_it_is, [](const auto& world) { run_with_executors(world, 11, 100); });
}

TEST_CASE("long messages are striped over two devices") {
    run_verbs_processes(4, on_both_ends, [](const auto& world) {
        for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce, 2))
            expect_allreduce(world, how, 100'001);
    });
}

TEST_CASE("symmetric memory crosses, whatever fabric has made it") {
    run_everywhere({0, 0, 1}, as_it_is, [](const auto& world) {
        auto mine = world.template allocate<int>(200'000);
        for (int round = 1; round <= 3; ++round) {
            for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = element_of(i, world.rank()) * round;
            world.allreduce(mine, sum, algorithm::ring{});
            bool good = true;
            for (std::size_t i = 0; i < mine.size(); ++i) good = good && mine[i] == element_of(i, 0) * 6 * round;
            expect(good, "its sum is exact");
        }
    });
}

TEST_CASE("hosts with devices talk over them, hosts without over tcp, and ranks of a host over its memory") {
    const auto limits = [](int rank) { return rank == 4 ? on_ports("none") : on_either_end(rank / 2); };
    run_everywhere({0, 0, 1, 1, 2}, limits, [](const auto& world) { sequence(world, 7).run(100); });
}

TEST_CASE("a hierarchical allreduce crosses hosts over verbs") {
    run_everywhere(
        {0, 0, 1, 1}, [](int rank) { return on_either_end(rank / 2); },
        [](const auto& world) {
            const algorithm::hierarchical<algorithm::ring, algorithm::ring> how{2};
            for (const std::size_t count : {1, 1000, 100'000}) expect_allreduce(world, how, count);
        });
}
