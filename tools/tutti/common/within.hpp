// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {

/// An option takes a real number of these bounds, which are told as people write them.
[[nodiscard]] inline CLI::Validator within(double least, double most) {
    return {[=](std::string& word) -> std::string {
                double value = 0;
                if (CLI::detail::lexical_cast(word, value) && value >= least && value <= most) return {};
                return fmt::format("'{}' is no number from {} to {}", word, least, most);
            },
            fmt::format("FLOAT in [{} - {}]", least, most)};
}

} // namespace tutti::tools
