// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "completion.hpp"

#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::tools {
namespace {

// As a part of a specification between single quotes: brackets and colons have a meaning there.
std::string zsh_quoted(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
            continue;
        }
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zsh_action(const option_text& o) {
    if (o.file) return "_files";
    return o.words.empty() ? " " : fmt::format("({})", zsh_quoted(fmt::format("{}", fmt::join(o.words, " "))));
}

// A specification for _arguments by each name: "-n+" and "--ranks=" take a value in the same word or in the next one.
std::string zsh_options(const command_text& command, std::string_view indent) {
    std::string out;
    for (const option_text& o : command.options)
        for (const std::string& name : o.names) {
            const bool takes = !o.value.empty(), is_long = name.starts_with("--");
            out += fmt::format("{}'({}){}{}[{}]", indent, fmt::join(o.names, " "), name,
                               !takes    ? ""
                               : is_long ? "="
                                         : "+",
                               zsh_quoted(o.description));
            out += takes ? fmt::format(":{}:{}' \\\n", zsh_quoted(o.value), zsh_action(o)) : "' \\\n";
        }
    return out;
}

} // namespace

std::string zsh_completion(const command_text& all) {
    std::string out = "#compdef tutti\n# Completes the command line of tutti in zsh. Made by: tutti completion zsh\n\n";
    out += "_tutti() {\n    local context state line\n    typeset -A opt_args\n    local -a commands=(\n";
    for (const command_text& command : all.commands)
        out += fmt::format("        '{}:{}'\n", command.name, zsh_quoted(command.description));
    out += "    )\n    _arguments -C \\\n" + zsh_options(all, "        ");
    out += "        '1:command:->command' '*::argument:->argument' && return\n";
    out += "    if [[ $state == command ]]; then\n        _describe command commands\n        return\n    fi\n";
    out += "    case $line[1] in\n";
    for (const command_text& command : all.commands) {
        out += fmt::format("    {})\n        _arguments \\\n{}", command.name, zsh_options(command, "            "));
        out += command.name == starts_a_program
                   ? "            '(-)1:program:_command_names -e' '*::argument:_normal'\n        ;;\n"
                   : "            && return\n        ;;\n";
    }
    return out + "    esac\n}\n\n_tutti \"$@\"\n";
}

} // namespace tutti::tools
