// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "efficiency.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/model/simulate.hpp>
#include <training/buckets/bucket_plan.hpp>

#include <algorithm>
#include <cmath>

namespace tutti::tools::study {
namespace {

/// Of the network's layers, in forward order.
training::bucket_plan buckets_of(const planner::network& net) {
    std::vector<training::parameter> layers;
    for (const planner::layer& l : net.layers)
        layers.push_back({l.name, static_cast<std::size_t>(std::llround(l.parameters))});
    return {layers, {}};
}

/// Since the backward pass began, when the gradients of layers `first` and later are complete.
double ready_s(const planner::network& net, std::size_t first, double backward_s) {
    double flop = 0;
    for (std::size_t l = first; l < net.layers.size(); ++l) flop += net.layers[l].matrix_flop;
    return backward_s * flop / net.matrix_flop();
}

double allreduce_s(const algorithm::any& how, int gpus, std::size_t elements, const planner::cluster& on) {
    const algorithm::any here = how.with_ranks_per_node(std::min(on.gpus_per_node, gpus));
    const model::collective call{
        schedule::operation::allreduce, here, gpus, elements * sizeof(float), 0, 1, true, sizeof(float)};
    return model::simulate(call, on.links, on.gpus_per_node).finish_s;
}

double step_s(const algorithm::any& how, int gpus, const planner::network& net, const planner::cluster& on,
              const step_shape& step) {
    const training::bucket_plan plan = buckets_of(net);
    double end_s = 0;
    for (const training::bucket& b : plan.buckets())
        end_s = std::max(end_s, ready_s(net, b.first, step.backward_s)) + allreduce_s(how, gpus, b.count, on);
    return step.step_s - step.backward_s + std::max(step.backward_s, end_s);
}

} // namespace

scaling scaling_of(const algorithm::any& how, const planner::network& net, const planner::cluster& on,
                   const step_shape& step) {
    scaling found{std::string(how.name()), {}};
    for (int nodes = 1; nodes <= on.nodes; nodes *= 2) {
        const int gpus = nodes * on.gpus_per_node;
        const double now_s = step_s(how, gpus, net, on, step);
        found.steps.push_back({gpus, now_s, found.steps.empty() ? 1 : found.steps.front().step_s / now_s});
    }
    return found;
}

} // namespace tutti::tools::study
