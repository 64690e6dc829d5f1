// expect: tutti: one value is given to blocking calls, which return the result; else take a range
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

void call(const tutti::communicator<tutti::transport::memory>& world, double& value) {
#ifdef CONTROL
    world.async().allreduce(std::span(&value, 1), tutti::sum).wait();
#else
    world.async().allreduce(value, tutti::sum).wait();
#endif
}
