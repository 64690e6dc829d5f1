// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../study.hpp"
#include "accuracy.hpp"
#include "measured.hpp"

namespace tutti::tools::study::pipeline {

/// What has run: real pipelines, and training with old weights.
struct results {
    std::string data; ///< what the pictures show
    double load = 0;  ///< processes that wanted a core in the minute before, as the system counts them
    unsigned cores = 1;
    std::vector<measurement> measured;
    learning learnt;
};

/// "4 ranks that sleep".
[[nodiscard]] std::string words_of(const measurement& m);
/// The learning rates of the curves.
[[nodiscard]] std::vector<double> rates_of(const learning& l);

/// Sentences that follow, beside what the papers claim.
[[nodiscard]] std::vector<std::string> findings_of(const results& r);

/// The page, as tools/report/study/page.js takes it: what the steps say, what was measured, and what follows.
[[nodiscard]] nlohmann::ordered_json content_of(const results& r);

} // namespace tutti::tools::study::pipeline
