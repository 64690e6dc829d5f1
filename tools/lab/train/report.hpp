// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../tutti/common/progress.hpp"
#include "../curve.hpp"
#include "task.hpp"
#include "train.hpp"
#include "training_log.hpp"

#include <training/buckets/activity.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tutti::tools {

/// Throws, before anything is started, where a file that is asked for cannot be written.
void require_reports(const train_settings& settings);

/// What rank 0 shows of a training: a line an epoch, curves at the end, and the files that are wanted.
class train_report {
public:
    /// `parameters` of the network. `steps` have been done before. `now` is the clock of the training.
    train_report(const train_settings& settings, int ranks, std::size_t parameters, const task& of, std::size_t steps,
                 training::time_source now);

    /// So many steps of the epoch are done, and the last one had that loss.
    void step(std::size_t epoch, std::size_t steps, double loss);
    /// It ends early, after so many steps.
    void interrupted(std::size_t step);
    /// It ends early, since the line search of that step found no lower loss.
    void stuck(std::size_t step);

    void add(epoch_result e);
    /// Weights of servers: how many reads were so many clocks old.
    void read(const std::vector<std::uint64_t>& reads);
    /// Of weights that were not trained here.
    void evaluated(const epoch_result& e);
    /// Throws std::system_error if a file cannot be written.
    void finish();
    [[nodiscard]] bool has_diverged() const noexcept { return diverged_; }

private:
    using clock = std::chrono::steady_clock;

    void begin(std::size_t parameters, const task& of) const;
    void begin_again() const;
    [[nodiscard]] bool is_done() const noexcept { return before_ >= settings_.epochs * steps_; }
    void warn_of_divergence(const epoch_result& e);
    [[nodiscard]] std::string words_of_weights(const epoch_result& e) const;
    /// What has been learnt so far: it stays if this rank dies.
    void write_files() const;
    void write_json() const;
    void write_html() const;
    void draw_curves() const;

    const train_settings& settings_;
    int ranks_;
    std::size_t steps_;  // of an epoch
    std::size_t before_; // steps of the job that were not done here
    std::string same_;   // in words: which copies of the weights are equal
    bool is_alone_;      // there is one replica, whose gradients stay where they are
    progress_line line_;
    bool quiet_; // standard output is for a file alone
    std::optional<training_log> log_;
    training::time_source now_;
    std::chrono::steady_clock::time_point begin_ = now_();
    clock::time_point host_begin_ = clock::now(); // for what the user waits
    bool diverged_ = false;                       // and that has been told
    std::vector<epoch_result> epochs_;
    std::vector<curve_point> losses_; // of steps, by epoch
};

} // namespace tutti::tools
