// expect: tutti: the last argument names an algorithm, such as tutti::algorithm::ring{}
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
    std::vector<int> data(3);
#ifdef CONTROL
    world.allreduce(data, tutti::sum, tutti::algorithm::ring{});
#else
    world.allreduce(data, tutti::sum, "ring");
#endif
}
