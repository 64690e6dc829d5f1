// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../train/dataset.hpp"
#include "../processes.hpp"
#include "design.hpp"

#include <vector>

namespace tutti::tools::study::compression {

/// What the weights are worth after some steps.
struct look {
    double steps = 0;
    double loss = 0;  ///< on pictures of the training
    double error = 0; ///< on those to test with
};

/// A training. Ranks are in step, so what they learn does not depend on the links: messages take no time here.
struct training_found {
    std::vector<look> looks;
    double bytes = 0; ///< that rank 0 sends in a step
};
[[nodiscard]] training_found trained(const design& d, std::string_view way, std::uint64_t seed, const dataset& training,
                                     const dataset& testing);

/// Virtual seconds in which the gradients of a step are averaged over such links. The compressor's own work takes none.
[[nodiscard]] double network_s(const design& d, std::string_view way, double mbit_s, const dataset& training);

/// Seconds in which this host's processor codes and decodes a gradient of the network: a call on one rank, without
/// messages, beyond that of a plain average. The median of several.
[[nodiscard]] double coding_s(const design& d, std::string_view way, std::size_t pixels);

} // namespace tutti::tools::study::compression
