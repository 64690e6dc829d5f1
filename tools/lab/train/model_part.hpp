// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "chunks.hpp"
#include "layer_pass.hpp"
#include "model.hpp"
#include "rank_grid.hpp"

#include <utility>

namespace tutti::tools {

/// What one rank has of a model: chunks of its layers, each perhaps a part of the layers' weights. Chunk c of the model
/// is on stage c modulo stages.
class model_part {
public:
    /// Throws std::invalid_argument if the network has fewer layers than chunks.
    template <class Communicator>
    model_part(model of, const rank_grid<Communicator>& grid, int chunks_a_stage)
        : of_(std::move(of)),
          all_(chunks_of_layers(of_.own, static_cast<std::size_t>(grid.of.stages * chunks_a_stage))),
          own_(chunks_of_stage(all_, grid.of.stages, grid.stages.rank())) {}

    [[nodiscard]] const model& of() const noexcept { return of_; }
    /// The chunks of the whole model, and of this rank.
    /// @{
    [[nodiscard]] std::span<const neural::layer_range> all_chunks() const noexcept { return all_; }
    [[nodiscard]] std::span<const neural::layer_range> own_chunks() const noexcept { return own_; }
    /// @}

    /// What a job lists of this rank's chunks.
    [[nodiscard]] std::vector<training::parameter> parameters() const {
        return layer_pass::parameters_of(of_.own, own_);
    }
    /// Their first weights.
    [[nodiscard]] std::vector<float> first_weights(std::uint64_t seed) const {
        const std::vector<float> all = of_.first_weights(seed);
        std::vector<float> weights;
        for (const neural::layer_range& chunk : own_)
            weights.insert(weights.end(), all.begin() + static_cast<std::ptrdiff_t>(of_.own.offset(chunk.first)),
                           all.begin() + static_cast<std::ptrdiff_t>(of_.own.offset(chunk.last)));
        return weights;
    }
    /// By chunk of this rank. They use this, the job, the time and the trace.
    [[nodiscard]] std::vector<layer_pass> passes(training_job& job, const simulated_computing& time,
                                                 step_trace* trace) const {
        std::vector<layer_pass> all;
        std::size_t first = 0;
        for (const neural::layer_range& chunk : own_) {
            all.emplace_back(of_.own, chunk, job, time, first, trace);
            first += layer_pass::parameters_of(of_.own, chunk).size();
        }
        return all;
    }

private:
    const model of_;
    const std::vector<neural::layer_range> all_, own_;
};

} // namespace tutti::tools
