// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <collectives/machine.hpp>
#include <transport/memory.hpp>
#include <transport/routed.hpp>

#include <array>
#include <vector>

std::vector<int> gathered(const tutti::communicator<tutti::transport::memory>& world);
bool has_a_network();

std::vector<int> gathered(const tutti::communicator<tutti::transport::memory>& world) {
    const std::array<int, 1> mine{world.rank()};
    std::vector<int> all(static_cast<std::size_t>(world.size()));
    world.allgather(mine, all);
    return all;
}

bool has_a_network() {
    const tutti::communicator world{tutti::transport::tcp::from_environment()};
    return world.allreduce(1, tutti::sum) == 1;
}
