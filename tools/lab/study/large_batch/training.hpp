// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../train/train.hpp"

#include <vector>

namespace tutti::tools::study {

/// The share of test pictures that are taken for something else, after each epoch of a training by one rank. A large
/// minibatch is computed in microbatches, whose gradients are added. The same numbers for the same settings. Throws as
/// trainer does.
[[nodiscard]] std::vector<double> test_errors(const train_settings& settings);

} // namespace tutti::tools::study
