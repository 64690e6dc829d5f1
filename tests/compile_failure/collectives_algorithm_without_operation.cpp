// expect: tutti: this algorithm has no schedule for this operation
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
    std::vector<int> data(3);
#ifdef CONTROL
    world.broadcast(data, 0, tutti::algorithm::binomial_tree{});
#else
    world.broadcast(data, 0, tutti::algorithm::butterfly{});
#endif
}
