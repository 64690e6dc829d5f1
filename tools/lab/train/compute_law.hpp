// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/fabrics/simulated/compute_time.hpp>

#include <string>

namespace tutti::tools {

/// What --compute and --stragglers say. Throws std::invalid_argument where it is not understood.
[[nodiscard]] transport::compute_time compute_time_of(const std::string& law, const std::string& stragglers,
                                                      std::uint64_t seed);

} // namespace tutti::tools
