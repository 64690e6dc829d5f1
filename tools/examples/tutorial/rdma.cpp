// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/routed.hpp>
#include <tutti/transport/verbs.hpp>

#include <cstdio>
#include <vector>

using namespace tutti::transport;

int main() {
    // Within a host over its memory, else over RDMA where both ends have a device, else over TCP.
    tutti::communicator world{routed<shared_memory, verbs, tcp>::from_environment()};
    std::vector<float> gradient(1'000'000, 1);
    world.allreduce(gradient, tutti::sum);

    if (world.rank() == 0)
        for (int other = 1; other < world.size(); ++other)
            std::printf("to rank %d: %s\n", other, world.way_to(other).c_str());
}
