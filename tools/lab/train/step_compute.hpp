// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "train.hpp"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace tutti::tools {

/// What computing takes by a simulated clock. Where time is real both are empty.
struct step_compute {
    /// How long a rank computes in a step, by the steps before it.
    std::function<std::chrono::nanoseconds(std::size_t)> of_step{};
    /// Lets so much time pass, in which the work is done, if there is any, maybe by another thread.
    std::function<void(std::chrono::nanoseconds, const std::function<void()>& work)> passes{};

    /// A step, or one of equal parts of it.
    void operator()(std::size_t step, const std::function<void()>& work, std::size_t parts = 1) const {
        if (of_step) return passes(of_step(step) / static_cast<std::int64_t>(parts), work);
        if (work) work();
    }
};

/// What a training out of step tells of itself while it runs.
struct run_hooks {
    step_compute computes{}; ///< takes the time of a step, or of a portion, and does the work of it, if there is any
    /// So many steps are made, and the last one had that loss.
    std::function<void(std::size_t steps, double loss)> told = [](std::size_t, double) {};
    std::function<void(const epoch_result&)> tested = [](const epoch_result&) {};
    std::function<void(std::size_t steps)> interrupted = [](std::size_t) {}; ///< SIGINT came
};

/// Lets the simulated time of a step pass while its layers compute, each taking a share by its weights. A backward
/// takes twice as long as a forward. Outside of a step, and where time is real, nothing passes.
class simulated_computing {
public:
    simulated_computing() = default;
    /// In a step each weight of the model is gone through so many times, on one of so many ranks that share the model.
    /// So all of them together take of_step() times their number, and each its share of that. Layers may `talk` to
    /// other ranks while they compute.
    simulated_computing(const step_compute& by, std::size_t weights, std::size_t microbatches, int sharers, bool talk)
        : by_(by), talk_(talk),
          share_(sharers / (3. * static_cast<double>(weights) * static_cast<double>(microbatches))) {}

    void begin_step(std::size_t steps) {
        if (by_.of_step) weight_ns_ = static_cast<double>(by_.of_step(steps).count()) * share_;
    }
    void end_step() noexcept { weight_ns_ = 0; }
    /// A layer of so many weights computes.
    /// @{
    void forward(std::size_t weights, const auto& work) const { pass(static_cast<double>(weights), work); }
    void backward(std::size_t weights, const auto& work) const { pass(2. * static_cast<double>(weights), work); }
    /// @}

private:
    void pass(double weights, const auto& work) const {
        if (weight_ns_ > 0) {
            const std::chrono::nanoseconds time(std::llround(weight_ns_ * weights));
            if (!talk_) return by_.passes(time, work);
            by_.passes(time, {});
        }
        work();
    }

    const step_compute by_{};
    bool talk_ = false;
    double share_ = 0;
    double weight_ns_ = 0; ///< of a forward of one weight in this step
};

} // namespace tutti::tools
