// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "pass.hpp"
#include "stage_run.hpp"

namespace tutti::tools {

/// This rank has some chunks of the layers: a stage of a pipeline. The job must keep whole gradients from a step's
/// first backward to its last, as whole_job does. A step's gradients have the bits of whole_pass with as many
/// microbatches, if the schedule adds them in their order.
template <class Communicator>
class pipeline_pass final : public pass {
public:
    /// Gradients of a microbatch are multiplied by `scale`. A microbatch has `examples`. `layers` are this rank's
    /// chunks of the network, in order. The trace may be null. Collective. Throws invalid_argument as runner does.
    pipeline_pass(const Communicator& stages, training::pipeline::program steps, const neural::network& network,
                  std::span<const neural::layer_range> chunks, std::span<layer_pass> layers, task& of,
                  training_job& job, std::size_t examples, float scale, step_trace* trace)
        : stages_(stages), task_(of), job_(job), trace_(trace),
          run_(stages, std::move(steps), network, chunks, examples * of.rows(), scale),
          stage_{layers, std::vector<kept_pass>(static_cast<std::size_t>(run_.held().activations)),
                 run_.of().microbatches} {}

    neural::score train(std::size_t step) override {
        const auto microbatch = [&](int m) -> labelled {
            task_.take_microbatch(step, static_cast<std::size_t>(m), static_cast<std::size_t>(run_.of().microbatches));
            return {task_.inputs(), task_.labels()};
        };
        const neural::score total = trace_ ? traced_run(microbatch) : run_.run(stage_, microbatch);
        finish_round(job_, trace_, true);
        return total;
    }
    neural::score test() override {
        neural::score total;
        for (std::size_t first = 0; first < task_.most_tests(); first += tests_at_once(task_)) {
            task_.take_tests(first, tests_at_once(task_));
            for (int c = stages_.rank(); c < chunks_of(run_.of()) && !task_.labels().empty(); c += run_.of().stages)
                total += test_chunk(c);
        }
        return total;
    }

private:
    using work = training::pipeline::work;
    /// What the job does not have of a stage. Gradients are ready with the last microbatch; the trainer updates once
    /// they are averaged.
    struct stage_layers {
        std::span<layer_pass> layers;
        std::vector<kept_pass> kept; ///< by slot
        int microbatches;

        void forward(std::size_t k, const work& w, neural::const_matrix input, neural::matrix output) {
            layers[k].forward(input, output, kept[static_cast<std::size_t>(w.slot)]);
        }
        void backward(std::size_t k, const work& w, neural::const_matrix input, neural::const_matrix slope,
                      neural::matrix input_slope) {
            layers[k].backward(input, kept[static_cast<std::size_t>(w.slot)], slope, input_slope,
                               w.microbatch + 1 == microbatches);
        }
        void update(int) {}
    };

    /// What is between a chunk's work and the next is the time for which it waits for its neighbours.
    [[nodiscard]] neural::score traced_run(const std::function<labelled(int)>& microbatch) {
        auto idle_since = trace_->now();
        const auto note = [&] { step_trace::slice::since(idle_since, trace_, "wait for neighbours"); };
        const neural::score total = run_.run(stage_, microbatch, [&](auto, const std::function<void()>& done) {
            note();
            done();
            idle_since = trace_->now();
        });
        note();
        return total;
    }
    [[nodiscard]] static neural::matrix room(std::vector<float>& memory, std::size_t rows, std::size_t columns) {
        memory.resize(rows * columns);
        return {memory.data(), rows, columns};
    }
    [[nodiscard]] neural::score test_chunk(int chunk) {
        const std::size_t rows = task_.labels().size();
        neural::const_matrix in = task_.inputs();
        if (chunk > 0) {
            const neural::matrix passed = room(test_input_, rows, run_.columns(chunk));
            stages_.receive(std::span(test_input_), worker_of(run_.of(), chunk - 1), 0);
            in = passed;
        }
        const neural::matrix out = room(test_output_, rows, run_.columns(chunk + 1));
        stage_.layers[run_.own_number(chunk)].forward(in, out, test_kept_);
        if (run_.is_last(chunk)) return neural::judge(out, task_.labels());
        stages_.send(std::span(test_output_), worker_of(run_.of(), chunk + 1), 0);
        return {};
    }

    const Communicator& stages_;
    task& task_;
    training_job& job_;
    step_trace* const trace_;
    stage_run<Communicator> run_;
    stage_layers stage_;
    kept_pass test_kept_;
    std::vector<float> test_input_, test_output_;
};

} // namespace tutti::tools
