// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace tutti::transport::bootstrap::detail {

/// The first host of a list as Slurm writes it: "a", "n1,n2", "n[01-04,7],m", "r[1-2]c[1-4]". Empty where the text is
/// no such list.
[[nodiscard]] inline std::string first_host(std::string_view list) {
    std::string host;
    while (!list.empty() && list.front() != ',') {
        if (list.front() != '[') {
            if (list.front() == ']') return {};
            host += list.front();
            list.remove_prefix(1);
            continue;
        }
        const auto close = list.find(']');
        if (close == std::string_view::npos) return {};
        const auto inside = list.substr(1, close - 1);
        const auto first = inside.substr(0, inside.find_first_of("-,"));
        if (first.empty() || first.find_first_not_of("0123456789") != std::string_view::npos) return {};
        host += first;
        list.remove_prefix(close + 1);
    }
    return host.find_first_of(" \t/:") == std::string::npos ? host : std::string();
}

} // namespace tutti::transport::bootstrap::detail
