// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "gpu_pricing.hpp"

#include "kernels/engine/device_plan.hpp"
#include "pricing.hpp"

#include <collectives/algorithm/all.hpp>
#include <collectives/model/counts.hpp>
#include <collectives/model/gpu/simulate.hpp>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr std::size_t element_bytes = 4;

model::gpu_action action_of(kernels::device_action what) {
    switch (what) {
    case kernels::device_action::combine: return model::gpu_action::combine;
    case kernels::device_action::post: return model::gpu_action::post;
    case kernels::device_action::await_post: return model::gpu_action::await_post;
    case kernels::device_action::acknowledge: return model::gpu_action::acknowledge;
    case kernels::device_action::await_taken: break;
    }
    return model::gpu_action::await_taken;
}

/// A plan of the device engine, as the model takes it.
std::vector<model::gpu_step> steps_of(const kernels::device_plan& plan) {
    std::vector<model::gpu_step> steps;
    for (const kernels::device_step& s : plan.steps) {
        model::gpu_step step{action_of(s.what), s.peer, s.number};
        if (s.what == kernels::device_action::combine) {
            step.bytes = static_cast<double>((s.end - s.first) * element_bytes);
            for (unsigned k = 0; k < s.operands; ++k) step.sources.push_back(plan.operands[s.number + k].rank);
        }
        steps.push_back(std::move(step));
    }
    return steps;
}

/// Elements for so many bytes: one at least, and as many for each rank where blocks are exchanged.
std::size_t elements_for(operation what, int ranks, std::size_t bytes) {
    const std::size_t all = std::max<std::size_t>(1, bytes / element_bytes), n = static_cast<std::size_t>(ranks);
    return what == operation::alltoall ? (all + n - 1) / n * n : all;
}

} // namespace

std::optional<model::gpu_kernel> kernel_named(std::string_view name) noexcept {
    for (const model::gpu_kernel k : model::gpu_kernels)
        if (model::name_of(k) == name) return k;
    return std::nullopt;
}

model_row gpu_pricing::price(operation what, const std::string& algorithm, int ranks, std::size_t bytes) {
    model_row row;
    row.operation = schedule::name_of(what);
    row.algorithm = algorithm;
    row.ranks = ranks;
    row.bytes = bytes;
    if (const auto kernel = kernel_named(algorithm))
        price_kernel(row, *kernel);
    else
        price_schedule(row, what);
    return row;
}

void gpu_pricing::price_kernel(model_row& row, model::gpu_kernel k) const {
    const auto bytes = static_cast<double>(row.bytes);
    const long long sent = std::llround(model::sent_bytes(k, row.ranks, bytes));
    row.bytes_sent_max = row.bytes_received_max = sent;
    row.total_bytes = sent * row.ranks;
    row.fan_in_max = row.ranks - 1;
    row.closed_form_us = 1e6 * model::kernel_s(k, on_, placement(row.ranks), bytes);
    row.closed_form_is_exact = true;
}

void gpu_pricing::price_schedule(model_row& row, operation what) {
    const algorithm::any how = algorithm::by_name(row.algorithm, near_root(row.ranks));
    const bool is_cut = how.most_segments() > 1;
    const std::size_t pieces = std::clamp<std::size_t>(row.bytes / element_bytes / 2, 1, most_cuts);
    const int first = is_cut && segments_ > 0 ? segments_ : 1;
    const int most = is_cut && segments_ == 0 ? static_cast<int>(pieces) : first;
    try {
        for (int k = first; k <= most; k *= 2) {
            const double us = simulated_us(what, how, row, k);
            if (row.simulated_us && us >= *row.simulated_us) continue;
            row.simulated_us = us;
            row.segments = k;
        }
        const model::counts n = model::count({what, how, row.ranks, row.bytes, 0, row.segments, false, 1});
        row.depth = n.depth;
        row.rounds = n.rounds;
        row.messages = n.messages;
        row.bytes_sent_max = n.sent.most;
        row.bytes_received_max = n.received.most;
        row.fan_in_max = n.fan_in;
        row.total_bytes = n.total_bytes;
    } catch (const error& e) {
        row.simulated_us.reset();
        notes_.insert(fmt::format("{}({}): not priced: {}", row.operation, row.algorithm, e.facts().detail));
    }
}

double gpu_pricing::simulated_us(operation what, const algorithm::any& how, const model_row& row, int segments) const {
    const auto plans = kernels::device_plans_of(how.write(what, row.ranks, 0, false, segments),
                                                elements_for(what, row.ranks, row.bytes), element_bytes);
    std::vector<std::vector<model::gpu_step>> steps;
    for (const kernels::device_plan& plan : plans) steps.push_back(steps_of(plan));
    return 1e6 * model::simulate_gpus(on_, placement(row.ranks), steps);
}

} // namespace tutti::tools
