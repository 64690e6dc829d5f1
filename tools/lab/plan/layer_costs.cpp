// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "layer_costs.hpp"

#include <algorithm>

namespace tutti::tools::planner {
namespace {

/// In the backward pass twice the products. Of the fused kernels of a block (gpt.cpp) the backward ones move 58 bytes
/// where the forward ones move 38.
constexpr double backward_flop = 2, backward_moved = 1.5;
/// A gradient of a microbatch is written, and added to the sum: 2 bytes each of 3 accesses.
constexpr double gradient_access_bytes = 6;

struct gpu_times {
    const accelerator& gpu;
    double samples, tensor;

    [[nodiscard]] double products_s(double flop) const {
        return samples * flop / tensor / (gpu.flop_per_s * gpu.matrix_efficiency);
    }
    [[nodiscard]] double moving_s(double whole, double shared) const {
        return samples * (whole + shared / tensor) / gpu.memory_bytes_per_s;
    }
    [[nodiscard]] double forward_s(const layer& l) const {
        return products_s(l.matrix_flop) + moving_s(l.moved_bytes, l.shared_moved_bytes + l.core_moved_bytes);
    }
    [[nodiscard]] double backward_s(const layer& l) const {
        return backward_flop * products_s(l.matrix_flop) +
               backward_moved * moving_s(l.moved_bytes, l.shared_moved_bytes + l.core_moved_bytes) +
               gradient_access_bytes * l.parameters / tensor / gpu.memory_bytes_per_s;
    }
    [[nodiscard]] double again_s(const layer& l, recompute again) const {
        if (again == recompute::all && l.recomputed) return forward_s(l);
        return again == recompute::nothing ? 0 : products_s(l.core_flop) + moving_s(0, l.core_moved_bytes);
    }
};

/// An activation forward and its gradient backward. Between nodes each tensor rank sends a part, and they gather the
/// whole afterwards. Source: Narayanan et al. 2021, section 4.1.
double hand_over_s(double bytes, const layout& how, const cluster& on, group_prices& prices) {
    if (how.gpus() <= on.gpus_per_node) return 2 * prices.within_node_s(bytes);
    const double gather_s =
        how.tensor > 1 ? prices.of(schedule::operation::allgather, bytes, tensor_group(how, on)).seconds : 0;
    return 2 * (prices.between_nodes_s(bytes / how.tensor) + gather_s);
}

double tensor_s(const layer& l, const layout& how, const cluster& on, group_prices& prices) {
    const bool twice = how.again == recompute::all && l.recomputed;
    const int calls = (twice ? 2 : 1) * l.reduces_forward + l.reduces_backward;
    if (how.tensor == 1 || calls == 0) return 0;
    return calls *
           prices.of(schedule::operation::allreduce, how.samples * l.output_bytes, tensor_group(how, on)).seconds;
}

} // namespace

group tensor_group(const layout& how, const cluster& on) {
    return {how.tensor, std::min(how.tensor, on.gpus_per_node)};
}

group data_group(const layout& how, const cluster& on) {
    return {how.data, std::clamp(on.gpus_per_node / how.tensor, 1, how.data)};
}

layer_costs::layer_costs(const layout& how, const question& q, group_prices& prices) : sums_(q.net.layers.size() + 1) {
    const gpu_times times{q.on.gpu, 1. * how.samples, 1. * how.tensor};
    const auto cost_of = [&](const layer& l) -> layer_cost {
        return {times.forward_s(l) + times.backward_s(l),
                times.again_s(l, how.again),
                tensor_s(l, how, q.on, prices),
                how.pipeline == 1 ? 0 : hand_over_s(how.samples * l.output_bytes, how, q.on, prices),
                l.parameters / how.tensor,
                how.samples * kept_bytes(l, how.tensor, how.again)};
    };
    layer_cost one;
    for (std::size_t k = 0; k < q.net.layers.size(); ++k) {
        const layer& l = q.net.layers[k];
        if (k == 0 || l != q.net.layers[k - 1]) one = cost_of(l); // most are like the one before
        const layer_cost& before = sums_[k];
        sums_[k + 1] = {before.compute_s + one.compute_s,   before.again_s + one.again_s,
                        before.tensor_s + one.tensor_s,     one.cut_s,
                        before.parameters + one.parameters, before.kept + one.kept};
        work_ = std::max(work_, how.samples * planner::work_bytes(l, how.tensor, how.again) +
                                    whole_bytes(l.parameters / how.tensor, how.zero));
    }
    sums_.back().cut_s = 0;
}

layer_cost layer_costs::of(int first, int last) const noexcept {
    const layer_cost &from = sums_[static_cast<std::size_t>(first)], &to = sums_[static_cast<std::size_t>(last)];
    return {to.compute_s - from.compute_s, to.again_s - from.again_s,       to.tensor_s - from.tensor_s,
            from.cut_s + to.cut_s,         to.parameters - from.parameters, to.kept - from.kept};
}

double layer_costs::stage_s(int first, int last) const noexcept {
    const layer_cost c = of(first, last);
    return c.busy_s() + c.cut_s;
}

} // namespace tutti::tools::planner
