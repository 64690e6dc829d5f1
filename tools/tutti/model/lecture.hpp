// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "pricing.hpp"

#include <cstddef>

namespace tutti::tools {

/// Gradients that are summed in every step. By default those of ResNet-50: 97.5 MiB of float32.
struct lecture_settings {
    std::size_t parameters = 25'557'032;
    double step_s = 1. / 3;
};

/// Prints how the ways to sum them compare on `ranks` ranks, at least 2, and why: each number is counted from the
/// schedules, each time is what `prices` predicts.
void lecture(int ranks, const lecture_settings& s, pricing& prices);

} // namespace tutti::tools
