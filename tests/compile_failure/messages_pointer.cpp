// expect: tutti: a pointer means nothing on another rank: take std::span(pointer, count)
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/communicator.hpp>

#include <transport/memory.hpp>

void send(const tutti::communicator<tutti::transport::memory>& world, const double* values) {
#ifdef CONTROL
    world.send(*values, 1);
#else
    world.send(values, 1);
#endif
}
