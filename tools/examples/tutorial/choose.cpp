// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <tutti/collectives/collectives.hpp>
#include <tutti/transport/tcp.hpp>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
    tutti::communicator world{tutti::transport::tcp::from_environment()};
    std::vector<float> data(250'000, 1);

    world.allreduce(data, tutti::sum);                           // the library chooses
    world.allreduce(data, tutti::sum, tutti::algorithm::ring{}); // you do, in the program
    if (argc > 1)                                                // you do, when it starts
        world.allreduce(data, tutti::sum, tutti::algorithm::by_name(argv[1]));

    const auto why = world.explain(tutti::schedule::operation::allreduce, data.size() * sizeof(float));
    if (world.rank() == 0) std::printf("%s", why.text().c_str());
}
