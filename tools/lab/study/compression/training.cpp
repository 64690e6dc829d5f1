// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "training.hpp"

#include "../../train/compressor_choice.hpp"
#include "../../train/layer_pass.hpp"
#include "../../train/network/mlp.hpp"
#include "../learner.hpp"

#include <collectives/any_communicator.hpp>
#include <collectives/simulated_machine.hpp>
#include <training/compressed/dense_traffic.hpp>
#include <training/optimizer.hpp>
#include <transport/memory.hpp>
#include <transport/simulated.hpp>

#include <algorithm>
#include <functional>
#include <optional>

namespace tutti::tools::study::compression {
namespace {

using training::compressed::traffic;

const algorithm::any plain_way = algorithm::halving_doubling{};

/// Averages the gradients of ranks, with or without a compressor.
class averager {
public:
    averager(std::string_view way, std::uint64_t seed) {
        if (!way.empty()) by_ = compressor_of(std::string(way), seed);
    }
    traffic average(const any_communicator& ranks, std::span<float> gradient) {
        if (by_) {
            sent_.resize(gradient.size());
            return by_->average(ranks, gradient, sent_);
        }
        ranks.allreduce(gradient, tutti::average, plain_way);
        return training::compressed::allreduce_traffic(plain_way, ranks, gradient.size());
    }

private:
    std::optional<compressor_choice> by_;
    std::vector<float> sent_;
};

neural::network network_of(const design& d, std::size_t pixels) { return neural::mlp({pixels, d.hidden, 10}); }

/// Some steps of all ranks. told(steps, weights, bytes) hears on rank 0 of each.
void train(const design& d, std::string_view way, std::uint64_t seed, const dataset& pictures,
           transport::simulated_world& world, std::size_t steps,
           const std::function<void(std::size_t, std::span<const float>, std::uint64_t)>& told) {
    const neural::network network = network_of(d, pictures.pixels);
    world.run([&](transport::simulated end) {
        const any_communicator ranks = type_erased(communicator{std::move(end)});
        const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
        learner own(network, pictures, {rank, size}, d.batch, seed);
        averager together(way, seed);
        std::vector<float> weights(network.parameters()), gradient(weights.size());
        network.initialise(network.all(), weights, seed);
        training::optimizer optimizer(layer_pass::parameters_of(network, network.all()), training::sgd{});
        for (std::size_t step = 1; step <= steps; ++step) {
            static_cast<void>(own.gradient(weights, gradient));
            const traffic sent = together.average(ranks, gradient);
            optimizer.step(d.rate, std::span(weights), std::span<const float>(gradient));
            if (rank == 0) told(step, weights, sent.bytes);
        }
    });
}

/// The median of some calls of a way to average, on one rank.
double alone_s(std::string_view way, std::size_t elements) {
    const auto world = transport::memory_world::create(1);
    const any_communicator alone = type_erased(communicator{transport::memory{world, 0}});
    averager together(way, 1);
    std::vector<double> times;
    for (std::uint64_t call = 0; call < 15; ++call) {
        const training::compressed::draws random(1, call);
        std::vector<float> gradient(elements);
        for (std::size_t i = 0; i < elements; ++i) gradient[i] = 2 * random.unit(i) - 1;
        const auto start = std::chrono::steady_clock::now();
        static_cast<void>(together.average(alone, gradient));
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::ranges::nth_element(times, times.begin() + 7);
    return times[7];
}

} // namespace

training_found trained(const design& d, std::string_view way, std::uint64_t seed, const dataset& training,
                       const dataset& testing) {
    constexpr std::size_t judged_of_training = 4096;
    transport::simulated_options free;
    free.size = d.ranks;
    const auto world = transport::simulated_world::create(free);
    const neural::network network = network_of(d, training.pixels);
    training_found found;
    train(d, way, seed, training, *world, d.steps,
          [&](std::size_t step, std::span<const float> weights, std::uint64_t bytes) {
              found.bytes += static_cast<double>(bytes) / static_cast<double>(d.steps);
              if (step % (d.steps / d.looks) != 0) return;
              found.looks.push_back({static_cast<double>(step),
                                     worth_of(network, weights, training, judged_of_training).loss,
                                     worth_of(network, weights, testing, testing.size()).error});
          });
    return found;
}

double network_s(const design& d, std::string_view way, double mbit_s, const dataset& training) {
    const auto world = transport::simulated_world::create(simulated_options_of(machine_of(d, mbit_s), d.ranks, 1));
    train(d, way, 1, training, *world, d.timed_steps, [](std::size_t, std::span<const float>, std::uint64_t) {});
    return std::chrono::duration<double>(world->now()).count() / static_cast<double>(d.timed_steps);
}

double coding_s(const design& d, std::string_view way, std::size_t pixels) {
    if (way.empty()) return 0;
    const std::size_t elements = network_of(d, pixels).parameters();
    return std::max(0., alone_s(way, elements) - alone_s("", elements));
}

} // namespace tutti::tools::study::compression
