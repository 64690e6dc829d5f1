// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/schedule/verify.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools {

/// A rank that waits, by its first step that cannot complete.
struct waiting_step {
    int rank, step, peer;
};

/// Ranks that wait for each other in a circle where a program stands still, each for the next, the last for the first.
/// Empty where there is none, or the program comes to its end. Precondition: its steps are sound by themselves.
[[nodiscard]] std::vector<waiting_step> circle_of(const schedule::program& p);

/// "ranks 0, 1 and 2 wait for each other in a circle: rank 0, step 0 (...), waits for rank 2; ...".
[[nodiscard]] std::string in_words(const schedule::program& p, const std::vector<waiting_step>& circle);

/// SVG of the steps that lead to a flaw, a column a rank: what is done, what waits, what is never reached; the broken
/// steps and a circle of waiting ranks are red. Of many ranks and steps those around the flaw.
[[nodiscard]] std::string counterexample_svg(const schedule::program& p, const schedule::finding& flaw,
                                             std::string_view title);

} // namespace tutti::tools
