// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../train/out_of_step.hpp"
#include "../processes.hpp"

#include <optional>
#include <span>

namespace tutti::tools::study::staleness {

/// A result as a process gives it, and back.
/// @{
[[nodiscard]] inline numbers numbers_of(const out_of_step_result& r) {
    numbers all = study::numbers_of(r.tests);
    all.insert(all.begin(), {r.seconds, static_cast<double>(r.steps), static_cast<double>(all.size())});
    all.insert(all.end(), r.staleness.begin(), r.staleness.end());
    return all;
}
[[nodiscard]] inline out_of_step_result result_of(const numbers& all) {
    const auto tests = std::span(all).subspan(3, static_cast<std::size_t>(all[2])),
               reads = std::span(all).subspan(3 + tests.size());
    return {of_numbers<tested_store>(tests), all[0], static_cast<std::size_t>(all[1]), {reads.begin(), reads.end()}};
}
/// @}

/// By what a curve of accuracy is drawn.
enum class axis : unsigned char { seconds, steps };
[[nodiscard]] inline double place_of(const tested_store& t, axis by) noexcept {
    return by == axis::seconds ? t.seconds : static_cast<double>(t.steps);
}

/// The accuracy at a place, on the line between the tests beside it. None before the first test and after the last.
[[nodiscard]] inline std::optional<double> accuracy_at(std::span<const tested_store> tests, axis by, double place) {
    if (tests.empty() || place < place_of(tests.front(), by)) return {};
    for (std::size_t i = 0; i < tests.size(); ++i) {
        const double here = place_of(tests[i], by);
        if (place > here) continue;
        if (place == here) return tests[i].accuracy;
        const double before = place_of(tests[i - 1], by);
        const double share = (place - before) / (here - before);
        return tests[i - 1].accuracy + share * (tests[i].accuracy - tests[i - 1].accuracy);
    }
    return {};
}

/// Where the accuracy is first reached, likewise. None where it never is.
[[nodiscard]] inline std::optional<double> place_of_accuracy(std::span<const tested_store> tests, axis by,
                                                             double accuracy) {
    for (std::size_t i = 0; i < tests.size(); ++i) {
        if (tests[i].accuracy < accuracy) continue;
        const double here = place_of(tests[i], by);
        if (i == 0) return here;
        const double share = (accuracy - tests[i - 1].accuracy) / (tests[i].accuracy - tests[i - 1].accuracy);
        const double before = place_of(tests[i - 1], by);
        return before + share * (here - before);
    }
    return {};
}

} // namespace tutti::tools::study::staleness
