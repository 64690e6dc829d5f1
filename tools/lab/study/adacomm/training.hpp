// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../train/dataset.hpp"
#include "../processes.hpp"
#include "design.hpp"

#include <vector>

namespace tutti::tools::study::adacomm {

/// What the average of all ranks' weights is worth at one time.
struct look {
    double seconds = 0; ///< since the start, in virtual time
    double steps = 0;   ///< of each rank
    double loss = 0;    ///< on pictures of the training
    double error = 0;   ///< on those to test with
    double tau = 0;     ///< steps until the next average
};

/// A training until the budget is spent. It is looked at where weights have just been averaged, so that this needs no
/// message and takes no time. The last look is the first beyond the budget.
[[nodiscard]] std::vector<look> trained(const design& d, const strategy& by, std::uint64_t seed,
                                        const dataset& training, const dataset& testing);

} // namespace tutti::tools::study::adacomm
