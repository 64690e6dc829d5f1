// expect: tutti: only transports named cuda_ipc and cuda_routed register memory; others need none
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

void call(const tutti::communicator<tutti::transport::memory>& world, std::span<double> data) {
#ifdef CONTROL
    world.allreduce(data, tutti::sum);
#else
    world.register_memory(data);
#endif
}
