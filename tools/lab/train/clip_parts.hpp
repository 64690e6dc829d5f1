// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "model_part.hpp"
#include "rank_grid.hpp"
#include "training_job.hpp"

namespace tutti::tools {

/// Clips gradients by the norm of the whole model's, of which this rank has a part. What all ranks of a stage have
/// counts once. Collective; all ranks get the same factor.
template <class Communicator>
void clip_parts(const rank_grid<Communicator>& grid, const model_part& part, training_job& job, double most) {
    std::vector<std::span<float>> all;
    std::vector<float> counted(part.of().own.parameters()); // zero where the rank has nothing
    for (const neural::layer_range& chunk : part.own_chunks())
        for (const auto& t : part.of().own.tensors())
            if (t.layer >= chunk.first && t.layer < chunk.last) {
                all.push_back(job.gradient(all.size()));
                std::ranges::copy(all.back(), counted.begin() + static_cast<std::ptrdiff_t>(t.offset));
            }
    if (grid.tensor.rank() > 0)
        for (const auto& common : part.of().cut.common())
            std::ranges::fill(std::span(counted).subspan(common.first, common.count), 0.F);
    training::square_sum squares;
    training::add_squares(squares, counted);
    const auto stage = grid.tensor.allreduce(squares, sum);
    const float factor = training::clip_factor(training::norm_of(grid.stages.allreduce(stage, sum)), most);
    if (factor == 1.0F) return;
    for (const std::span<float> gradients : all)
        for (float& g : gradients) g *= factor;
}

} // namespace tutti::tools
