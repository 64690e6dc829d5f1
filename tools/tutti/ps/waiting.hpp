// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "observed.hpp"

#include <string>
#include <utility>
#include <vector>

namespace tutti::tools {

/// Why a job does not go on.
struct explanation {
    std::string kind;     ///< none, dead, stopped, elsewhere, outside, silent, unknown, alone, circle, mismatch
    int rank = -1;        ///< at the root; -1 if none
    std::string sentence; ///< for people
    std::string drawing;  ///< which rank waits for which, in lines; empty if none waits
    std::vector<std::pair<int, int>> waits; ///< from rank to rank, of calls that their programs wait for
};

/// The root of the waiting, found as the coordinator would find it if a deadline passed now.
[[nodiscard]] explanation explain_waiting(const observed_job& job);

/// "2.1 s", "3 min 20 s".
[[nodiscard]] std::string duration_text(double seconds);
/// "rank 3", "ranks 0, 1 and 3".
[[nodiscard]] std::string ranks_text(const std::vector<int>& ranks);

} // namespace tutti::tools
