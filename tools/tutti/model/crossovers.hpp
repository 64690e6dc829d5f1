// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tutti::tools {

/// From `bytes` on, `to` is the fastest, where `from` was.
struct crossover {
    std::size_t bytes = 0;
    std::string from;
    std::string to;
    friend bool operator==(const crossover&, const crossover&) = default;
};

/// Where the winner changes between the smallest and the largest of the ascending sizes. Each change that two
/// neighbouring sizes show is narrowed down by bisection, until it is known to 1 part in 256 or to the byte, and what
/// wins only in between is found on the way. Costs at most 8 calls of `winner` for a change between n and 2n.
[[nodiscard]] inline std::vector<crossover> crossovers(std::span<const std::size_t> sizes,
                                                       const std::function<std::string(std::size_t)>& winner) {
    std::vector<crossover> found;
    if (sizes.empty()) return found;
    std::size_t low = sizes.front();
    std::string before = winner(low);
    for (const std::size_t end : sizes.subspan(1)) {
        const std::string last = winner(end);
        while (before != last) {
            std::size_t high = end;
            std::string after = last;
            while (high - low > 1 && high - low > low / 256) {
                const std::size_t middle = low + (high - low) / 2;
                if (std::string there = winner(middle); there == before) {
                    low = middle;
                } else {
                    high = middle;
                    after = std::move(there);
                }
            }
            found.push_back({high, before, after});
            low = high;
            before = after;
        }
        low = end;
    }
    return found;
}

} // namespace tutti::tools
