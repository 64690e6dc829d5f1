// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "small_network.hpp"

#include <tutti/collectives/collectives.hpp>
#include <tutti/training/sharded.hpp>
#include <tutti/training/update_rules.hpp>
#include <tutti/transport/tcp.hpp>

#include <string>

namespace training = tutti::training;

int main() {
    const tutti::communicator world{tutti::transport::tcp::from_environment()};
    const auto ranks = static_cast<std::size_t>(world.size()), rank = static_cast<std::size_t>(world.rank());

    std::vector<training::parameter> parameters;
    for (std::size_t l = 0; l < small::layers; ++l)
        parameters.push_back({"layer " + std::to_string(l), small::layer_size});
    training::sharded job(world, parameters, training::stage::parameters, training::sgd{}, small::first_weights(),
                          {.bytes = {256, 256}}); // a bucket a layer

    const std::size_t own = small::rows / ranks;
    const small::examples mine = small::rows_from(rank * own, own);
    for (int step = 0; step < small::steps; ++step) {
        small::pass(
            mine, own,
            [&](std::size_t l) {
                if (l > 0) job.release(l - 1); // the forward pass has done with it
                return job.weights(l);         // gathered, and the next ones meanwhile
            },
            [&](std::size_t l) { return job.gradient(l); },
            [&](std::size_t l) {
                job.ready(l); // goes to the ranks that own it
                job.release(l);
            });
        job.finish();          // this rank has the averages of its shard
        job.step(small::rate); // and updates that
    }

    std::vector<float> weights;
    for (std::size_t l = 0; l < small::layers; ++l) {
        const auto of = job.weights(l);
        weights.insert(weights.end(), of.begin(), of.end());
        job.release(l);
    }
    if (rank == 0) std::printf("a rank keeps %zu of %zu weights\n", job.kept_weights().size(), weights.size());
    return small::compare("sharded", weights, 0, rank == 0);
}
