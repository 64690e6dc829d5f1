// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tutti::tools {

/// What the command line knows of one option.
struct option_text {
    std::vector<std::string> names; ///< with their dashes, short ones first
    std::string value;              ///< what stands for its value in a help text; empty where it takes none
    std::string range;              ///< which numbers it takes, in words; empty where it takes others too
    std::string description;
    std::vector<std::string> words; ///< its values, or beginnings of them, where they are known
    bool required = false;
};

/// What it knows of one command, or of all of them.
struct command_text {
    std::string name;
    std::string description;
    std::string footer;
    std::vector<option_text> options;
    std::vector<option_text> arguments; ///< what has no dashes: its one name is what stands for it
    std::vector<command_text> commands;
};

/// The texts of an application and its subcommands, from which manual pages are made.
[[nodiscard]] command_text text_of(const CLI::App& app);

} // namespace tutti::tools
