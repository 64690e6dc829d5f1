// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

namespace tutti::tools {

/// Throws std::invalid_argument where the settings make no sense for that many ranks, whatever files they name.
void check_settings(const bench_settings& settings, int ranks);

} // namespace tutti::tools
