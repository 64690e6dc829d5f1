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

/// One forward, one backward in turn, on v chunks of the model a worker. Microbatches go in groups of S: a group passes
/// the worker's first chunk, then its second, and so on, and backwards from the last. A bubble is as long as v-th parts
/// of a stage, and there are v times as many messages. S stages, M microbatches, v chunks a worker, stage s from 0.
///
/// | bubble | activations, each of a v-th part of a stage | versions | staleness |
/// |---|---|---|---|
/// | (S-1) / (vM+S-1) of the time, where S divides M; else more | (v-1)S + 2(S-1-s) + 1, at most vM | 1 | 0 |
///
/// Source: Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM, SC 2021.
/// They take M that S divides. Here microbatches that the last group lacks are left out of its turns. Closing up
/// instead would deadlock: worker 0 of 5 would wait for microbatch 6 of 7 before it sends what that one waits for.
struct interleaved {
    static constexpr std::string_view name = "interleaved"; ///< as tools know it
    static constexpr bool takes_chunks = true;              ///< any number of chunks a worker
    static constexpr bool one_version = true;               ///< as promise::one_version

    /// The list of one worker.
    [[nodiscard]] static TUTTI_CONSTEXPR std::vector<step> steps(const shape& s, int worker) {
        step_writer w(s, worker);
        const auto forward = [&](int k) {
            if (const turn t = turn_of(s, k); t.microbatch < s.microbatches) w.forward(t.microbatch, t.chunk, 0);
        };
        const auto backward = [&](int k) {
            if (const turn t = turn_of(s, k); t.microbatch < s.microbatches)
                w.backward(t.microbatch, s.chunks - 1 - t.chunk, 0);
        };
        const int groups = (s.microbatches + s.stages - 1) / s.stages;
        detail::alternate(groups * s.stages * s.chunks, ahead(s, worker), forward, backward);
        w.update(1);
        return std::move(w).finish();
    }
    /// What one worker holds at most.
    [[nodiscard]] static constexpr figures promises(const shape& s, int worker) noexcept {
        return {std::min(s.microbatches * s.chunks, ahead(s, worker) + 1), 1, 0};
    }

private:
    /// Forwards before the first backward.
    [[nodiscard]] static constexpr int ahead(const shape& s, int worker) noexcept {
        return (s.chunks - 1) * s.stages + 2 * (s.stages - 1 - worker);
    }
    struct turn {
        int microbatch, chunk;
    };
    /// Microbatch and own chunk of the k-th forward.
    [[nodiscard]] static constexpr turn turn_of(const shape& s, int k) noexcept {
        return {k / (s.stages * s.chunks) * s.stages + k % s.stages, k / s.stages % s.chunks};
    }
};

} // namespace tutti::training::pipeline
