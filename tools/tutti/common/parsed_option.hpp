// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "sizes.hpp"

#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>

namespace tutti::tools {

/// An option whose word goes to `parse`; what that refuses by std::invalid_argument, the command line refuses.
template <class Parse>
CLI::Option* add_parsed(CLI::App& command, const std::string& names, Parse&& parse, const std::string& text,
                        const char* type) {
    return command
        .add_option_function<std::string>(
            names,
            [parse](const std::string& word) {
                try {
                    parse(word);
                } catch (const std::invalid_argument& e) {
                    throw CLI::ValidationError(e.what());
                }
            },
            text)
        ->type_name(type);
}

/// A number of bytes; `to` must outlive the parsing.
template <class Value>
CLI::Option* add_size(CLI::App& command, const std::string& names, Value& to, const std::string& text) {
    return add_parsed(
        command, names, [&to](const std::string& word) { to = parse_size(word); }, text, "SIZE");
}

} // namespace tutti::tools
