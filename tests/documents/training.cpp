// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What docs/training.md and docs/parameter-server.md show, so that a compiler sees it.
#include <collectives/collectives.hpp>
#include <training/checkpoint.hpp>
#include <training/gradient_buckets.hpp>
#include <training/learning_rate.hpp>
#include <training/parameter_server.hpp>
#include <training/tensor/conjugates.hpp>
#include <training/tensor/weight_cut.hpp>
#include <transport/tcp.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace excerpts {

using world_over_tcp = tutti::communicator<tutti::transport::tcp>;

void train(const world_over_tcp& world, std::size_t steps, std::size_t batch,
           void (*backward)(std::size_t layer, std::span<const float> weights, std::span<float> gradient));

void train(const world_over_tcp& world, std::size_t steps, std::size_t batch,
           void (*backward)(std::size_t layer, std::span<const float> weights, std::span<float> gradient)) {
    namespace training = tutti::training;
    const std::vector<training::parameter> layers{{"matrix 1", 784 * 300}, {"bias 1", 300, false}};
    training::gradient_buckets buckets(world, layers);
    training::optimizer optimizer(layers, training::momentum{.kept = 0.9, .decay = 1e-4});
    const double peak = training::linear_scaling(0.1, batch);
    const training::warm_up rate{training::cosine{peak, steps}, steps / 20, 0.1};
    std::vector<float> weights(buckets.plan().elements());

    for (std::size_t step = 0; step < steps; ++step) {
        std::ranges::fill(buckets.gradients(), 0.0F);
        for (std::size_t i = layers.size(); i-- > 0;) {
            backward(i, weights, buckets.gradient(i));
            buckets.ready(i); // a complete bucket starts its allreduce
        }
        buckets.finish(); // every gradient is the average now
        training::clip(buckets.gradients(), 5);
        optimizer.step(rate(step), weights, buckets.gradients());
    }

    save(world, "job.checkpoint", buckets.plan(), std::span(weights), optimizer, /*seed=*/1);
}

void cut_linear(const world_over_tcp& ranks, std::size_t width, std::size_t inner, std::span<const float> whole,
                std::span<const float> input, std::span<float> output, std::span<const float> output_gradient,
                std::span<float> input_gradient,
                void (*column_then_row)(std::span<const float> part, std::span<const float> in, std::span<float> out),
                void (*backward)(std::span<const float> part, std::span<const float> out, std::span<float> in));

void cut_linear(const world_over_tcp& ranks, std::size_t width, std::size_t inner, std::span<const float> whole,
                std::span<const float> input, std::span<float> output, std::span<const float> output_gradient,
                std::span<float> input_gradient,
                void (*column_then_row)(std::span<const float> part, std::span<const float> in, std::span<float> out),
                void (*backward)(std::span<const float> part, std::span<const float> out, std::span<float> in)) {
    namespace tensor = tutti::training::tensor;
    tensor::weight_cut cut(ranks.rank(), ranks.size());
    cut.column_part(width, inner, /*units=*/inner);
    cut.row_part(inner, width, /*units=*/inner);
    std::vector<float> part(cut.part());
    cut.take(whole, std::span(part)); // begins as the serial network

    column_then_row(part, input, output);
    tensor::reduce_from::forward(ranks, output); // then the bias of the row part is added

    backward(part, output_gradient, input_gradient);
    tensor::copy_to::backward(ranks, input_gradient);
}

void serve_or_work(const world_over_tcp& world, std::size_t steps, std::size_t parameters,
                   void (*backward)(std::span<const float> weights, std::span<float> gradients));

void serve_or_work(const world_over_tcp& world, std::size_t steps, std::size_t parameters,
                   void (*backward)(std::span<const float> weights, std::span<float> gradients)) {
    namespace server = tutti::training::server;
    const server::store_layout layout{.keys = parameters, .servers = {0, 1, 2}, .workers = {3, 4, 5, 6}, .copies = 2};
    const server::links links(world, layout);
    if (links.server() >= 0) {
        server::shard_server shards(links, tutti::training::adagrad{}, {.how = server::bounded_staleness(2)});
        shards.serve(); // until all workers are done
    } else {
        server::client store(links);
        std::vector<float> weights(parameters), gradients(parameters);
        for (std::size_t step = 0; step < steps; ++step) {
            store.get(0, weights); // at most two clocks old
            backward(weights, gradients);
            store.push(0, gradients, /*rate=*/0.01);
            store.tick(); // all copies have the push
        }
        store.close();
    }
}

} // namespace excerpts
