// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "lists.hpp"
#include "nearest.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

namespace tutti::tools {

/// An option takes one of these words; what it refuses is told with the nearest of them.
[[nodiscard]] inline CLI::Validator one_of(std::vector<std::string> words) {
    const std::string all = join(words, ",");
    return {[words = std::move(words), all](std::string& word) -> std::string {
                if (std::find(words.begin(), words.end(), word) != words.end()) return {};
                return "'" + word + "' is none of them" + did_you_mean(word, words) + "choose one of " + all;
            },
            "{" + all + "}"};
}

} // namespace tutti::tools
