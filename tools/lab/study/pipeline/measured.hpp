// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../study.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tutti::tools::study::pipeline {

/// Seconds that the whole network takes: a microbatch forwards and backwards, and an update.
struct whole_work {
    double forward_s = 0, backward_s = 0, update_s = 0;
};

/// One schedule as it ran on real ranks.
struct measured_schedule {
    std::string name;
    int chunks = 1;         ///< on a rank
    double step_s = 0;      ///< the median of rounds: of as many microbatches as a step has
    double predicted_s = 0; ///< out of the steps, with the work and the messages measured
    double idle = 0;        ///< the mean share of the ranks in which they did not compute
    double predicted_idle = 0;
    whole_work work; ///< the mean of what it did
};

/// All schedules on one number of ranks.
struct measurement {
    int stages = 0;
    int microbatches = 0;   ///< of a step
    std::size_t rows = 0;   ///< of a microbatch
    std::size_t layers = 0; ///< full layers
    std::size_t width = 0;  ///< of each
    bool sleeps = false;    ///< ranks slept as long as the work was measured to take, in place of it
    double message_s = 0;   ///< an activation from rank to rank
    std::vector<measured_schedule> schedules;
};

/// Starts ranks of this command as processes, and measures: 2 that compute, then 4 and 8 that sleep as long, and so
/// do 2. Ranks call pipeline_rank(). The caller must be the only thread, without children. `told(stages)` hears before
/// each. Throws std::runtime_error if a rank fails.
[[nodiscard]] std::vector<measurement> measure(const settings& s, const std::function<void(int stages)>& told);

} // namespace tutti::tools::study::pipeline
