// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tutti::tools {

/// What measure_rounds() tells the processes that it starts; nothing in others.
[[nodiscard]] std::optional<launched_round> launch_of_bench();

/// Starts the ranks that the settings ask for by this command line, once a round, in turn with the other program where
/// there is one. Returns the exit status of the command.
[[nodiscard]] int measure_rounds(bench_settings settings, const std::vector<std::string>& command);

/// A command line without these options and their values, written as "--name value", "--name=value" or "-nvalue".
[[nodiscard]] std::vector<std::string> without_options(const std::vector<std::string>& command,
                                                       const std::vector<std::string>& names);

} // namespace tutti::tools
