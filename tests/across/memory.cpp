// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "sequence.hpp"

#include <transport/memory.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/run_ranks.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("any sequence of calls over memory gives the bits of the serial reference") {
    const auto [size, steps] = GENERATE(std::pair{2, 500}, std::pair{3, 500}, std::pair{4, 500}, std::pair{7, 150});
    CAPTURE(size);
    const auto fabric = transport::memory_world::create(size);
    run_ranks(size, [&, steps = steps](int rank) {
        const communicator world{transport::memory{fabric, rank}};
        sequence(world, 2026).run(threads_watched ? steps / 5 : steps);
    });
    SUCCEED();
}

TEST_CASE("so it does over memory where every other rank has an executor") {
    const int size = GENERATE(2, 3, 4, 7);
    CAPTURE(size);
    const auto fabric = transport::memory_world::create(size);
    run_ranks(size, [&](int rank) {
        run_with_executors(communicator{transport::memory{fabric, rank}}, 11, threads_watched ? 40 : 200);
    });
    SUCCEED();
}
