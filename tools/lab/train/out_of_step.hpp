// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "pictures.hpp"
#include "train.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::tools {

class portion_maths;

/// What the weights of a store were worth at some moment.
struct tested_store {
    double seconds = 0;    ///< of virtual time since the first step began
    std::size_t steps = 0; ///< of all workers together; 0: not counted
    double loss = 0;       ///< of the test set, in nats a row
    double accuracy = 0;   ///< likewise
};

/// What a training with a parameter server came to in virtual time.
struct out_of_step_result {
    std::vector<tested_store> tests;      ///< in the order of time
    double seconds = 0;                   ///< until the workers had made all steps together
    std::size_t steps = 0;                ///< as many. Some were then under way, and tests may count those too
    std::vector<std::uint64_t> staleness; ///< reads of weights by the clocks that they were old, of all workers
};

/// Trains by one of the modes with servers, on settings.virtual_ranks ranks of settings.cluster in virtual time, in
/// this thread. The workers make settings.epochs passes over the data together: a fast one makes more steps than a slow
/// one. The first worker tests each `test_every` steps of its own; 0: those of an epoch. Testing takes no virtual time
/// but that of reading the weights.
///
/// Settings are as the command line says them. `pictures` saves to read them for each worker. The same settings give
/// the same bits. Throws as server_trainer, compute_time_of and planner::cluster_of do.
[[nodiscard]] out_of_step_result train_out_of_step(const train_settings& settings, std::size_t test_every = 0,
                                                   const picture_sets* pictures = nullptr);

/// Trains by Sandblaster, likewise. settings.compute is how long a portion takes. Returns what the weights were worth
/// after each step that ended an epoch; seconds are without the tests. A run may be one of many with the same `maths`,
/// whose settings must be these but for the ranks and their times. Then they have the same weights too. Throws as
/// crew_of, compute_time_of and planner::cluster_of do.
[[nodiscard]] std::vector<tested_store> sandblaster_in_virtual_time(const train_settings& settings,
                                                                    portion_maths& maths);

} // namespace tutti::tools
