// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../spread.hpp"
#include "training.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tutti::tools::study::adacomm {

/// All that the study measured.
struct results {
    design of;
    std::vector<strategy> ways;
    std::vector<std::vector<std::vector<look>>> runs; ///< by way, then by seed
    std::string pictures;
    double wall_s = 0;
};

/// Of a run at a time, between two looks on a straight line.
[[nodiscard]] double value_at(const std::vector<look>& run, double seconds, double look::*what);
/// The same over all seeds of a way.
[[nodiscard]] spread spread_at(const results& r, std::size_t way, double seconds, double look::*what);
/// Times at equal distances up to the budget.
[[nodiscard]] std::vector<double> times_of(const results& r);
/// When the mean loss of a way first is as low, if it ever is.
[[nodiscard]] std::optional<double> time_to(const results& r, std::size_t way, double loss);
/// Seconds of a step, in the mean of a whole training.
[[nodiscard]] double step_s(const results& r, std::size_t way);
/// The fixed period, by its place, whose mean loss is lowest at a time.
[[nodiscard]] std::size_t best_fixed(const results& r, double seconds);

/// What follows, in sentences.
[[nodiscard]] std::vector<std::string> findings_of(const results& r);
/// For a terminal.
[[nodiscard]] std::string text_of(const results& r);
/// The page: what sections_page() takes.
[[nodiscard]] nlohmann::ordered_json content_of(const results& r);
/// All that was measured, for a JSON file.
[[nodiscard]] nlohmann::ordered_json facts_of(const results& r);

} // namespace tutti::tools::study::adacomm
