// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "step.hpp"

#include <cstddef>

namespace tutti::schedule {

/// One step of one rank's schedule with its times, simulated or measured. The k-th send from one rank to
/// another belongs to the k-th receive there from it.
struct activity {
    int rank = 0;               ///< that does the step
    int step = 0;               ///< in the rank's schedule as it runs: packed, a message's first part
    action what = action::send; ///< the kind of the step
    int peer = -1;              ///< of a send or receive
    std::size_t bytes = 0;      ///< of the message, or of the result of a local step
    double begin_s = 0;         ///< since the first rank began, or since the origin of a recording
    double end_s = 0;           ///< when it had ended, likewise
};

} // namespace tutti::schedule
