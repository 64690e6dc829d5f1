// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../spread.hpp"
#include "training.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tutti::tools::study::compression {

/// All that the study measured. By the place of a way in `ways`.
struct results {
    design of;
    std::vector<std::vector<training_found>> runs; ///< then by seed
    std::vector<std::vector<double>> network_s;    ///< then by link
    std::vector<double> coding_s;
    std::string pictures;
    double wall_s = 0;
};

/// Of a way after its look number i.
[[nodiscard]] spread spread_at(const results& r, std::size_t way, std::size_t look_number, double look::*what);
/// After the last one.
[[nodiscard]] spread last_of(const results& r, std::size_t way, double look::*what);
/// The loss that a plain allreduce has after three quarters of the steps.
[[nodiscard]] double target_of(const results& r);
/// After how many steps the mean loss of a way is as low, if it ever is.
[[nodiscard]] std::optional<double> steps_to(const results& r, std::size_t way, double loss);
/// Virtual seconds of a step over a link: computing, coding and messages.
[[nodiscard]] double step_s(const results& r, std::size_t way, std::size_t link);
/// The place of the link for which curves are drawn, and of the fastest.
/// @{
[[nodiscard]] std::size_t slow_link(const results& r);
[[nodiscard]] std::size_t fast_link(const results& r);
/// @}
/// Bytes that rank 0 sends in a step.
[[nodiscard]] double bytes_of(const results& r, std::size_t way);

/// What follows, in sentences.
[[nodiscard]] std::vector<std::string> findings_of(const results& r);
/// For a terminal.
[[nodiscard]] std::string text_of(const results& r);
/// The page: what sections_page() takes.
[[nodiscard]] nlohmann::ordered_json content_of(const results& r);
/// All that was measured, for a JSON file.
[[nodiscard]] nlohmann::ordered_json facts_of(const results& r);

} // namespace tutti::tools::study::compression
