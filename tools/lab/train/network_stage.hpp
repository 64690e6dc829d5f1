// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "layer_pass.hpp"

#include <training/optimizer.hpp>
#include <training/pipeline/run.hpp>

#include <utility>

namespace tutti::tools {

/// One worker's chunks of a network. It has their weights in as many versions as the schedule needs, the activations of
/// the microbatches in flight by slot, and the gradients since the last update. Version v lies in place v modulo the
/// number of versions.
template <training::update_rule Rule>
class network_stage {
public:
    using work = training::pipeline::work;

    /// The network must outlive the stage. Weights are those that the whole network would have by the seed.
    network_stage(const neural::network& network, std::vector<neural::layer_range> chunks, int versions, int slots,
                  Rule rule, std::uint64_t seed)
        : network_(network), chunks_(std::move(chunks)), optimizer_(layer_pass::parameters_of(network, chunks_), rule),
          kept_(static_cast<std::size_t>(slots), std::vector<neural::saved>(chunks_.size())) {
        std::size_t all = 0;
        for (const neural::layer_range& c : chunks_) {
            begin_.push_back(all);
            all += network.parameters(c);
        }
        gradients_.resize(all);
        versions_.assign(static_cast<std::size_t>(versions), std::vector<float>(all));
        for (std::size_t k = 0; k < chunks_.size(); ++k)
            network.initialise(chunks_[k], of_chunk(versions_[0], k), seed);
    }

    /// Of chunk k of this worker. The caller keeps the input until the backward of the same slot.
    void forward(std::size_t k, const work& w, neural::const_matrix input, neural::matrix output) {
        network_.forward(chunks_[k], of_chunk(at(w.version), k), input, output, kept(w.slot, k));
    }
    /// Adds to the gradients, and writes those by the input unless `input_slope` has no data.
    void backward(std::size_t k, const work& w, neural::const_matrix input, neural::const_matrix slope,
                  neural::matrix input_slope) {
        network_.backward(chunks_[k], of_chunk(at(w.version), k), input, kept(w.slot, k), slope, input_slope,
                          of_chunk(gradients_, k));
    }
    /// Makes this version from the one before.
    void update(int version) {
        std::vector<float>& next = at(version);
        if (&next != &at(version - 1)) next = at(version - 1);
        optimizer_.step(rate_, std::span(next), std::span<const float>(gradients_));
        std::ranges::fill(gradients_, 0.F);
        latest_ = version;
    }
    /// Versions count from 0 again, which is the latest, and updates go at this rate. Nothing may be in flight.
    void begin_anew(double rate) {
        std::swap(versions_[0], at(latest_));
        latest_ = 0;
        rate_ = rate;
    }

    /// The latest of chunk k.
    [[nodiscard]] std::span<const float> weights(std::size_t k) { return of_chunk(at(latest_), k); }

private:
    [[nodiscard]] std::vector<float>& at(int version) {
        return versions_[static_cast<std::size_t>(version) % versions_.size()];
    }
    [[nodiscard]] std::span<float> of_chunk(std::vector<float>& all, std::size_t k) const {
        return std::span(all).subspan(begin_[k], network_.parameters(chunks_[k]));
    }
    [[nodiscard]] neural::saved& kept(int slot, std::size_t k) { return kept_[static_cast<std::size_t>(slot)][k]; }

    const neural::network& network_;
    const std::vector<neural::layer_range> chunks_;
    training::optimizer<Rule> optimizer_;
    std::vector<std::vector<neural::saved>> kept_; // by slot and chunk
    std::vector<std::size_t> begin_;               // of each chunk's weights
    std::vector<float> gradients_;
    std::vector<std::vector<float>> versions_;
    int latest_ = 0;
    double rate_ = 0;
};

} // namespace tutti::tools
