// expect: tutti: a collective needs a contiguous range, such as std::vector, std::array or std::span
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <list>
#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
#ifdef CONTROL
    std::vector<int> data(3);
#else
    std::list<int> data(3);
#endif
    world.allreduce(data, tutti::maximum);
}
