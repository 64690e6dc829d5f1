// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../plan/cluster.hpp"
#include "../../plan/network.hpp"

#include <collectives/algorithm/any.hpp>

#include <string>
#include <vector>

namespace tutti::tools::study {

/// A step of synchronous SGD on one GPU, without communication.
struct step_shape {
    double step_s = 0;
    double backward_s = 0; ///< the end of it, in which gradients become ready
};

/// A step on so many GPUs.
struct scaled_step {
    int gpus = 0;
    double step_s = 0;
    double efficiency = 0; ///< images/s a GPU, by those on the GPUs of one node
};

/// An algorithm on 1, 2, 4 ... nodes.
struct scaling {
    std::string algorithm;
    std::vector<scaled_step> steps;
};

/// Simulates steps on the nodes of a cluster, from one to all, doubled each time. Gradients are float, and travel in
/// the buckets of gradient_buckets, one after the other, while the backward pass computes. A layer takes its share of
/// that pass by its matrix FLOP. What its end does not hide makes the step longer. A hierarchical algorithm on one node
/// is its part within nodes. Source of the arrangement: Goyal et al. 2017, section 4.
[[nodiscard]] scaling scaling_of(const algorithm::any& how, const planner::network& net, const planner::cluster& on,
                                 const step_shape& step);

} // namespace tutti::tools::study
