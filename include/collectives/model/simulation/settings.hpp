// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../schedule/activity.hpp"
#include "../parameters.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::model {

/// How a schedule is simulated.
struct simulation_settings {
    receiver_rule receiver = receiver_rule::full_duplex; ///< how a receiver is charged
    bool activities = false;                             ///< record each step of every rank with its times
    /// Every step takes longer by chance, by this much of its time in the mean, exponentially distributed; 0: never.
    double straggling = 0;
    std::uint64_t seed = 1; ///< of that chance: the same seed, the same times
    /// The most messages that are simulated step by step: 2^25 of them take up to 2 GB.
    std::size_t most_messages = std::size_t{1} << 25;
    /// From so many messages on, one rank stands for all where the schedule rotates.
    std::size_t symmetric_beyond = std::size_t{1} << 22;
};

/// The result of a simulation.
struct simulated {
    double finish_s = 0;               ///< when the last rank is done
    std::vector<double> rank_finish_s; ///< by rank; by symmetry, that of all
    std::size_t messages = 0;          ///< of all ranks
    std::size_t steps = 0;             ///< of all ranks
    bool by_symmetry = false;          ///< one rank stood for all, and each chunk was as long as the longest
    std::vector<schedule::activity>
        activities{}; ///< where asked for, in order of their begin; by symmetry, of rank 0 alone
};

} // namespace tutti::model
