// expect: tutti: a pointer means nothing on another rank: take std::span(pointer, count)
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

double call(const tutti::communicator<tutti::transport::memory>& world, double* data) {
#ifdef CONTROL
    return world.allreduce(*data, tutti::sum);
#else
    return *world.allreduce(data, tutti::sum);
#endif
}
