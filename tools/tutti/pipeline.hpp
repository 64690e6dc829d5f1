// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace tutti::tools {

/// What `tutti verify --pipeline` proves: names, and lists of numbers.
struct pipeline_proofs {
    std::string schedules; ///< names, separated by commas, or all; empty where no pipeline is meant
    std::string stages = "1..8";
    std::string microbatches = "1..8";
    std::string chunks = "1..4"; ///< of the schedules that take several
};

/// Prints a line a schedule. Returns 1 and prints the first fault if one is not proven. Throws std::invalid_argument
/// for names and numbers that there are not.
[[nodiscard]] int prove_pipelines(const pipeline_proofs& wanted);

/// What `tutti draw --pipeline` draws.
struct pipeline_drawing {
    std::string schedule; ///< its name; empty where no pipeline is meant
    int stages = 4;
    int microbatches = 8;
    int chunks = 0; ///< a worker; 0: two where the schedule takes several
};

/// The picture, as SVG or text. Throws std::invalid_argument where there is none.
[[nodiscard]] std::string drawn_pipeline(const pipeline_drawing& wanted, bool svg);

} // namespace tutti::tools
