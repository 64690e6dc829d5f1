// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "every_algorithm.hpp"

#include "support/loopback_six.hpp"
#include "support/tcp_ranks.hpp"

using namespace tutti;
using namespace tutti::test;

namespace {

void all_algorithms(const world_of_processes& world) { expect_all_algorithms(world); }

} // namespace

TEST_CASE("every allreduce algorithm is exact over tcp, for any number of ranks and elements") {
    const int size = GENERATE(1, 2, 3, 4, 5, 7, 8, 16);
    CAPTURE(size);
    run_tcp_ranks(size, reserved_port{}, {}, all_algorithms);
}

TEST_CASE("large data crosses on three lanes") {
    run_tcp_ranks(3, reserved_port{}, {.lanes = 3}, [](const world_of_processes& world) {
        for (const auto& how : algorithm::all(tutti::schedule::operation::allreduce, 2))
            expect_allreduce(world, how, 3'000'001);
    });
}

TEST_CASE("a world may meet and talk over IPv6") {
    if (!has_loopback_six()) {
        WARN("this host has no ::1");
        return;
    }
    run_tcp_ranks(4, reserved_port{"::1"}, {}, all_algorithms);
}
