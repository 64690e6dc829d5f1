// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../collectives/broadcast.hpp"
#include "../collectives/request.hpp"

#include <span>
#include <utility>
#include <vector>

namespace tutti::training {

/// Gives all ranks the parameters of one, so that they begin with the same weights. Collective. The same lengths on all
/// ranks. Errors and cost: as of broadcast.
template <class Communicator>
void broadcast_parameters(const Communicator& world, std::span<float> parameters, int root = 0) {
    world.broadcast(parameters, root);
}
/// The same of arrays that lie apart, such as those of a model's layers.
template <class Communicator>
void broadcast_parameters(const Communicator& world, std::span<const std::span<float>> parameters, int root = 0) {
    using request = decltype(world.async().broadcast(std::declval<std::span<float>&>(), root));
    std::vector<request> calls;
    for (std::span<float> one : parameters) calls.push_back(world.async().broadcast(one, root));
    wait_all(calls);
}

} // namespace tutti::training
