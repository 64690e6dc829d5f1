// expect: tutti: ranks of a scan have different numbers of operands, so that it has no average: take sum
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

void call(const tutti::communicator<tutti::transport::memory>& world, std::span<double> data) {
#ifdef CONTROL
    world.scan(data, tutti::sum);
#else
    world.scan(data, tutti::average);
#endif
}
