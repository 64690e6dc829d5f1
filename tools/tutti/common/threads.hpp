// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {

/// Runs `body(rank)` for all ranks, each on a thread of its own. What they throw is printed with the rank in front,
/// unless it says nothing. Returns whether none did.
[[nodiscard]] inline bool run_as_threads(int ranks, const std::function<void(int)>& body) {
    std::mutex one_at_a_time;
    bool all_well = true;
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < ranks; ++rank)
            threads.emplace_back([&, rank] {
                try {
                    body(rank);
                } catch (const std::exception& e) {
                    const std::scoped_lock lock{one_at_a_time};
                    if (*e.what()) fmt::print(stderr, "[{}] {}\n", rank, e.what()); // else another rank says it
                    all_well = false;
                }
            });
    }
    return all_well;
}

} // namespace tutti::tools
