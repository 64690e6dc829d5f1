// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../spread.hpp"
#include "measured.hpp"

#include <string>
#include <vector>

namespace tutti::tools::study::hogwild {

/// Descents of one problem, by way, then by number of threads, then by seed.
struct solved {
    problem of;
    float rate = 0;
    std::vector<std::vector<std::vector<descent>>> descents{};
};

/// All that the study measured.
struct results {
    design of;
    std::vector<solved> problems; ///< sparse and dense
    unsigned cores = 1;
    double load = 0; ///< processes that ran on this host in the last minute, at the end
    double wall_s = 0;
};

/// Samples a second, of each seed.
[[nodiscard]] spread samples_a_second(const solved& one, std::size_t passes, std::size_t way, std::size_t threads);
/// How many times as fast as one thread without locks, of each seed.
[[nodiscard]] spread speed_up(const solved& one, std::size_t way, std::size_t threads);
/// The loss after the last pass.
[[nodiscard]] spread last_loss(const solved& one, std::size_t way, std::size_t threads);
/// The test error likewise.
[[nodiscard]] spread last_error(const solved& one, std::size_t way, std::size_t threads);

/// What follows, in sentences.
[[nodiscard]] std::vector<std::string> findings_of(const results& r);
/// For a terminal.
[[nodiscard]] std::string text_of(const results& r);
/// The page: what sections_page() takes.
[[nodiscard]] nlohmann::ordered_json content_of(const results& r);
/// All that was measured, for a JSON file.
[[nodiscard]] nlohmann::ordered_json facts_of(const results& r);

} // namespace tutti::tools::study::hogwild
