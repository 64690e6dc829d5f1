// expect: tutti: input and output must have the same element type
// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <collectives/collectives.hpp>
#include <transport/memory.hpp>

#include <vector>

void call(const tutti::communicator<tutti::transport::memory>& world) {
#ifdef CONTROL
    std::vector<float> in(3);
#else
    std::vector<double> in(3);
#endif
    std::vector<float> out(3);
    world.reduce_scatter(in, out, tutti::sum);
}
