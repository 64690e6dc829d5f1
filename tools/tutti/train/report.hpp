// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/progress.hpp"
#include "task.hpp"
#include "train.hpp"

#include <string>
#include <vector>

namespace tutti::tools {

/// What rank 0 shows of a training: a line an epoch, and a JSON file where one is wanted.
class train_report {
public:
    /// `parameters` of the network.
    train_report(const train_settings& settings, int ranks, std::size_t parameters, const task& of);

    /// Where it is, on a terminal.
    void show(std::size_t epoch, std::size_t step);
    /// It ends early, after so many steps.
    void interrupted(std::size_t step);

    void add(const epoch_result& e);
    /// Throws std::system_error if the JSON file cannot be written.
    void finish() const;

private:
    const train_settings& settings_;
    int ranks_;
    std::size_t steps_; // of an epoch
    std::string same_;  // in words: which copies of the weights are equal
    progress_line line_;
    bool quiet_; // standard output is for the JSON alone
    std::vector<epoch_result> epochs_;
};

} // namespace tutti::tools
