// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "cut_layers.hpp"

#include <tutti/training/gradient_buckets.hpp>
#include <tutti/training/pipeline/all.hpp>
#include <tutti/training/pipeline/run.hpp>
#include <tutti/transport/tcp.hpp>

namespace training = tutti::training;

int main() {
    const tutti::communicator world{tutti::transport::tcp::from_environment()};
    if (world.size() != 8) return std::fputs("it takes 8 ranks: 2 replicas of 2 stages of 2 ranks\n", stderr), 2;
    const int me = world.rank();
    const auto of_stage = world.split(me / 2);              // the 2 ranks that share a stage's layers
    const auto pipeline = world.split(me / 4 * 2 + me % 2); // the 2 stages of a replica
    const auto replicas = world.split(me % 4);              // the 2 ranks with the same weights
    const auto stage = static_cast<std::size_t>(pipeline.rank()), replica = static_cast<std::size_t>(replicas.rank());

    const auto cut = cut_of(of_stage.rank(), of_stage.size(), 1);
    const std::size_t pair_size = 2 * small::layer_size;
    const std::vector<float> first = small::first_weights();
    std::vector<float> weights(cut.part());
    cut.take(small::view(first).subspan(stage * pair_size, pair_size), small::room(weights));
    training::gradient_buckets buckets(replicas, {{"pair", cut.part()}});

    constexpr int parts = 4; // microbatches of a replica
    constexpr std::size_t own = small::rows / 2, part = own / parts * small::width;
    const auto program = training::pipeline::by_name("one_f_one_b").write({pipeline.size(), parts, 1});
    training::pipeline::runner<float, std::decay_t<decltype(world)>> runner(pipeline, program, {part});
    const small::examples mine = small::rows_from(replica * own, own);
    std::vector<cut_layers> kept(static_cast<std::size_t>(runner.held().activations),
                                 {{}, {}, {}, small::width / static_cast<std::size_t>(of_stage.size())});
    const auto of = [](const std::vector<float>& data, int microbatch) {
        return small::view(data).subspan(static_cast<std::size_t>(microbatch) * part, part);
    };

    const auto forward = [&](const training::pipeline::work& w, small::view in, small::room out) {
        cut_layers& layers = kept[static_cast<std::size_t>(w.slot)];
        layers.forward(of_stage, weights, stage == 0 ? of(mine.x, w.microbatch) : in);
        if (stage == 0) std::ranges::copy(layers.y, out.begin());
    };
    const auto backward = [&](const training::pipeline::work& w, small::view, small::view, small::view out_slope,
                              small::room in_slope) {
        const cut_layers& layers = kept[static_cast<std::size_t>(w.slot)];
        std::vector<float> dy(out_slope.begin(), out_slope.end());
        if (stage == 1) {
            dy.resize(part);
            small::error_of(layers.y, of(mine.target, w.microbatch), dy, own);
        }
        layers.backward(of_stage, weights, dy, buckets.gradient(0));
        if (stage == 1) std::ranges::copy(dy, in_slope.begin());
    };
    const auto update = [&](int) { // once the gradients of both replicas are averaged
        buckets.ready(0);
        buckets.finish();
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] -= static_cast<float>(small::rate) * buckets.gradients()[i];
        std::ranges::fill(buckets.gradients(), 0.F);
    };
    for (int step = 0; step < small::steps; ++step) runner.run(forward, backward, update);

    std::vector<float> whole = small::serial();
    cut.put(small::view(weights), small::room(whole).subspan(stage * pair_size, pair_size));
    return small::compare("2 x 2 x 2 ranks", whole, 0, me == 0);
}
