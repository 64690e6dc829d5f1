// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../curve.hpp"
#include "train.hpp"

#include <span>
#include <string>

namespace tutti::tools {

/// Throws std::runtime_error where this build has no HTML reports.
void require_training_page();

/// A training as one page that needs no other file and no network. `steps` are the losses of steps by epoch.
[[nodiscard]] std::string training_html(const train_settings& settings, int ranks, std::span<const epoch_result> epochs,
                                        std::span<const curve_point> steps);

} // namespace tutti::tools
