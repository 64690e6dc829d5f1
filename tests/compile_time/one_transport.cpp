// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// The first program that a user writes: what one transport costs to compile, calls included. The API reference shows
// it.
//! [first]
#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/tcp.hpp>

#include <cstdio>
#include <vector>

int main() {
    tutti::communicator world{tutti::transport::tcp::from_environment()};
    std::vector<float> gradient(1'000'000, static_cast<float>(world.rank()));

    world.allreduce(gradient, tutti::sum);                           // the library chooses an algorithm
    world.allreduce(gradient, tutti::sum, tutti::algorithm::ring{}); // or you do

    std::printf("rank %d of %d has %g\n", world.rank(), world.size(), static_cast<double>(gradient[0])); // of 4: 24
}
//! [first]
