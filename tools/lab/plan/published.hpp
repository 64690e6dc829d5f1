// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cost.hpp"

#include <optional>
#include <span>
#include <string>

namespace tutti::tools::planner {

/// A training run that others have published.
struct published_run {
    const char* parameters; ///< in billions, as published
    gpt_shape shape;
    int tensor, pipeline, gpus, batch;
    int samples; ///< of a microbatch; 0: not published
    int zero;
    double teraflop_per_s; ///< a GPU
};

/// Narayanan et al. 2021, table 1: pipelines interleaved.
[[nodiscard]] std::span<const published_run> megatron_table_1();
/// The same, table 2: without sharding, and ZeRO level 3 without model parallelism.
[[nodiscard]] std::span<const published_run> megatron_table_2();
/// Zhao et al. 2023, section 5.4: level 3 as PyTorch has it.
[[nodiscard]] std::span<const published_run> fsdp_section_5();
/// The one run by which the efficiency of matrix products is fitted.
[[nodiscard]] const published_run& fitted_run();

/// What the planner predicts for a run on nodes like these; what is not published is the best that the planner finds.
/// As in these runs blocks are recomputed whole, and without sharding nothing hides the averaging of gradients.
[[nodiscard]] std::optional<plan> predicted(const published_run& run, const cluster& nodes);
/// The efficiency at which the prediction for the fitted run is exact.
[[nodiscard]] double fitted_efficiency(cluster nodes);

/// The tables and the ablations, predicted beside published, as Markdown.
[[nodiscard]] std::string published_report();
/// Its part about the figures 12 to 17.
[[nodiscard]] std::string ablation_report(const cluster& nodes);

} // namespace tutti::tools::planner
