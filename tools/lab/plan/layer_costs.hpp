// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cost.hpp"

#include <vector>

namespace tutti::tools::planner {

/// Seconds of one microbatch, and bytes, on one GPU of a layout.
struct layer_cost {
    double compute_s = 0;
    double again_s = 0;
    double tensor_s = 0;
    double cut_s = 0; ///< handing over, forward and backward, where a stage begins with this layer
    double parameters = 0;
    double kept = 0; ///< bytes of activations

    [[nodiscard]] double busy_s() const noexcept { return compute_s + again_s + tensor_s; }
    /// Thereof in the backward pass, in which layers are computed again too.
    [[nodiscard]] double backward_s() const noexcept { return again_s + (compute_s + tensor_s) * 2 / 3; }
};

/// Sums of layers [first, last) in constant time.
class layer_costs {
public:
    layer_costs(const layout& how, const question& q, group_prices& prices);

    [[nodiscard]] layer_cost of(int first, int last) const noexcept;
    /// A stage's time for a microbatch: its layers, and what it hands over at both ends.
    [[nodiscard]] double stage_s(int first, int last) const noexcept;
    [[nodiscard]] int layers() const noexcept { return static_cast<int>(sums_.size()) - 1; }
    /// The most that any layer needs while it is computed again, gathered, or has gradients that are not reduced.
    [[nodiscard]] double work_bytes() const noexcept { return work_; }

private:
    std::vector<layer_cost> sums_; ///< of the layers before each; cut_s is of the layer itself
    double work_ = 0;
};

/// The ranks that share a layer; those that average gradients.
[[nodiscard]] group tensor_group(const layout& how, const cluster& on);
[[nodiscard]] group data_group(const layout& how, const cluster& on);

} // namespace tutti::tools::planner
