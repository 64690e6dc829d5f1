// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "network/cross_entropy.hpp"
#include "network_stage.hpp"

#include <training/pipeline/run.hpp>

#include <functional>

namespace tutti::tools {

/// Examples with their labels. The first chunk needs the inputs, the last one the labels.
struct labelled {
    neural::const_matrix inputs;
    std::span<const std::uint8_t> labels;
};

/// Calls a step's work, or does something else in its place: it measures the work, or sleeps for it.
using around_work = std::function<void(training::pipeline::action what, const std::function<void()>& work)>;

/// A network that is trained by any schedule of a pipeline, also one with several versions of the weights. Rank r of a
/// communicator has chunks r, r + stages, ... A schedule with one version whose gradients are in order ends with the
/// bits of one worker that takes the same microbatches one by one; other schedules with those of one that follows their
/// rule, as stale_network does.
template <class Communicator, training::update_rule Rule>
class staged_network {
public:
    /// `chunks` are those of the whole model, `rows` the inputs of a microbatch. Gradients of a row's loss are
    /// multiplied by `scale`. Preconditions on all ranks: the same arguments. The network outlives this. Collective.
    /// Throws invalid_argument as runner does.
    staged_network(const Communicator& stages, training::pipeline::program steps, const neural::network& network,
                   std::span<const neural::layer_range> chunks, std::size_t rows, float scale, Rule rule,
                   std::uint64_t seed)
        : of_(steps.of), rows_(rows), scale_(scale), engine_(stages, std::move(steps), widths(network, chunks, rows)),
          stage_(network, own(chunks, of_, stages.rank()), engine_.held().versions, engine_.held().activations, rule,
                 seed),
          ends_(static_cast<std::size_t>(engine_.held().activations)) {
        for (const neural::layer_range& chunk : chunks) columns_.push_back(network.columns(chunk.first));
        columns_.push_back(network.columns(chunks.back().last));
    }

    /// Goes once through the schedule, on all ranks. `batch(m)` is microbatch m, valid until the next call. Returns the
    /// score of the rank with the last chunk, as the weights of each forward gave it, and an empty one elsewhere.
    neural::score run(const std::function<labelled(int)>& batch, double rate, const around_work& around = plainly) {
        using training::pipeline::action;
        neural::score total;
        engine_.run(
            [&](const work& w, std::span<const float> in, std::span<float> out) {
                around(action::forward, [&] { total += forward(w, batch, in, out); });
            },
            [&](const work& w, std::span<const float> in, std::span<const float>, std::span<const float> out_slope,
                std::span<float> in_slope) { around(action::backward, [&] { backward(w, in, out_slope, in_slope); }); },
            [&](int version) { around(action::update, [&] { stage_.update(version, rate); }); });
        stage_.begin_anew();
        return total;
    }

    [[nodiscard]] network_stage<Rule>& stage() noexcept { return stage_; }
    [[nodiscard]] const training::pipeline::figures& held() const noexcept { return engine_.held(); }

private:
    using work = training::pipeline::work;
    /// What is kept of an activation at the model's two ends, where the engine keeps nothing.
    struct model_ends {
        std::vector<float> input;
        std::vector<float> output; ///< then the loss's gradient by it
    };

    static void plainly(training::pipeline::action, const std::function<void()>& work) { work(); }
    [[nodiscard]] static std::vector<std::size_t>
    widths(const neural::network& network, std::span<const neural::layer_range> chunks, std::size_t rows) {
        std::vector<std::size_t> all;
        for (const neural::layer_range& chunk : chunks.subspan(1)) all.push_back(rows * network.columns(chunk.first));
        return all;
    }
    [[nodiscard]] static std::vector<neural::layer_range> own(std::span<const neural::layer_range> chunks,
                                                              const training::pipeline::shape& of, int rank) {
        std::vector<neural::layer_range> all;
        for (auto c = static_cast<std::size_t>(rank); c < chunks.size(); c += static_cast<std::size_t>(of.stages))
            all.push_back(chunks[c]);
        return all;
    }
    [[nodiscard]] bool is_last(int chunk) const noexcept { return chunk + 1 == chunks_of(of_); }
    [[nodiscard]] std::size_t own_number(int chunk) const { return static_cast<std::size_t>(chunk / of_.stages); }
    [[nodiscard]] std::size_t columns(int chunk) const { return columns_[static_cast<std::size_t>(chunk)]; }
    [[nodiscard]] model_ends& at(int slot) { return ends_[static_cast<std::size_t>(slot)]; }
    [[nodiscard]] neural::const_matrix input(const work& w, std::span<const float> passed) {
        return {w.chunk == 0 ? at(w.slot).input.data() : passed.data(), rows_, columns(w.chunk)};
    }

    neural::score forward(const work& w, const std::function<labelled(int)>& batch, std::span<const float> in,
                          std::span<float> out) {
        model_ends& ends = at(w.slot);
        labelled examples;
        if (w.chunk == 0 || is_last(w.chunk)) examples = batch(w.microbatch);
        if (w.chunk == 0) ends.input.assign(examples.inputs.data, examples.inputs.data + rows_ * columns(0));
        if (is_last(w.chunk)) ends.output.resize(rows_ * columns(w.chunk + 1));
        const neural::matrix output{is_last(w.chunk) ? ends.output.data() : out.data(), rows_, columns(w.chunk + 1)};
        stage_.forward(own_number(w.chunk), w.slot, w.version, input(w, in), output);
        return is_last(w.chunk) ? neural::judge_and_slope(output, examples.labels, scale_) : neural::score{};
    }
    void backward(const work& w, std::span<const float> in, std::span<const float> out_slope,
                  std::span<float> in_slope) {
        const float* const from = is_last(w.chunk) ? at(w.slot).output.data() : out_slope.data();
        const neural::matrix result =
            w.chunk == 0 ? neural::matrix{} : neural::matrix{in_slope.data(), rows_, columns(w.chunk)};
        stage_.backward(own_number(w.chunk), w.slot, w.version, input(w, in), {from, rows_, columns(w.chunk + 1)},
                        result);
    }

    const training::pipeline::shape of_;
    const std::size_t rows_; // of a microbatch
    const float scale_;
    training::pipeline::runner<float, Communicator> engine_;
    network_stage<Rule> stage_;
    std::vector<model_ends> ends_;     // by slot
    std::vector<std::size_t> columns_; // into each chunk of the model, and out of the last
};

} // namespace tutti::tools
