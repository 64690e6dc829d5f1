// expect: tutti: std::vector<bool> stores bits, which are no elements: take a std::vector of char
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
#ifdef CONTROL
    std::vector<char> data(3);
#else
    std::vector<bool> data(3);
#endif
    world.broadcast(data, 0);
}
