// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../common/statistics.hpp"

#include <string>

#include <fmt/format.h>

namespace tutti::tools {

/// Four digits that matter, in at most seven columns.
[[nodiscard]] inline std::string figure(double value) {
    if (value >= 999.95) return fmt::format("{:.0f}", value);
    if (value >= 99.995) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

/// One time over another: 2.345, or three digits that matter where that is small.
[[nodiscard]] inline std::string ratio_figure(double value) {
    return value <= 0 || value >= 0.0995 ? fmt::format("{:.3f}", value) : fmt::format("{:#.3g}", value);
}

[[nodiscard]] inline std::string interval_figure(const interval& of_ratio) {
    return ratio_figure(of_ratio.low) + " to " + ratio_figure(of_ratio.high);
}

/// Like figure(), of a bandwidth in GB/s, or a rate in millions a second, of which little may be reached: 0.5122,
/// 0.00123, 8.0e-07.
[[nodiscard]] inline std::string bandwidth_figure(double value) {
    if (value <= 0 || value >= 0.9995) return figure(value);
    if (value < 1e-4) return fmt::format("{:.1e}", value);
    return fmt::format("{:.{}f}", value, value < 0.0995 ? 5 : 4);
}

} // namespace tutti::tools
