// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tutti::tools {

/// What the chosen subcommand does once the whole command line is understood; returns the exit status.
using action = std::function<int()>;

// Each adds its subcommand to `app`, and sets `chosen` when the command line names it.
void add_draw(CLI::App& app, action& chosen);
void add_env(CLI::App& app, action& chosen);
void add_fit(CLI::App& app, action& chosen);
void add_verify(CLI::App& app, action& chosen);
void add_explain(CLI::App& app, action& chosen);
void add_export(CLI::App& app, action& chosen);
void add_model(CLI::App& app, action& chosen);
void add_ps(CLI::App& app, action& chosen);
// Speaks of all commands that `app` has once its command line is understood.
void add_manual(CLI::App& app, action& chosen);
// These start ranks with the same command line.
void add_bench(CLI::App& app, action& chosen, std::vector<std::string> command_line);
// `program` is what the ranks run, with its arguments.
void add_run(CLI::App& app, action& chosen, std::vector<std::string> program);
void add_run_agent(CLI::App& app, action& chosen);

/// All of these but the last two, and what is done without a subcommand.
void add_commands(CLI::App& app, action& chosen, const std::vector<std::string>& command_line);

/// Where in the command line of `tutti run` the program begins, or the "--" before it; `argc` if it is another
/// subcommand's, or names none. What follows belongs to the program, whatever it looks like.
[[nodiscard]] int program_begins(int argc, const char* const* argv);

} // namespace tutti::tools
