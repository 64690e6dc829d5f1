// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "expect.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace tutti::test {

/// A point in a test that ranks (threads) pass on, outside of the transport under test.
class milestone {
public:
    // Release, with the acquire in reached(): who sees the milestone sees what led to it.
    void reach() noexcept { times_.fetch_add(1, std::memory_order_release); }
    [[nodiscard]] bool reached(int times = 1) const noexcept { return times_.load(std::memory_order_acquire) >= times; }
    /// Blocks without driving anything.
    void await(const std::string& name, int times = 1) const {
        const auto deadline = std::chrono::steady_clock::now() + patience;
        while (!reached(times)) {
            expect(std::chrono::steady_clock::now() < deadline, name);
            std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }

private:
    std::atomic<int> times_{0};
};

} // namespace tutti::test
