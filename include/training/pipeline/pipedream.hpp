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

namespace detail {

/// One forward, one backward in turn, and an update after each backward. Microbatch m on the worker uses the weights
/// from before the last `delay` of the m updates that precede its own.
[[nodiscard]] TUTTI_CONSTEXPR std::vector<step> update_always(const shape& s, int worker, int delay) {
    const auto version = [delay](int m) { return std::max(0, m - delay); };
    step_writer w(s, worker);
    alternate(
        s.microbatches, s.stages - 1 - worker, [&](int m) { w.forward(m, 0, version(m)); },
        [&](int m) {
            w.backward(m, 0, version(m));
            w.update(m + 1);
        });
    return std::move(w).finish();
}

} // namespace detail

/// Asynchronous: each microbatch is a minibatch of its own, and updates the weights right after its backward. The
/// pipeline never empties. A worker keeps (stashes) the weights of a forward for its backward. S stages, M
/// microbatches, stage s from 0.
///
/// The rule: update m+1 of stage s applies the gradient of microbatch m to version m. It was computed, forwards and
/// backwards, with version max(0, m - (S-1-s)). So the stages use different versions for one microbatch.
///
/// | bubble | activations | versions | staleness |
/// |---|---|---|---|
/// | none but at the start and the end | S-s, at most M | S-s, at most M | S-1-s, at most M-1 |
///
/// Source: Narayanan et al., PipeDream: Generalized Pipeline Parallelism for DNN Training, SOSP 2019.
struct pipedream {
    static constexpr std::string_view name = "pipedream"; ///< as tools know it
    static constexpr bool takes_chunks = false;           ///< one chunk a worker
    static constexpr bool one_version = false;            ///< as promise::one_version

    /// The list of one worker.
    [[nodiscard]] static TUTTI_CONSTEXPR std::vector<step> steps(const shape& s, int worker) {
        return detail::update_always(s, worker, s.stages - 1 - worker);
    }
    /// What one worker holds at most.
    [[nodiscard]] static constexpr figures promises(const shape& s, int worker) noexcept {
        const int behind = std::min(s.microbatches, s.stages - worker);
        return {behind, behind, behind - 1};
    }
};

/// pipedream with vertical sync: all stages use the version that the first one uses. The rule: the gradient of
/// microbatch m was computed with version max(0, m - (S-1)) everywhere. So gradients are those of one model, which
/// costs more versions and staleness: S, at most M, and S-1, at most M-1, on each stage.
///
/// Source: as of pipedream.
struct pipedream_vertical_sync {
    static constexpr std::string_view name = "pipedream_vertical_sync"; ///< as tools know it
    static constexpr bool takes_chunks = false;                         ///< one chunk a worker
    static constexpr bool one_version = true;                           ///< as promise::one_version

    /// The list of one worker.
    [[nodiscard]] static TUTTI_CONSTEXPR std::vector<step> steps(const shape& s, int worker) {
        return detail::update_always(s, worker, s.stages - 1);
    }
    /// What one worker holds at most.
    [[nodiscard]] static constexpr figures promises(const shape& s, int worker) noexcept {
        const int kept = std::min(s.microbatches, s.stages);
        return {std::min(s.microbatches, s.stages - worker), kept, kept - 1};
    }
};

} // namespace tutti::training::pipeline
