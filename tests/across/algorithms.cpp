// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <collectives/allreduce.hpp>

#include <collectives/algorithm/all.hpp>

#include "support/loopback_six.hpp"
#include "support/tcp_ranks.hpp"

#include <array>
#include <string>
#include <vector>

using namespace tutti;
using namespace tutti::test;

namespace {

int element(std::size_t i, int rank) { return static_cast<int>(i % 251) * (rank + 1); }

void expect_allreduce(const world_of_processes& world, const algorithm::any& how, std::size_t count) {
    const int size = world.size();
    std::vector<int> in(count), out(count), wanted(count);
    for (std::size_t i = 0; i < count; ++i) {
        in[i] = element(i, world.rank());
        wanted[i] = static_cast<int>(i % 251) * size * (size + 1) / 2;
    }
    world.allreduce(in, out, sum, how);
    const auto where = std::string(how.name()) + " of " + std::to_string(count);
    expect(out == wanted, where + " is exact");
    world.allreduce(in, sum, how);
    expect(in == wanted, where + " is exact in place");
}

void all_algorithms(const world_of_processes& world) {
    const auto p = static_cast<std::size_t>(world.size());
    for (const auto& how : algorithm::all(3))
        for (const std::size_t count :
             {std::size_t{0}, std::size_t{1}, p - 1, p, std::size_t{1000}, std::size_t{65'537}})
            expect_allreduce(world, how, count);
}

} // namespace

TEST_CASE("every allreduce algorithm is exact over tcp, for any number of ranks and elements") {
    const int size = GENERATE(1, 2, 3, 4, 5, 7, 8, 16);
    CAPTURE(size);
    run_tcp_ranks(size, reserved_port{}, {}, all_algorithms);
}

TEST_CASE("large data crosses on three lanes") {
    run_tcp_ranks(3, reserved_port{}, {.lanes = 3}, [](const world_of_processes& world) {
        for (const auto& how : algorithm::all(2)) expect_allreduce(world, how, 3'000'001);
    });
}

TEST_CASE("a world may meet and talk over IPv6") {
    if (!has_loopback_six()) {
        WARN("this host has no ::1");
        return;
    }
    run_tcp_ranks(4, reserved_port{"::1"}, {}, all_algorithms);
}
