// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// What docs/training.md, docs/communicating-less.md, docs/parameter-server.md and docs/sandblaster.md show, so that a
// compiler sees it.
#include <tutti/collectives/collectives.hpp>
#include <tutti/training/broadcast_parameters.hpp>
#include <tutti/training/checkpoint.hpp>
#include <tutti/training/compressed/compressed_buckets.hpp>
#include <tutti/training/compressed/error_feedback.hpp>
#include <tutti/training/compressed/top_k.hpp>
#include <tutti/training/downpour.hpp>
#include <tutti/training/gossip/mixer.hpp>
#include <tutti/training/gradient_buckets.hpp>
#include <tutti/training/hogwild.hpp>
#include <tutti/training/learning_rate.hpp>
#include <tutti/training/local_sgd.hpp>
#include <tutti/training/parameter_server.hpp>
#include <tutti/training/sandblaster.hpp>
#include <tutti/training/tensor/conjugates.hpp>
#include <tutti/training/tensor/weight_cut.hpp>
#include <tutti/transport/tcp.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace excerpts {

using world_over_tcp = tutti::communicator<tutti::transport::tcp>;
using initialisation = std::vector<float> (*)(const std::vector<tutti::training::parameter>& layers);

void train(const world_over_tcp& world, std::size_t steps, std::size_t batch, initialisation first_weights,
           void (*backward)(std::size_t layer, std::span<const float> weights, std::span<float> gradient));

void train(const world_over_tcp& world, std::size_t steps, std::size_t batch, initialisation first_weights,
           void (*backward)(std::size_t layer, std::span<const float> weights, std::span<float> gradient)) {
    namespace training = tutti::training;
    const std::vector<training::parameter> layers{{"matrix 1", 784 * 300}, {"bias 1", 300, false}};
    std::vector<float> weights = first_weights(layers);
    training::broadcast_parameters(world, weights); // those of rank 0, on all ranks
    training::gradient_buckets buckets(world, layers, {}, weights);
    training::optimizer optimizer(layers, training::momentum{.kept = 0.9, .decay = 1e-4});
    const double peak = training::linear_scaling(0.1, batch);
    const training::warm_up rate{training::cosine{peak, steps}, steps / 20, 0.1};

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

/// Puts the gradient of a step into `gradient`, and returns its loss.
using backward_pass = double (*)(std::size_t step, std::span<const float> weights, std::span<float> gradient);

void compress(const world_over_tcp& world, const std::vector<tutti::training::parameter>& layers, std::size_t steps,
              std::span<float> weights, backward_pass backward);

void compress(const world_over_tcp& world, const std::vector<tutti::training::parameter>& layers, std::size_t steps,
              std::span<float> weights, backward_pass backward) {
    namespace training = tutti::training;
    namespace compressed = training::compressed;
    const compressed::error_feedback each(compressed::top_k{.share = 0.01});
    compressed::compressed_buckets buckets(world, layers, each);
    training::optimizer optimizer(layers, training::sgd{});
    compressed::traffic sent;

    for (std::size_t step = 0; step < steps; ++step) {
        backward(step, weights, buckets.gradients());
        sent += buckets.finish(); // every gradient is the average of what ranks have sent
        optimizer.step(0.1, weights, buckets.gradients());
    }
}

void average_seldom(const world_over_tcp& world, const std::vector<tutti::training::parameter>& layers,
                    std::size_t steps, std::span<float> weights, std::span<float> gradient, backward_pass backward);

void average_seldom(const world_over_tcp& world, const std::vector<tutti::training::parameter>& layers,
                    std::size_t steps, std::span<float> weights, std::span<float> gradient, backward_pass backward) {
    namespace training = tutti::training;
    const training::post_local period{.until = 1000, .then = 16};
    training::local_sgd local(world, weights, period, training::slow_momentum{.kept = 0.5});
    training::optimizer optimizer(layers, training::sgd{});

    for (std::size_t step = 0; step < steps; ++step) {
        const double loss = backward(step, weights, gradient);
        optimizer.step(0.1, weights, gradient);
        local.step(weights, loss, 0.1); // averages weights when it is time
    }
}

void mix(const world_over_tcp& world, const std::vector<tutti::training::parameter>& layers, std::size_t steps,
         std::span<float> weights, std::span<float> gradient, backward_pass backward);

void mix(const world_over_tcp& world, const std::vector<tutti::training::parameter>& layers, std::size_t steps,
         std::span<float> weights, std::span<float> gradient, backward_pass backward) {
    namespace training = tutti::training;
    namespace gossip = training::gossip;
    gossip::mixer mixer(world, gossip::exponential{});
    training::optimizer optimizer(layers, training::sgd{});

    for (std::size_t step = 0; step < steps; ++step) {
        mixer.start(weights); // they travel while the gradient is computed
        backward(step, weights, gradient);
        mixer.finish(weights);
        optimizer.step(0.1, weights, gradient);
    }
}

void share(std::size_t features, std::size_t samples,
           void (*gradient_of)(std::size_t sample, const tutti::training::shared_weights& weights,
                               tutti::training::sparse_step& to));

void share(std::size_t features, std::size_t samples,
           void (*gradient_of)(std::size_t sample, const tutti::training::shared_weights& weights,
                               tutti::training::sparse_step& to)) {
    namespace training = tutti::training;
    training::shared_weights weights(features);
    training::hogwild(
        weights, {.threads = 4, .steps = samples / 4, .rate = 0.1F},
        [&](int thread, std::size_t step, const training::shared_weights& now, training::sparse_step& to) {
            gradient_of(step * 4 + static_cast<std::size_t>(thread), now, to);
        });
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

using computes = tutti::training::sandblaster::replica<world_over_tcp>::computes;

void sandblast(const world_over_tcp& world, std::uint64_t steps, std::uint64_t parameters, const computes& compute,
               std::vector<float> (*first_weights)(tutti::training::server::key_range part));

void sandblast(const world_over_tcp& world, std::uint64_t steps, std::uint64_t parameters, const computes& compute,
               std::vector<float> (*first_weights)(tutti::training::server::key_range part)) {
    namespace sandblaster = tutti::training::sandblaster;
    const sandblaster::crew_links links(world, {.parameters = parameters, .shards = {0, 1}, .replicas = {2, 3, 4, 5}});
    if (links.coordinates()) { // rank 0, unless the crew says otherwise
        sandblaster::coordinator boss(links, first_weights(links.part(0)));
        sandblaster::lbfgs method(boss);
        for (std::uint64_t step = 0; step < steps; ++step)
            method.step([&](sandblaster::vector_id x, sandblaster::vector_id gradient) {
                double loss = 0;
                for (const auto& portion : boss.evaluate(x, {.portions = 32}, gradient)) loss += portion.loss;
                return loss;
            });
        boss.finish();
    } else if (links.shard() >= 0) {
        sandblaster::shard_server(links, first_weights(links.part(1))).serve();
    } else {
        sandblaster::replica(links).run(compute); // (portion, weights, gradient, is_outdated) -> its loss
    }
}

void pour_down(const world_over_tcp& world, const tutti::training::server::store_layout& layout,
               const tutti::training::server::links<world_over_tcp>& links, std::size_t steps, std::size_t parameters,
               std::span<float> gradients,
               void (*backward)(std::span<const float> weights, std::span<float> gradients));

void pour_down(const world_over_tcp& world, const tutti::training::server::store_layout& layout,
               const tutti::training::server::links<world_over_tcp>& links, std::size_t steps, std::size_t parameters,
               std::span<float> gradients,
               void (*backward)(std::span<const float> weights, std::span<float> gradients)) {
    namespace training = tutti::training;
    namespace server = training::server;
    training::warm_start begins(world, layout.workers); // on all ranks
    if (links.server() >= 0) return server::shard_server(links, training::adagrad{}).serve();
    begins.wait(); // the first worker goes on at once
    server::client store(links);
    training::downpour replica(store, parameters, {.fetch = 4, .push = 2, .rate = training::constant{0.1}});
    while (replica.steps() < steps) {
        if (replica.steps() == 100) begins.tell(); // on the first worker: the others begin
        replica.begin();                           // perhaps starts a fetch
        backward(replica.weights(), gradients);
        replica.step(gradients); // perhaps pushes
    }
    begins.tell();
    replica.finish();
    store.close();
}

} // namespace excerpts
