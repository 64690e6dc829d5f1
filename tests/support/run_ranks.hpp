// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace tutti::test {

/// Runs body(rank) for ranks 0 to ranks-1, each in its own thread, and joins them all. Then throws what the lowest
/// failing rank threw, with its rank in front: test frameworks' assertions belong to one thread, so bodies throw.
inline void run_ranks(int ranks, const std::function<void(int)>& body) {
    std::vector<std::string> failures(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    for (int rank = 0; rank < ranks; ++rank)
        threads.emplace_back([&body, rank, &failure = failures[static_cast<std::size_t>(rank)]] {
            try {
                body(rank);
            } catch (const std::exception& e) {
                failure = "rank " + std::to_string(rank) + ": " + e.what();
            }
        });
    for (auto& thread : threads) thread.join();
    for (const auto& failure : failures)
        if (!failure.empty()) throw std::runtime_error(failure);
}

} // namespace tutti::test
