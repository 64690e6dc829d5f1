// expect: tutti: an element must not be a pointer: it means nothing on another rank
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
#ifdef CONTROL
    std::vector<int> in(1), out(4);
#else
    std::vector<int*> in(1), out(4);
#endif
    world.allgather(in, out);
}
