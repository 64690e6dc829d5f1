// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../train/pictures.hpp"
#include "../processes.hpp"
#include "design.hpp"

namespace tutti::tools::study::distbelief {

/// Accuracy on the test pictures: seconds of virtual time and shares, one after the other. Throws as train_out_of_step
/// and sandblaster_in_virtual_time do.
[[nodiscard]] numbers accuracies(const design& d, const run& r, const picture_sets& pictures);

} // namespace tutti::tools::study::distbelief
