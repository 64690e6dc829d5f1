// expect: tutti: a collective cannot write its result to a range of const
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
    std::vector<int> in(3);
#ifdef CONTROL
    std::vector<int> out(3);
#else
    const std::vector<int> out(3);
#endif
    world.allreduce(in, out, tutti::sum);
}
