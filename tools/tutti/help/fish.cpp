// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "completion.hpp"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::tools {
namespace {

std::string fish_quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

// -x: takes a value, which is no file name; -r -F: one that is.
std::string fish_option(const option_text& o, std::string_view condition) {
    std::string out = fmt::format("complete -c tutti -n {}", fish_quoted(condition));
    for (const std::string& name : o.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!o.value.empty()) out += o.file ? " -r -F" : " -x";
    if (!o.words.empty()) out += fmt::format(" -a {}", fish_quoted(fmt::format("{}", fmt::join(o.words, " "))));
    return out + fmt::format(" -d {}\n", fish_quoted(o.description));
}

} // namespace

std::string fish_completion(const command_text& all) {
    constexpr std::string_view no_command = "__fish_use_subcommand";
    std::string out = "# Completes the command line of tutti in fish. Made by: tutti completion fish\n";
    out += "complete -c tutti -f\n";
    for (const option_text& o : all.options) out += fish_option(o, no_command);
    for (const command_text& command : all.commands) {
        out += fmt::format("complete -c tutti -n {} -a {} -d {}\n", fish_quoted(no_command), command.name,
                           fish_quoted(command.description));
        const std::string chosen = "__fish_seen_subcommand_from " + command.name;
        for (const option_text& o : command.options) out += fish_option(o, chosen);
        if (command.name == starts_a_program) out += fmt::format("complete -c tutti -n {} -F\n", fish_quoted(chosen));
    }
    return out;
}

} // namespace tutti::tools
