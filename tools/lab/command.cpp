// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "command.hpp"

#include "../tutti/command_line.hpp"
#include "commands.hpp"

#include <string>
#include <vector>

namespace tutti::tools::lab {

int main(int argc, char** argv) {
    return main_of(argc, argv, [&](CLI::App& app, action& chosen) {
        const std::vector<std::string> command_line(argv, argv + argc);
        add_commands(app, chosen, command_line);
        add_rule(app, chosen);
        add_plan(app, chosen);
        add_train(app, chosen, command_line);
        add_study(app, chosen);
    });
}

} // namespace tutti::tools::lab
