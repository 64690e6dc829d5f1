// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "cut_layers.hpp"

#include <tutti/transport/tcp.hpp>

int main() {
    const tutti::communicator world{tutti::transport::tcp::from_environment()};
    const auto cut = cut_of(world.rank(), world.size(), small::layers / 2);
    const std::vector<float> first = small::first_weights();
    std::vector<float> weights(cut.part()), gradients(cut.part());
    cut.take(small::view(first), small::room(weights));

    const small::examples all = small::rows_from(0, small::rows);
    const std::size_t half = cut.part() / 2;
    std::vector<cut_layers> pairs(2, {{}, {}, {}, small::width / static_cast<std::size_t>(world.size())});
    std::vector<float> dy(all.x.size());
    for (int step = 0; step < small::steps; ++step) {
        std::ranges::fill(gradients, 0.F);
        pairs[0].forward(world, small::view(weights).first(half), all.x);
        pairs[1].forward(world, small::view(weights).last(half), pairs[0].y);
        small::error_of(pairs[1].y, all.target, dy, small::rows);
        pairs[1].backward(world, small::view(weights).last(half), dy, small::room(gradients).last(half));
        pairs[0].backward(world, small::view(weights).first(half), dy, small::room(gradients).first(half));
        for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= static_cast<float>(small::rate) * gradients[i];
    }

    std::vector<float> whole = small::serial();
    cut.put(small::view(weights), small::room(whole)); // this rank's part is compared, the rest is the serial run's
    return small::compare("tensor-parallel", whole, 0, world.rank() == 0);
}
