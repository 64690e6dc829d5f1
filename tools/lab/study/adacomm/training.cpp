// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "training.hpp"

#include "../../train/layer_pass.hpp"
#include "../../train/network/mlp.hpp"
#include "../../train/period_choice.hpp"
#include "../learner.hpp"

#include <collectives/algorithm/ring.hpp>
#include <collectives/any_communicator.hpp>
#include <collectives/simulated_machine.hpp>
#include <training/local_sgd.hpp>
#include <training/optimizer.hpp>
#include <transport/simulated.hpp>

#include <limits>

namespace tutti::tools::study::adacomm {
namespace {

constexpr std::size_t judged_of_training = 4096;

/// What all ranks of a training use. They are fibers of one thread.
struct bench {
    const design& d;
    const neural::network network;
    const dataset &training, &testing;
    const std::uint64_t seed;
    const std::shared_ptr<transport::simulated_world> world;
    std::vector<look> looks{};
    /// Rank 0 sets it once, one period ahead: no rank passes the average of that step without rank 0.
    std::size_t last_step = std::numeric_limits<std::size_t>::max();

    [[nodiscard]] double now_s() const { return std::chrono::duration<double>(world->now()).count(); }

    /// Rank 0, with the average.
    void see(std::span<const float> weights, std::size_t steps, std::size_t tau) {
        const double now = now_s();
        if (now < d.budget_s * static_cast<double>(looks.size()) / static_cast<double>(d.looks)) return;
        const worth known = worth_of(network, weights, training, judged_of_training);
        const worth tested = worth_of(network, weights, testing, testing.size());
        looks.push_back({now, static_cast<double>(steps), known.loss, tested.error, static_cast<double>(tau)});
        if (now >= d.budget_s && last_step > steps + tau) last_step = steps + tau;
    }
};

template <class Period>
void train_as_rank(bench& all, const any_communicator& ranks, const Period& period, training::slow_momentum outer) {
    const auto rank = static_cast<std::size_t>(ranks.rank()), size = static_cast<std::size_t>(ranks.size());
    learner own(all.network, all.training, {rank, size}, all.d.batch, all.seed);
    std::vector<float> weights(all.network.parameters()), gradient(weights.size());
    all.network.initialise(all.network.all(), weights, all.seed);
    training::optimizer optimizer(layer_pass::parameters_of(all.network, all.network.all()), training::sgd{});
    training::local_sgd local(ranks, weights, period, outer, algorithm::any(algorithm::ring{}));
    if (rank == 0) all.see(weights, 0, local.tau());
    for (std::size_t step = 1; step <= all.last_step; ++step) {
        all.world->compute(all.d.takes.of(ranks.rank(), step));
        const double loss = own.gradient(weights, gradient);
        optimizer.step(all.d.rate, std::span(weights), std::span<const float>(gradient));
        if (local.step(weights, loss, all.d.rate) && rank == 0) all.see(weights, step, local.tau());
    }
}

} // namespace

std::vector<look> trained(const design& d, const strategy& by, std::uint64_t seed, const dataset& training,
                          const dataset& testing) {
    bench all{
        d,        neural::mlp({training.pixels, d.hidden, 10}),
        training, testing,
        seed,     transport::simulated_world::create(simulated_options_of(tutti::model::uniform(d.link), d.ranks, 1))};
    all.world->run([&](transport::simulated end) {
        const any_communicator ranks = type_erased(communicator{std::move(end)});
        std::visit([&](const auto& period) { train_as_rank(all, ranks, period, {.kept = by.slow_momentum}); },
                   averaging_period_of(by.period));
    });
    return all.looks;
}

} // namespace tutti::tools::study::adacomm
