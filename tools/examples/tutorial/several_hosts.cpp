// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/routed.hpp>

#include <cstdio>
#include <vector>

using routed = tutti::transport::routed<tutti::transport::shared_memory, tutti::transport::tcp>;

int main() {
    tutti::communicator world{routed::from_environment()};
    std::vector<double> data(1'000'000, 1.0);

    world.allreduce(data, tutti::sum);

    if (world.rank() != 0) return 0;
    std::printf("%d hosts, sum %g\n", world.topology().nodes(), data[0]);
    for (int other = 1; other < world.size(); ++other)
        std::printf("to rank %d: %s\n", other, world.way_to(other).c_str());
}
