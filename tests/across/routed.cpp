// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "sequence.hpp"

#include <transport/routed.hpp>

#include "support/catch.hpp"
#include "support/identity.hpp"
#include "support/processes.hpp"

#include <vector>

using namespace tutti;
using namespace tutti::test;

TEST_CASE("any sequence of calls over hosts and within them gives the bits of the serial reference") {
    // The host of each rank: even, with a smaller last one, in turn, and of different sizes.
    const std::vector<int> hosts = GENERATE(std::vector{0, 0, 1, 1}, std::vector{0, 0, 1, 1, 2},
                                            std::vector{0, 1, 0, 1}, std::vector{0, 1, 1, 1, 2, 2});
    const int size = static_cast<int>(hosts.size());
    CAPTURE(hosts);
    const reserved_port at;
    processes ranks(size, [&](int rank, account&) {
        const communicator world{transport::routed<transport::shared_memory, transport::tcp>{
            identity_on(hosts[static_cast<std::size_t>(rank)], rank, size, at)}};
        sequence(world, 2026).run(300);
    });
    check_ended(ranks);
}

TEST_CASE("so it does over hosts and within them where every other rank has an executor") {
    const std::vector<int> hosts{0, 0, 1, 1};
    const int size = static_cast<int>(hosts.size());
    const reserved_port at;
    processes ranks(size, [&](int rank, account&) {
        run_with_executors(communicator{transport::routed<transport::shared_memory, transport::tcp>{
                               identity_on(hosts[static_cast<std::size_t>(rank)], rank, size, at)}},
                           11, 200);
    });
    check_ended(ranks);
}
