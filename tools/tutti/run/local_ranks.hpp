// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "launch.hpp"

#include <csignal>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools {

/// The exit status of a rank that has nothing more to say about what went wrong: all of it has been printed. Of a rank
/// that another launcher started it is 1, as of the command.
inline constexpr int result_is_wrong = 3;

/// The exit status of a rank, and of the command, where nothing is wrong but something became slower than it was.
inline constexpr int became_slower = 4;

/// Likewise, where not all could be compared with what it was.
inline constexpr int not_compared = 5;

/// Likewise, where who read the output has gone: as if the signal had ended it, and nothing is said.
inline constexpr int nobody_reads = 128 + SIGPIPE;

/// Options for starting this very program again, with the same command line, as `ranks` ranks. Rank 0 writes straight
/// to the terminal.
[[nodiscard]] launch_options local_ranks(const std::vector<std::string>& command_line, int ranks);

/// The exit status of a rank that cannot make sense of its command line.
inline constexpr int usage_is_wrong = 2;

/// Runs a rank's part and gives its exit status: after an exception, which is printed, `usage_is_wrong` if it is a
/// std::invalid_argument, and 1 otherwise.
[[nodiscard]] int as_rank(const std::function<int()>& part);

/// Says who failed first, where that is news, and gives the exit status: 0, 1, 2 for a wrong command line,
/// 128 and the number of a signal that ended it, or one of those above.
[[nodiscard]] int report_launch(std::string_view command, const launch_result& result);

} // namespace tutti::tools
