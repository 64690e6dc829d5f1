// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "network/cut_mlp.hpp"
#include "network/cut_transformer.hpp"
#include "task.hpp"
#include "train.hpp"

#include <span>
#include <vector>

namespace tutti::tools {

/// A network to train, and this rank's part of it.
struct model {
    neural::network whole;
    neural::network own;              ///< the same layers, perhaps cut over the ranks of a stage
    training::tensor::weight_cut cut; ///< where the weights of `own` lie in those of `whole`

    /// Of `own`: those that the whole network begins with.
    [[nodiscard]] std::vector<float> first_weights(std::uint64_t seed) const {
        std::vector<float> all(whole.parameters()), part(own.parameters());
        whole.initialise(whole.all(), all, seed);
        cut.take(std::span<const float>(all), std::span(part));
        return part;
    }
};

/// The whole network of these settings, for inputs of so many columns and so many kinds of labels. Throws tutti::error
/// where its shape is none.
[[nodiscard]] inline neural::network whole_network(const train_settings& s, std::size_t columns, std::size_t kinds) {
    if (s.model == "transformer") return neural::transformer({kinds, s.width, s.heads, s.layers, s.context});
    std::vector<std::size_t> widths{columns};
    widths.insert(widths.end(), s.hidden.begin(), s.hidden.end());
    widths.push_back(kinds);
    return neural::mlp(widths);
}

/// The model of these settings for a task, cut over `ranks`. Throws tutti::error where it has no equal parts.
template <class Communicator>
[[nodiscard]] model make_model(const train_settings& s, const task& of, const Communicator& ranks) {
    const auto made = [&](const auto& cut_network, const auto& shape) {
        const neural::network whole = whole_network(s, of.columns(), of.kinds());
        return model{whole, ranks.size() == 1 ? whole : cut_network(shape, ranks), neural::cut_of(shape, ranks)};
    };
    if (s.model == "transformer") {
        const neural::transformer_shape shape{of.kinds(), s.width, s.heads, s.layers, s.context};
        return made(neural::cut_transformer<Communicator>, shape);
    }
    std::vector<std::size_t> widths{of.columns()};
    widths.insert(widths.end(), s.hidden.begin(), s.hidden.end());
    widths.push_back(of.kinds());
    return made(neural::cut_mlp<Communicator>, widths);
}

} // namespace tutti::tools
