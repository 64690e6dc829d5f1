// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "commands.hpp"

#include <functional>

namespace tutti::tools {

/// Adds subcommands, and what is done without one.
using commands_adder = std::function<void(CLI::App&, action&)>;

/// A command that has these subcommands and `run`. Whichever it does, what is wrong is told in a sentence, and the exit
/// status is 0 only where all that it prints has been written.
[[nodiscard]] int main_of(int argc, char** argv, const commands_adder& add);

} // namespace tutti::tools
