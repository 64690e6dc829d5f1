// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../processes.hpp"
#include "../spread.hpp"
#include "efficiency.hpp"
#include "recipe.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tutti::tools::study {

/// All that a study of large minibatches measured.
struct large_batch_results {
    design of;
    std::vector<run> runs;
    std::vector<numbers> errors; ///< by run: the test error after each epoch
    std::vector<scaling> scalings;
    planner::cluster on;
    step_shape step;
    double wall_s = 0;
    double cpu_s = 0; ///< of all trainings
};

/// The test error after an epoch, counted from 0, of all seeds.
[[nodiscard]] spread error_of(const large_batch_results& r, recipe how, std::size_t minibatch, std::size_t epoch);
/// After the last epoch, by minibatch.
[[nodiscard]] std::vector<spread> curve_of(const large_batch_results& r, recipe how);
/// The first minibatch from which on a curve is worse than where it begins: see where_it_breaks.
[[nodiscard]] std::optional<std::size_t> break_of(const large_batch_results& r, recipe how);

/// "12.07 ± 0.31 %": the mean, and two standard deviations.
[[nodiscard]] std::string percent_text(const spread& s);
/// In what this agrees with Goyal et al. 2017, and in what not.
[[nodiscard]] std::string comparison(const large_batch_results& r);
/// That, and where each curve is flat and where it breaks.
[[nodiscard]] std::vector<std::string> findings_of(const large_batch_results& r);
/// The efficiency of each algorithm on all nodes, beside what was published.
[[nodiscard]] std::string efficiency_sentence(const large_batch_results& r);
/// For a terminal.
[[nodiscard]] std::string text_of(const large_batch_results& r);
/// The page: what sections_page() takes.
[[nodiscard]] nlohmann::ordered_json content_of(const large_batch_results& r);
/// All that was measured, for a JSON file.
[[nodiscard]] nlohmann::ordered_json facts_of(const large_batch_results& r);

} // namespace tutti::tools::study
