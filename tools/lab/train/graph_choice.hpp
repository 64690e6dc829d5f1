// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <training/gossip/graph.hpp>

#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

namespace tutti::tools {

/// One of the graphs, as a graph itself.
struct graph_choice {
    std::variant<training::gossip::ring, training::gossip::torus, training::gossip::exponential,
                 training::gossip::one_peer_exponential>
        of;

    [[nodiscard]] std::vector<int> targets(int rank, int size, std::size_t round) const {
        return std::visit([&](const auto& g) { return g.targets(rank, size, round); }, of);
    }
    [[nodiscard]] std::size_t period(int size) const {
        return std::visit([&](const auto& g) { return g.period(size); }, of);
    }
};

/// What --graph says.
[[nodiscard]] inline graph_choice graph_of(const std::string& name) {
    if (name == "ring") return {training::gossip::ring{}};
    if (name == "torus") return {training::gossip::torus{}};
    if (name == "exponential") return {training::gossip::exponential{}};
    if (name == "one-peer") return {training::gossip::one_peer_exponential{}};
    throw std::invalid_argument("there is no graph " + name);
}

} // namespace tutti::tools
