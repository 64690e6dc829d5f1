// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "pass.hpp"

#include <training/pipeline/run.hpp>

#include <span>
#include <utility>
#include <vector>

namespace tutti::tools {

/// This rank has some chunks of the layers: a stage of a pipeline. The job must keep whole gradients from a step's
/// first backward to its last, as whole_job does. A step's gradients have the bits of whole_pass with as many
/// microbatches, if the schedule adds them in their order.
template <class Communicator>
class pipeline_pass final : public pass {
public:
    /// Gradients of a microbatch are multiplied by `scale`. A microbatch has `examples`. `layers` are this rank's
    /// chunks of the network, in order. Collective. Throws invalid_argument as runner does.
    pipeline_pass(const Communicator& stages, training::pipeline::program steps, const neural::network& network,
                  std::span<const neural::layer_range> chunks, std::span<layer_pass> layers, task& of,
                  training_job& job, std::size_t examples, float scale)
        : stages_(stages), of_(steps.of), task_(of), job_(job), layers_(layers), rows_(examples * of.rows()),
          scale_(scale), engine_(stages, std::move(steps), widths(network, chunks, rows_)),
          activations_(static_cast<std::size_t>(engine_.held().activations)) {
        for (const neural::layer_range& chunk : chunks) inputs_.push_back(network.columns(chunk.first));
        inputs_.push_back(task_.kinds());
    }

    neural::score train(std::size_t step) override {
        neural::score total;
        engine_.run(
            [&](const work& w, std::span<const float> in, std::span<float> out) { total += forward(step, w, in, out); },
            [&](const work& w, std::span<const float> in, std::span<const float>, std::span<const float> out_slope,
                std::span<float> in_slope) { backward(w, in, out_slope, in_slope); },
            [](int) {}); // the trainer updates, once the gradients are averaged
        job_.finish();
        return total;
    }
    neural::score test() override {
        neural::score total;
        kept_pass kept;
        for (std::size_t first = 0; first < task_.most_tests(); first += tests_at_once(task_)) {
            task_.take_tests(first, tests_at_once(task_));
            for (int c = stages_.rank(); c < chunks() && !task_.labels().empty(); c += of_.stages)
                total += test_chunk(c, kept);
        }
        return total;
    }

private:
    using work = training::pipeline::work;
    /// What this rank keeps of an activation, beside what the engine does.
    struct activation {
        std::vector<float> input;  ///< of the first chunk
        std::vector<float> output; ///< of the last chunk; then the loss's gradient by it
        kept_pass kept;
    };

    [[nodiscard]] static std::vector<std::size_t>
    widths(const neural::network& network, std::span<const neural::layer_range> chunks, std::size_t rows) {
        std::vector<std::size_t> all;
        for (const neural::layer_range& chunk : chunks.subspan(1)) all.push_back(rows * network.columns(chunk.first));
        return all;
    }
    [[nodiscard]] int chunks() const noexcept { return chunks_of(of_); }
    [[nodiscard]] bool is_last(int chunk) const noexcept { return chunk + 1 == chunks(); }
    [[nodiscard]] layer_pass& layers(int chunk) const { return layers_[static_cast<std::size_t>(chunk / of_.stages)]; }
    /// The columns into a chunk; those into the one behind the last are the model's outputs.
    [[nodiscard]] std::size_t columns(int chunk) const { return inputs_[static_cast<std::size_t>(chunk)]; }
    [[nodiscard]] activation& at(int slot) { return activations_[static_cast<std::size_t>(slot)]; }
    [[nodiscard]] neural::const_matrix input(const work& w, std::span<const float> passed) {
        return {w.chunk == 0 ? at(w.slot).input.data() : passed.data(), rows_, columns(w.chunk)};
    }
    [[nodiscard]] static neural::matrix room(std::vector<float>& memory, std::size_t rows, std::size_t columns) {
        memory.resize(rows * columns);
        return {memory.data(), rows, columns};
    }

    [[nodiscard]] neural::score forward(std::size_t step, const work& w, std::span<const float> in,
                                        std::span<float> out) {
        activation& a = at(w.slot);
        if (w.chunk == 0 || is_last(w.chunk))
            task_.take_microbatch(step, static_cast<std::size_t>(w.microbatch),
                                  static_cast<std::size_t>(of_.microbatches));
        if (w.chunk == 0) a.input.assign(task_.inputs().data, task_.inputs().data + rows_ * columns(0));
        const neural::matrix output = is_last(w.chunk) ? room(a.output, rows_, columns(w.chunk + 1))
                                                       : neural::matrix{out.data(), rows_, columns(w.chunk + 1)};
        layers(w.chunk).forward(input(w, in), output, a.kept);
        return is_last(w.chunk) ? neural::judge_and_slope(output, task_.labels(), scale_) : neural::score{};
    }
    void backward(const work& w, std::span<const float> in, std::span<const float> out_slope,
                  std::span<float> in_slope) {
        activation& a = at(w.slot);
        const neural::const_matrix slope{is_last(w.chunk) ? a.output.data() : out_slope.data(), rows_,
                                         columns(w.chunk + 1)};
        const neural::matrix result =
            w.chunk == 0 ? neural::matrix{} : neural::matrix{in_slope.data(), rows_, columns(w.chunk)};
        layers(w.chunk).backward(input(w, in), a.kept, slope, result, w.microbatch + 1 == of_.microbatches);
    }

    [[nodiscard]] neural::score test_chunk(int chunk, kept_pass& kept) {
        const std::size_t rows = task_.labels().size();
        neural::const_matrix in = task_.inputs();
        if (chunk > 0) {
            const neural::matrix passed = room(test_input_, rows, columns(chunk));
            stages_.receive(std::span(test_input_), worker_of(of_, chunk - 1), 0);
            in = passed;
        }
        const neural::matrix out = room(test_output_, rows, columns(chunk + 1));
        layers(chunk).forward(in, out, kept);
        if (is_last(chunk)) return neural::judge(out, task_.labels());
        stages_.send(std::span(test_output_), worker_of(of_, chunk + 1), 0);
        return {};
    }

    const Communicator& stages_;
    const training::pipeline::shape of_;
    task& task_;
    training_job& job_;
    const std::span<layer_pass> layers_;
    const std::size_t rows_; // of a microbatch
    const float scale_;
    training::pipeline::runner<float, Communicator> engine_;
    std::vector<activation> activations_; // by slot
    std::vector<std::size_t> inputs_;     // columns, by chunk
    std::vector<float> test_input_, test_output_;
};

} // namespace tutti::tools
