// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "sequence.hpp"

#include <transport/shared_memory.hpp>

#include "support/catch.hpp"
#include "support/identity.hpp"
#include "support/processes.hpp"

using namespace tutti;
using namespace tutti::test;

TEST_CASE("any sequence of calls over shared memory gives the bits of the serial reference") {
    const auto [size, steps] = GENERATE(std::pair{2, 500}, std::pair{4, 500}, std::pair{7, 150});
    // Everything that is large enough is lent; or nothing is, as where no rank can read another's memory.
    const std::size_t lend_bytes = GENERATE(std::size_t{64 * 1024}, std::size_t{2048}, std::size_t{1} << 40);
    CAPTURE(size, lend_bytes);
    const reserved_port at;
    processes ranks(size, [&, size = size, steps = steps](int rank, account&) {
        const communicator world{transport::shared_memory{identity(rank, size, at), {.lend_bytes = lend_bytes}}};
        sequence(world, 2026).run(steps);
    });
    check_ended(ranks);
}

TEST_CASE("so it does over shared memory where every other rank has an executor") {
    const int size = 3;
    const reserved_port at;
    processes ranks(size, [&](int rank, account&) {
        run_with_executors(communicator{transport::shared_memory{identity(rank, size, at)}}, 11, 200);
    });
    check_ended(ranks);
}
