// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../tutti/commands.hpp"

#include <string>
#include <vector>

namespace tutti::tools {

// As those of ../tutti/commands.hpp.
void add_rule(CLI::App& app, action& chosen);
void add_plan(CLI::App& app, action& chosen);
void add_study(CLI::App& app, action& chosen);
void add_train(CLI::App& app, action& chosen, std::vector<std::string> command_line);

} // namespace tutti::tools
