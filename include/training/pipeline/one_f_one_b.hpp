// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "promise.hpp"
#include "step_writer.hpp"

#include "../../base/language.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace tutti::training::pipeline {

/// One forward, one backward in turn, after as many forwards as fill the pipeline behind the worker; then one update.
/// It takes as long as gpipe and gives the same sums, but holds fewer activations. S stages, M microbatches, stage s
/// from 0.
///
/// | bubble | activations | versions | staleness |
/// |---|---|---|---|
/// | (S-1) / (M+S-1) of the time | S-s, at most M | 1 | 0 |
///
/// Source: PipeDream-Flush in Narayanan et al., Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021.
struct one_f_one_b {
    static constexpr std::string_view name = "one_f_one_b"; ///< as tools know it
    static constexpr bool takes_chunks = false;             ///< one chunk a worker
    static constexpr bool one_version = true;               ///< as promise::one_version

    /// The list of one worker.
    [[nodiscard]] static TUTTI_CONSTEXPR std::vector<step> steps(const shape& s, int worker) {
        step_writer w(s, worker);
        detail::alternate(
            s.microbatches, s.stages - 1 - worker, [&](int m) { w.forward(m, 0, 0); },
            [&](int m) { w.backward(m, 0, 0); });
        w.update(1);
        return std::move(w).finish();
    }
    /// What one worker holds at most.
    [[nodiscard]] static constexpr figures promises(const shape& s, int worker) noexcept {
        return {std::min(s.microbatches, s.stages - worker), 1, 0};
    }
};

} // namespace tutti::training::pipeline
