// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "layout.hpp"
#include "network.hpp"

#include <algorithm>

namespace tutti::tools::planner {

/// Bytes of one GPU.
struct memory_use {
    double weights = 0;
    double gradients = 0;
    double optimizer = 0;
    double activations = 0; ///< kept for the backward pass, of all microbatches in flight, and of one layer at work

    [[nodiscard]] constexpr double total() const noexcept { return weights + gradients + optimizer + activations; }
};

/// Of so many parameters, mixed precision with Adam: 2 bytes each of weight and gradient, and 12 of master weight,
/// momentum and variance. Source: Rajbhandari et al., ZeRO, SC 2020, section 3.
[[nodiscard]] constexpr memory_use state_bytes(double parameters, int zero, int data) noexcept {
    const auto share = [&](int from) { return zero >= from ? parameters / data : parameters; };
    return {2 * share(3), 2 * share(2), 12 * share(1), 0};
}

/// What a layer keeps of one sample on one tensor rank.
[[nodiscard]] inline double kept_bytes(const layer& l, int tensor, recompute again) noexcept {
    if (again == recompute::all && l.recomputed) return l.output_bytes; // as long as its input
    const double core = again == recompute::nothing ? l.core_kept_bytes : 0;
    return l.kept_bytes + (l.shared_kept_bytes + core) / tensor;
}

/// What a layer needs on top while its backward pass computes it again.
[[nodiscard]] inline double work_bytes(const layer& l, int tensor, recompute again) noexcept {
    return kept_bytes(l, tensor, recompute::nothing) - kept_bytes(l, tensor, again);
}

/// What is whole of a layer of so many parameters while it is at work, although it is sharded. From level 2 on that are
/// its gradients, until they are reduced. At level 3 it is its weights too, and those of the next layer, which are
/// gathered ahead. Source: BACKWARD_PRE of PyTorch FSDP; Zhao et al., VLDB 2023, section 3.3.
[[nodiscard]] constexpr double whole_bytes(double parameters, int zero) noexcept {
    return element_bytes * parameters * ((zero >= 3 ? 2 : 0) + (zero >= 2 ? 1 : 0));
}

/// Microbatches whose activations a stage holds at once, at most: 1F1B, and interleaved with `chunks` > 1, in units of
/// the whole stage. Source: Narayanan et al. 2021, section 2.2; Korthikanti et al. 2022, section 4.2.3. A timeline of
/// the schedule would count the same from its steps.
[[nodiscard]] constexpr double in_flight(int stage, int stages, int microbatches, int chunks) noexcept {
    if (chunks == 1) return std::min(stages - stage, microbatches);
    const int warm_up = 2 * (stages - stage - 1) + (chunks - 1) * stages;
    return std::min(warm_up + 1., 1. * microbatches * chunks) / chunks;
}

} // namespace tutti::tools::planner
