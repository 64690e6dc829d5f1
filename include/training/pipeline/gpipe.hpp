// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "promise.hpp"
#include "step_writer.hpp"

#include "../../base/language.hpp"

#include <string_view>
#include <vector>

namespace tutti::training::pipeline {

/// All forwards, then all backwards, then one update: large-batch SGD. S stages, M microbatches.
///
/// | bubble | activations | versions | staleness |
/// |---|---|---|---|
/// | (S-1) / (M+S-1) of the time | M | 1 | 0 |
///
/// Source: Huang et al., GPipe: Efficient Training of Giant Neural Networks using Pipeline Parallelism, NeurIPS 2019.
/// They draw the backwards in reverse. Here microbatch 0 is first, so that sums of gradients have the same order, and
/// the same bits, as in the other schedules.
struct gpipe {
    static constexpr std::string_view name = "gpipe"; ///< as tools know it
    static constexpr bool takes_chunks = false;       ///< one chunk a worker
    static constexpr bool one_version = true;         ///< as promise::one_version

    /// The list of one worker.
    [[nodiscard]] static TUTTI_CONSTEXPR std::vector<step> steps(const shape& s, int worker) {
        step_writer w(s, worker);
        for (int m = 0; m < s.microbatches; ++m) w.forward(m, 0, 0);
        for (int m = 0; m < s.microbatches; ++m) w.backward(m, 0, 0);
        w.update(1);
        return std::move(w).finish();
    }
    /// What one worker holds at most.
    [[nodiscard]] static constexpr figures promises(const shape& s, int) noexcept { return {s.microbatches, 1, 0}; }
};

} // namespace tutti::training::pipeline
