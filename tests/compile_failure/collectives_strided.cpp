// expect: tutti: strided and runtime_range are data of messages alone
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world, std::vector<int>& grid) {
    tutti::strided column{grid.data(), 2, 4};
#ifdef CONTROL
    world.receive(column, 0);
#else
    column = world.broadcast(column, 0);
#endif
}
