// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

namespace tutti::tools {

/// Names and values of all variables in the environment that begin with TUTTI_, in the order of their names.
[[nodiscard]] inline std::vector<std::pair<std::string, std::string>> own_variables() {
    std::vector<std::pair<std::string, std::string>> all;
    for (char** variable = environ; *variable; ++variable) {
        const std::string_view text{*variable};
        const std::string_view name = text.substr(0, text.find('='));
        if (name.starts_with("TUTTI_")) all.emplace_back(name, text.substr(std::min(name.size() + 1, text.size())));
    }
    std::sort(all.begin(), all.end());
    return all;
}

} // namespace tutti::tools
