// expect: tutti: the buffers of a non-blocking or prepared call must outlive it: do not pass a temporary
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
    std::vector<int> data(3);
#ifdef CONTROL
    world.async().allreduce(data, tutti::sum).wait();
#else
    world.async().allreduce(std::vector<int>(3), tutti::sum).wait();
#endif
}
