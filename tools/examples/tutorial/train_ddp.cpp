// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "small_network.hpp"

#include <tutti/collectives/collectives.hpp>
#include <tutti/training/gradient_buckets.hpp>
#include <tutti/training/optimizer.hpp>
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
    training::gradient_buckets buckets(world, parameters, {.bytes = {256, 512}}); // one layer, then two, then one
    training::optimizer optimizer(parameters, training::sgd{});
    std::vector<float> weights = small::first_weights(); // the same on all ranks

    const std::size_t own = small::rows / ranks; // rows of this rank
    const small::examples mine = small::rows_from(rank * own, own);
    for (int step = 0; step < small::steps; ++step) {
        std::ranges::fill(buckets.gradients(), 0.F);
        double error = small::pass(
            mine, own, [&](std::size_t l) { return small::layer(weights, l); },
            [&](std::size_t l) { return buckets.gradient(l); },
            [&](std::size_t l) { buckets.ready(l); }); // travels while the layers before it compute
        buckets.finish();                              // every gradient is the average now
        optimizer.step(small::rate, weights, buckets.gradients());
        error = world.allreduce(error, tutti::sum);
        if (rank == 0 && step % 100 == 0) std::printf("step %d: error %.4f\n", step, error);
    }
    return small::compare("data-parallel", weights, 0, rank == 0);
}
