// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../spread.hpp"
#include "../study.hpp"

#include <string>
#include <vector>

namespace tutti::tools::study::pipeline {

/// Accuracy on the test pictures with weights of some age.
struct curve {
    std::string name;
    double rate = 0;
    std::vector<std::vector<double>> accuracy; ///< by seed and epoch, from 0 to 1
};

/// Of an epoch, counted from 0, over the seeds.
[[nodiscard]] spread spread_of(const curve& c, std::size_t epoch);

/// What was trained, and what came of it.
struct learning {
    std::size_t pictures = 0, tests = 0, batch = 0, epochs = 0, seeds = 0, stages = 0;
    std::vector<std::size_t> widths;
    double kept = 0; ///< of the momentum
    std::vector<curve> curves;
};

/// Trains by each rule of age, with each rate and seed, in processes. The caller must be the only thread.
[[nodiscard]] learning learn(const settings& s, progress_line& line);

} // namespace tutti::tools::study::pipeline
