// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <training/pipeline/step.hpp>

#include <string_view>

#include <nlohmann/json_fwd.hpp>

/// Parts of the page that come out of the steps alone: a timeline in which a stage takes 1 forwards and 2 backwards,
/// and messages take no time.
namespace tutti::tools::study::pipeline {

/// The mean share of idle time over the workers.
[[nodiscard]] double bubble_of(std::string_view schedule, const training::pipeline::shape& of);
/// (S-1) / (M+S-1), where interleaving divides S-1 by the chunks.
[[nodiscard]] double formula_of_bubble(const training::pipeline::shape& of);
/// The largest difference between the two, over all that the page shows. The schedules are GPipe and 1F1B.
[[nodiscard]] double largest_difference_of_bubble();

[[nodiscard]] nlohmann::ordered_json bubble_charts();
/// Activations, versions and staleness by stage.
[[nodiscard]] nlohmann::ordered_json held_charts();
/// A timeline of each of the four.
[[nodiscard]] nlohmann::ordered_json timelines();

} // namespace tutti::tools::study::pipeline
