// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "pricing.hpp"
#include "report.hpp"

namespace tutti::tools {

/// The machine's parameters as the page shows them, with units. What costs nothing is left out.
[[nodiscard]] model_parameters parameters_of(const pricing& prices, int most_ranks);

} // namespace tutti::tools
