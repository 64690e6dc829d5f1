// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/tcp.hpp>

#include <cstdio>
#include <vector>

int main() {
    tutti::communicator world{tutti::transport::tcp::from_environment()};
    std::vector<float> gradient(1'000'000, static_cast<float>(world.rank()));

    world.allreduce(gradient, tutti::sum); // in place: each rank has the sum now

    std::printf("rank %d of %d has %g\n", world.rank(), world.size(), static_cast<double>(gradient[0]));
}
