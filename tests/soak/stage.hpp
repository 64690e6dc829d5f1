// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"
#include "report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tutti::soak {

/// What the launcher saw of a world, beside the ranks' own reports.
struct outcome {
    std::vector<std::string> ends;     ///< of each process how it ended; empty: in good order
    std::optional<moment> went_on;     ///< when a stopped rank was sent SIGCONT
    bool upset = false;                ///< the signal was sent
    std::vector<std::string> leftover; ///< in /dev/shm, or processes
};

/// Runs the world of a plan: starts its ranks, does to them what it says, and waits until all have ended. From a
/// process that has one thread and no children.
[[nodiscard]] outcome perform(const plan& p, const reports& all);

/// A /dev/shm of this process and its children alone, where the system allows it: what is left there is then ours.
void take_private_shm() noexcept;

} // namespace tutti::soak
