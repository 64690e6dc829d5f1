// expect: tutti: one value is reduced by the blocking allreduce, which returns the result; else take a range
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

void call(const tutti::communicator<tutti::transport::memory>& world, double& value) {
#ifdef CONTROL
    world.allreduce_async(std::span(&value, 1), tutti::sum).wait();
#else
    world.allreduce_async(value, tutti::sum).wait();
#endif
}
