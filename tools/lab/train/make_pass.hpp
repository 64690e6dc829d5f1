// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "model_part.hpp"
#include "pipeline_pass.hpp"

#include <training/pipeline/all.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

namespace tutti::tools {

/// The chunks of a stage that settings ask for.
[[nodiscard]] inline int chunks_a_stage(const train_settings& s, const grid_shape& of) {
    return s.pipeline == "interleaved" && of.stages > 1 ? s.chunks : 1;
}

/// The microbatches of a step. In a pipeline all are of equal size, since it passes on equal messages. Throws
/// std::invalid_argument where a replica's part of the batch has no such parts, unless nothing is trained.
[[nodiscard]] inline std::size_t microbatches_of(const train_settings& s, const grid_shape& of) {
    if (of.stages == 1) return std::max<std::size_t>(1, s.microbatches);
    if (s.evaluate) return static_cast<std::size_t>(of.stages);
    const std::size_t parts = s.microbatches > 0 ? s.microbatches : 2 * static_cast<std::size_t>(of.stages);
    if (s.batch % (static_cast<std::size_t>(of.data) * parts) != 0)
        throw std::invalid_argument("a batch of " + std::to_string(s.batch) + " has no " + std::to_string(parts) +
                                    " equal microbatches on each of " + std::to_string(of.data) +
                                    (of.data == 1 ? " replica" : " replicas"));
    return parts;
}

/// How this rank goes through its part of a model. `layers` are those of its chunks. The trace may be null. Collective.
template <class Communicator>
[[nodiscard]] std::unique_ptr<pass> make_pass(const rank_grid<Communicator>& grid, const train_settings& s,
                                              const model_part& part, std::span<layer_pass> layers, task& of,
                                              training_job& job, step_trace* trace) {
    // The average over the replicas of their number/batch times each one's sum is the mean over the batch's rows,
    // however they are spread.
    const auto weight = static_cast<float>(grid.of.data);
    const std::size_t parts = microbatches_of(s, grid.of);
    if (grid.of.stages == 1) return std::make_unique<whole_pass>(of, job, layers.front(), parts, weight, trace);
    const training::pipeline::shape shape{grid.of.stages, static_cast<int>(parts), chunks_a_stage(s, grid.of)};
    const auto examples = std::max<std::size_t>(1, s.batch / (static_cast<std::size_t>(grid.of.data) * parts));
    return std::make_unique<pipeline_pass<Communicator>>(
        grid.stages, training::pipeline::by_name(s.pipeline).write(shape), part.of().own, part.all_chunks(), layers, of,
        job, examples, weight / static_cast<float>(s.batch * of.rows()), trace);
}

} // namespace tutti::tools
