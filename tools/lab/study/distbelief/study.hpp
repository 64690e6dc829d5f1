// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../spread.hpp"
#include "../staleness/curve.hpp"
#include "design.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tutti::tools::study::distbelief {

/// The tests of a training, in the order of time.
using series = std::vector<tested_store>;

/// All that was measured.
struct results {
    design of;
    std::string pictures; ///< what they show
    std::vector<run> runs;
    std::vector<series> tests; ///< by run
    double wall_s = 0;
    double cpu_s = 0;
};

/// The runs of all seeds.
[[nodiscard]] std::vector<const series*> seeds_of(const results& r, method how, int replicas, bool stragglers);
/// Seconds to the target. None where a seed does not reach it.
[[nodiscard]] std::optional<spread> time_of(const results& r, method how, int replicas, bool stragglers);

/// In what this agrees with the paper and in what not, each sentence by what was measured.
[[nodiscard]] std::vector<std::string> findings_of(const results& r);
/// For a terminal.
[[nodiscard]] std::string text_of(const results& r);

/// The page, as tools/report/study/page.js takes it.
[[nodiscard]] nlohmann::ordered_json content_of(const results& r);

} // namespace tutti::tools::study::distbelief
