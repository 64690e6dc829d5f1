// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <fmt/format.h>

namespace tutti::tools {

/// Four digits that matter, in at most seven columns.
[[nodiscard]] inline std::string figure(double value) {
    if (value >= 999.95) return fmt::format("{:.0f}", value);
    if (value >= 99.995) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

/// Likewise of a bandwidth in GB/s, or a rate in millions a second, of which little may be reached: 0.5122, 0.00123,
/// 8.0e-07.
[[nodiscard]] inline std::string bandwidth_figure(double value) {
    if (value <= 0 || value >= 0.9995) return figure(value);
    if (value < 1e-4) return fmt::format("{:.1e}", value);
    return fmt::format("{:.{}f}", value, value < 0.0995 ? 5 : 4);
}

} // namespace tutti::tools
