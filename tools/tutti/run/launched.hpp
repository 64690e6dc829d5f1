// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

namespace tutti::tools {

/// The place of this process among those that a launcher started.
struct launched {
    int rank = 0;
    int size = 1;
    std::string launcher;  ///< its name
    bool by_tutti = false; ///< tutti run, which puts the rank in front of what all but some ranks print
};

/// Nothing where no launcher did, or where it started one process alone, as srun --pty does: a command that needs more
/// ranks starts them itself. Throws a tutti::error where a launcher is found that cannot be used.
[[nodiscard]] std::optional<launched> launched_place();

/// This process is a rank of a launcher's job, also where that has one process alone: unless more `ranks` were asked
/// for (0: it was not said how many), or it is in a shell of srun --pty. Throws like launched_place().
[[nodiscard]] bool is_launched_rank(int ranks);

/// Throws a std::invalid_argument where a launcher started several processes, each of which would do all of `work`.
void require_no_launcher(const std::string& work);

} // namespace tutti::tools
