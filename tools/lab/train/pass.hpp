// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "layer_pass.hpp"
#include "network/cross_entropy.hpp"
#include "task.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::tools {

/// How a replica of the model goes through its part of a batch.
class pass {
public:
    virtual ~pass() = default;
    /// Forward and backward of all microbatches of a step. Then gradients are averaged. The score is that of the rank
    /// that has the model's end, and empty elsewhere. Collective.
    [[nodiscard]] virtual neural::score train(std::size_t step) = 0;
    /// The score of the examples to test with, likewise.
    [[nodiscard]] virtual neural::score test() = 0;
};

/// Ends a round of a job's gradients, which a trace is told of, if there is one.
inline void finish_round(training_job& job, step_trace* trace, bool reduces) {
    {
        const step_trace::slice timed(trace, "wait for buckets");
        job.finish();
    }
    if (trace && reduces) trace->add(job.activities());
}

/// Examples that are tested at once: some hundred rows of inputs.
[[nodiscard]] inline std::size_t tests_at_once(const task& of) { return std::max<std::size_t>(1, 1024 / of.rows()); }

/// All layers are here.
class whole_pass final : public pass {
public:
    /// The gradient of a row is multiplied by `weight` and divided by the rows of the batch.
    whole_pass(task& of, training_job& job, layer_pass& layers, std::size_t microbatches, float weight,
               step_trace* trace = nullptr)
        : task_(of), job_(job), layers_(layers), microbatches_(microbatches), weight_(weight), trace_(trace) {}

    neural::score train(std::size_t step) override {
        neural::score total;
        const float scale = weight_ / static_cast<float>(task_.epoch().examples(step) * task_.rows());
        for (std::size_t m = 0; m < microbatches_; ++m) {
            job_.reduces(m + 1 == microbatches_);
            task_.take_microbatch(step, m, microbatches_);
            layers_.forward(task_.inputs(), outputs(), kept_);
            total += neural::judge_and_slope(outputs(), task_.labels(), scale);
            layers_.backward(task_.inputs(), kept_, outputs(), {}, true);
            finish_round(job_, trace_, m + 1 == microbatches_);
        }
        return total;
    }
    /// All ranks make as many passes, since weights may have to be gathered.
    neural::score test() override {
        neural::score total;
        for (std::size_t first = 0; first < task_.most_tests(); first += tests_at_once(task_)) {
            task_.take_tests(first, tests_at_once(task_));
            layers_.forward(task_.inputs(), outputs(), kept_);
            total += neural::judge(outputs(), task_.labels());
        }
        return total;
    }

private:
    [[nodiscard]] neural::matrix outputs() {
        outputs_.resize(task_.labels().size() * task_.kinds());
        return {outputs_.data(), task_.labels().size(), task_.kinds()};
    }

    task& task_;
    training_job& job_;
    layer_pass& layers_;
    const std::size_t microbatches_;
    const float weight_;
    step_trace* const trace_;
    kept_pass kept_;
    std::vector<float> outputs_; // on the way back, the loss's gradient by them
};

} // namespace tutti::tools
