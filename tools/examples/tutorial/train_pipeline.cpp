// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "small_network.hpp"

#include <tutti/collectives/collectives.hpp>
#include <tutti/training/pipeline/all.hpp>
#include <tutti/training/pipeline/run.hpp>
#include <tutti/transport/tcp.hpp>

namespace pipeline = tutti::training::pipeline;

int main() {
    const tutti::communicator world{tutti::transport::tcp::from_environment()};
    if (world.size() != static_cast<int>(small::layers))
        return std::fputs("it takes 4 ranks: a layer each\n", stderr), 2;
    const auto rank = static_cast<std::size_t>(world.rank());
    const bool is_last = rank + 1 == small::layers;

    constexpr int parts = 8; // microbatches
    constexpr std::size_t part = small::rows / parts * small::width;
    const auto program = pipeline::by_name("one_f_one_b").write({world.size(), parts, 1});
    pipeline::runner<float, std::decay_t<decltype(world)>> runner(world, program, {part, part, part});

    std::vector<float> all = small::first_weights(), gradients(small::layer_size);
    const auto weights = small::layer(all, rank); // of this stage
    const small::examples rows = small::rows_from(0, small::rows);
    const auto slots = static_cast<std::size_t>(runner.held().activations);
    std::vector<std::vector<float>> slopes(slots, std::vector<float>(part)); // by the last output, of a microbatch each
    std::vector<std::vector<float>> outputs = slopes;
    const auto of = [](const std::vector<float>& data, int microbatch) {
        return small::view(data).subspan(static_cast<std::size_t>(microbatch) * part, part);
    };

    const auto forward = [&](const pipeline::work& w, small::view in, small::room out) {
        const auto slot = static_cast<std::size_t>(w.slot);
        const small::room y = is_last ? small::room(outputs[slot]) : out;
        small::linear(rank == 0 ? of(rows.x, w.microbatch) : in, weights, y, small::width);
        small::squash(y);
        if (is_last) small::error_of(y, of(rows.target, w.microbatch), slopes[slot], small::rows);
    };
    const auto backward = [&](const pipeline::work& w, small::view in, small::view out, small::view out_slope,
                              small::room in_slope) {
        const auto slot = static_cast<std::size_t>(w.slot);
        std::vector<float> dy = is_last ? slopes[slot] : std::vector<float>(out_slope.begin(), out_slope.end());
        small::squash_back(is_last ? small::view(outputs[slot]) : out, dy);
        small::linear_back(rank == 0 ? of(rows.x, w.microbatch) : in, weights, dy, in_slope, gradients, small::width);
    };
    const auto update = [&](int) {
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= static_cast<float>(small::rate) * gradients[i];
        std::ranges::fill(gradients, 0.F);
    };
    for (int step = 0; step < small::steps; ++step) runner.run(forward, backward, update);

    return small::compare("pipeline", weights, rank * small::layer_size, rank == 0);
}
