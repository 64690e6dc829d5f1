// expect: tutti: the data of a non-blocking message must outlive it: do not pass a temporary
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/communicator.hpp>

#include <transport/memory.hpp>

void send(const tutti::communicator<tutti::transport::memory>& world, int value) {
#ifdef CONTROL
    auto request = world.async().send(value, 1);
#else
    auto request = world.async().send(value + 1, 1);
#endif
    request.wait();
}
