// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "command_text.hpp"

#include <string>

namespace tutti::tools {

/// The command whose arguments end in a program with arguments of its own.
inline constexpr auto starts_a_program = "run";

/// A script for that shell, which completes commands, options, values that are known, and file names.
[[nodiscard]] std::string bash_completion(const command_text& all);
[[nodiscard]] std::string zsh_completion(const command_text& all);
[[nodiscard]] std::string fish_completion(const command_text& all);

} // namespace tutti::tools
