// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../train.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::tools {

class portion_maths;

/// What weights were worth at some moment.
struct tested_weights {
    double seconds = 0; ///< of virtual time, without the tests
    double loss = 0;    ///< of the training batch, in nats a row
    double test_loss = 0;
    double accuracy = 0; ///< of the test set
};

/// What a training by Sandblaster came to in virtual time.
struct sandblaster_result {
    std::vector<tested_weights> tests; ///< after each step that ended an epoch
    std::size_t lost = 0;              ///< replicas that died
    std::uint64_t unused = 0;          ///< results of backup tasks that came second
};

/// Trains by Sandblaster on settings.virtual_ranks ranks of settings.cluster in virtual time, in this thread.
/// settings.compute is how long a portion takes. A run may be one of many with the same `maths`, whose settings must be
/// these but for the ranks and their times. Then they have the same weights too. Throws as crew_of, compute_time_of and
/// planner::cluster_of do.
[[nodiscard]] sandblaster_result sandblaster_in_virtual_time(const train_settings& settings, portion_maths& maths);

} // namespace tutti::tools
