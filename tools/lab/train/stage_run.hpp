// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "network/cross_entropy.hpp"
#include "network/network.hpp"

#include <training/pipeline/run.hpp>

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::tools {

/// Examples with their labels. The first chunk needs the inputs, the last one the labels.
struct labelled {
    neural::const_matrix inputs;
    std::span<const std::uint8_t> labels;
};

/// Calls a step's work, or does something else in its place: it measures the work, or sleeps for it.
using around_work = std::function<void(training::pipeline::action what, const std::function<void()>& work)>;

/// Does a step's work, and nothing else.
inline void plainly(training::pipeline::action, const std::function<void()>& work) { work(); }

/// Runs the chunks of a network through a pipeline's engine: rank r of a communicator has chunks r, r + stages, ...
/// Here are the model's two ends, its inputs and its loss; a stage has weights and gradients:
/// - `forward(k, work, input, output)` of its chunk k, counted from 0;
/// - `backward(k, work, input, slope, input_slope)`, with the forward's input; an `input_slope` without data is not
///   wanted;
/// - `update(version)`.
template <class Communicator>
class stage_run {
public:
    using work = training::pipeline::work;

    /// `chunks` are those of the whole model, `rows` the inputs of a microbatch. Gradients of a row's loss are
    /// multiplied by `scale`. Preconditions on all ranks: the same arguments. Collective. Throws invalid_argument as
    /// runner does.
    stage_run(const Communicator& stages, training::pipeline::program steps, const neural::network& network,
              std::span<const neural::layer_range> chunks, std::size_t rows, float scale)
        : of_(steps.of), rows_(rows), scale_(scale), engine_(stages, std::move(steps), widths(network, chunks, rows)),
          ends_(static_cast<std::size_t>(engine_.held().activations)) {
        for (const neural::layer_range& chunk : chunks) columns_.push_back(network.columns(chunk.first));
        columns_.push_back(network.columns(chunks.back().last));
    }

    /// Goes once through the schedule, on all ranks. `batch(m)` is microbatch m, valid until the next call. Returns the
    /// score of the rank with the last chunk, as the weights of each forward gave it, and an empty one elsewhere.
    template <class Stage>
    neural::score run(Stage& stage, const std::function<labelled(int)>& batch, const around_work& around = plainly) {
        using training::pipeline::action;
        neural::score total;
        engine_.run(
            [&](const work& w, std::span<const float> in, std::span<float> out) {
                around(action::forward, [&] { total += forward(stage, w, batch, in, out); });
            },
            [&](const work& w, std::span<const float> in, std::span<const float>, std::span<const float> out_slope,
                std::span<float> in_slope) {
                around(action::backward, [&] { backward(stage, w, in, out_slope, in_slope); });
            },
            [&](int version) { around(action::update, [&] { stage.update(version); }); });
        return total;
    }

    [[nodiscard]] const training::pipeline::figures& held() const noexcept { return engine_.held(); }
    [[nodiscard]] const training::pipeline::shape& of() const noexcept { return of_; }
    [[nodiscard]] bool is_last(int chunk) const noexcept { return chunk + 1 == chunks_of(of_); }
    /// The number of a chunk on its stage.
    [[nodiscard]] std::size_t own_number(int chunk) const noexcept {
        return static_cast<std::size_t>(chunk / of_.stages);
    }
    /// The columns into a chunk; those into the one behind the last are the model's outputs.
    [[nodiscard]] std::size_t columns(int chunk) const { return columns_[static_cast<std::size_t>(chunk)]; }

private:
    /// What is kept of an activation at the model's two ends, where the engine keeps nothing.
    struct model_ends {
        std::vector<float> input;
        std::vector<float> output; ///< then the loss's gradient by it
    };

    [[nodiscard]] static std::vector<std::size_t>
    widths(const neural::network& network, std::span<const neural::layer_range> chunks, std::size_t rows) {
        std::vector<std::size_t> all;
        for (const neural::layer_range& chunk : chunks.subspan(1)) all.push_back(rows * network.columns(chunk.first));
        return all;
    }
    [[nodiscard]] model_ends& at(int slot) { return ends_[static_cast<std::size_t>(slot)]; }
    [[nodiscard]] neural::const_matrix input(const work& w, std::span<const float> passed) {
        return {w.chunk == 0 ? at(w.slot).input.data() : passed.data(), rows_, columns(w.chunk)};
    }

    template <class Stage>
    neural::score forward(Stage& stage, const work& w, const std::function<labelled(int)>& batch,
                          std::span<const float> in, std::span<float> out) {
        model_ends& ends = at(w.slot);
        labelled examples;
        if (w.chunk == 0 || is_last(w.chunk)) examples = batch(w.microbatch);
        if (w.chunk == 0) ends.input.assign(examples.inputs.data, examples.inputs.data + rows_ * columns(0));
        if (is_last(w.chunk)) ends.output.resize(rows_ * columns(w.chunk + 1));
        const neural::matrix output{is_last(w.chunk) ? ends.output.data() : out.data(), rows_, columns(w.chunk + 1)};
        stage.forward(own_number(w.chunk), w, input(w, in), output);
        return is_last(w.chunk) ? neural::judge_and_slope(output, examples.labels, scale_) : neural::score{};
    }
    template <class Stage>
    void backward(Stage& stage, const work& w, std::span<const float> in, std::span<const float> out_slope,
                  std::span<float> in_slope) {
        const neural::const_matrix slope{is_last(w.chunk) ? at(w.slot).output.data() : out_slope.data(), rows_,
                                         columns(w.chunk + 1)};
        const neural::matrix result =
            w.chunk == 0 ? neural::matrix{} : neural::matrix{in_slope.data(), rows_, columns(w.chunk)};
        stage.backward(own_number(w.chunk), w, input(w, in), slope, result);
    }

    const training::pipeline::shape of_;
    const std::size_t rows_; // of a microbatch
    const float scale_;
    training::pipeline::runner<float, Communicator> engine_;
    std::vector<model_ends> ends_;     // by slot
    std::vector<std::size_t> columns_; // into each chunk of the model, and out of the last
};

} // namespace tutti::tools
