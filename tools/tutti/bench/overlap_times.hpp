// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <optional>

namespace tutti::tools {

/// How much of a non-blocking call a computation hides, by the measure of the Intel MPI benchmarks.
struct overlap_times {
    double pure_us = 0;    ///< the call alone: p50 of the slowest rank, as the others
    double compute_us = 0; ///< the computation alone
    double both_us = 0;    ///< the call started, the computation, and the wait for the call

    /// By how much times may differ that belong together, relative to the shorter.
    static constexpr double most = 1.5;
    /// The call and the computation alone take about as long as each other.
    [[nodiscard]] bool comparable() const {
        return pure_us > 0 && compute_us > 0 && compute_us <= most * pure_us && pure_us <= most * compute_us;
    }
    /// From 0, nothing, to 100. None where the times do not belong together, as on ranks that wait for a core: call and
    /// computation alone are not comparable, or both at once took less than one of them, or far more than their sum.
    [[nodiscard]] std::optional<double> percent() const {
        constexpr double noise = 0.9;
        const double shorter = std::min(pure_us, compute_us), longer = std::max(pure_us, compute_us);
        if (!comparable() || both_us < noise * longer || both_us > most * (pure_us + compute_us)) return std::nullopt;
        return std::clamp(100 * (pure_us + compute_us - both_us) / shorter, 0., 100.);
    }
};

} // namespace tutti::tools
