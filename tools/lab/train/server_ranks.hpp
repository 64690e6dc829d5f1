// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "train.hpp"

#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace tutti::tools {

[[nodiscard]] inline std::chrono::nanoseconds silence_of(const train_settings& s) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(s.silence));
}

/// Who serves, and who computes.
struct server_ranks {
    std::vector<int> servers; ///< the first ranks, settings.servers of them
    std::vector<int> others;
};

/// Throws std::invalid_argument where none is left to be what the others are called.
[[nodiscard]] inline server_ranks server_ranks_of(const train_settings& s, int ranks, const std::string& other) {
    if (ranks <= s.servers)
        throw std::invalid_argument(std::to_string(s.servers) + " servers of " + std::to_string(ranks) +
                                    " ranks leave no " + other);
    std::vector<int> all(static_cast<std::size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    return {{all.begin(), all.begin() + s.servers}, {all.begin() + s.servers, all.end()}};
}

} // namespace tutti::tools
