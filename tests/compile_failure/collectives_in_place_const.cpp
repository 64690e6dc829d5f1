// expect: tutti: a collective cannot write its result to a range of const
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
#ifdef CONTROL
    std::vector<int> data(3);
#else
    const std::vector<int> data(3);
#endif
    world.broadcast(data, 0);
}
