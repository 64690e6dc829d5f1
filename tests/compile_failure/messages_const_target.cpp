// expect: tutti: a message cannot be received into a range of const
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/communicator.hpp>

#include <transport/memory.hpp>

#include <vector>

void receive(const tutti::communicator<tutti::transport::memory>& world, std::vector<int>& data) {
#ifdef CONTROL
    world.receive(data, 1);
#else
    const std::vector<int>& fixed = data;
    world.receive(fixed, 1);
#endif
}
