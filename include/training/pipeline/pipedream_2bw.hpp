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

/// Asynchronous, with two versions of the weights (double-buffered): gradients of S microbatches, a batch, are summed
/// up for an update, and the pipeline never empties. S stages, M microbatches, stage s from 0. The last batch may be
/// smaller.
///
/// The rule: update t+1 applies the gradients of batch t to version t. They were computed, forwards and backwards and
/// on all stages, with version max(0, t-1).
///
/// | bubble | activations | versions | staleness |
/// |---|---|---|---|
/// | none but at the start and the end | S-s, at most M | 2 | 1 |
///
/// Source: Narayanan et al., Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021.
struct pipedream_2bw {
    static constexpr std::string_view name = "pipedream_2bw"; ///< as tools know it
    static constexpr bool takes_chunks = false;               ///< one chunk a worker
    static constexpr bool one_version = true;                 ///< as promise::one_version

    /// The list of one worker.
    [[nodiscard]] static TUTTI_CONSTEXPR std::vector<step> steps(const shape& s, int worker) {
        const auto version = [&](int m) { return std::max(0, m / s.stages - 1); };
        step_writer w(s, worker);
        detail::alternate(
            s.microbatches, s.stages - 1 - worker, [&](int m) { w.forward(m, 0, version(m)); },
            [&](int m) {
                w.backward(m, 0, version(m));
                if ((m + 1) % s.stages == 0 || m + 1 == s.microbatches) w.update(m / s.stages + 1);
            });
        return std::move(w).finish();
    }
    /// What one worker holds at most.
    [[nodiscard]] static constexpr figures promises(const shape& s, int worker) noexcept {
        const int later = s.microbatches > s.stages ? 1 : 0; // there is a second batch
        return {std::min(s.microbatches, s.stages - worker), 1 + later, later};
    }
};

} // namespace tutti::training::pipeline
