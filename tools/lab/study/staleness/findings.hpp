// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../spread.hpp"
#include "curve.hpp"
#include "design.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tutti::tools::study::staleness {

/// All that the study measured.
struct results {
    design of;
    std::string pictures; ///< what they show
    std::vector<run> runs;
    std::vector<out_of_step_result> found; ///< by run
    double wall_s = 0;
};

/// The results of all seeds.
[[nodiscard]] std::vector<const out_of_step_result*> seeds_of(const results& r, std::size_t model, std::size_t how);

/// Steps of all workers in a virtual second.
[[nodiscard]] spread steps_a_second(const results& r, std::size_t model, std::size_t how);
/// The accuracy when the workers have made that share of all steps together.
[[nodiscard]] spread accuracy_after(const results& r, std::size_t model, std::size_t how, double share);
/// The mean accuracy of the seeds at a place that all of them have come to; else none.
[[nodiscard]] std::optional<double> mean_accuracy_at(const results& r, std::size_t model, std::size_t how, axis by,
                                                     double place);
/// One percent below the highest whole one that BSP reached with each seed and in each model of stragglers.
[[nodiscard]] double goal_of(const results& r);
/// Virtual seconds until a goal is reached, if it is with each seed.
[[nodiscard]] std::optional<spread> seconds_to(const results& r, std::size_t model, std::size_t how, double goal);
/// Shares of the reads by the clocks that they were old, of all seeds together.
[[nodiscard]] std::vector<double> staleness_of(const results& r, std::size_t model, std::size_t how);

/// In what this agrees with Ho et al. 2013, and in what not.
[[nodiscard]] std::string comparison(const results& r);
/// That, and what each model of stragglers shows.
[[nodiscard]] std::vector<std::string> findings_of(const results& r);
/// For a terminal.
[[nodiscard]] std::string text_of(const results& r);
/// The page: what sections_page() takes.
[[nodiscard]] nlohmann::ordered_json content_of(const results& r);
/// All that was measured, for a JSON file.
[[nodiscard]] nlohmann::ordered_json facts_of(const results& r);

} // namespace tutti::tools::study::staleness
