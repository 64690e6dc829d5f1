// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../plan/cluster.hpp"
#include "compute_law.hpp"
#include "step_compute.hpp"
#include "train.hpp"

#include <collectives/simulated_machine.hpp>
#include <transport/simulated.hpp>

#include <memory>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {

/// The simulated ranks of a training, and how long each computes in a step.
struct virtual_cluster {
    transport::compute_time takes;
    std::shared_ptr<transport::simulated_world> world;

    /// Of a rank. The cluster must outlive it.
    [[nodiscard]] step_compute computing(int rank) const {
        return {
            [this, rank](std::size_t step) { return takes.of(rank, step); },
            [this](std::chrono::nanoseconds time, const std::function<void()>& work) { world->compute(time, work); }};
    }
};

/// Of `virtual_ranks` ranks, whose work has so many helpers (simulated_options::helpers). Throws std::invalid_argument
/// where --compute, --stragglers or --cluster says nothing that is understood, or the slow rank is none of them.
[[nodiscard]] inline virtual_cluster virtual_cluster_of(const train_settings& s, int helpers = -1) {
    const auto takes = compute_time_of(s.compute, s.stragglers, s.seed);
    if (takes.slow_rank >= s.virtual_ranks)
        throw std::invalid_argument(
            fmt::format("--stragglers '{}': ranks are 0 to {}", s.stragglers, s.virtual_ranks - 1));
    const auto cluster = planner::cluster_of(s.cluster);
    auto options = simulated_options_of(cluster.links, s.virtual_ranks, cluster.gpus_per_node);
    options.helpers = helpers;
    return {takes, transport::simulated_world::create(std::move(options))};
}

} // namespace tutti::tools
