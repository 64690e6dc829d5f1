// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <fstream>

namespace tutti::soak {

/// How long the calling thread has waited for a processor: schedstat of proc(5). Zero where the kernel does not tell.
[[nodiscard]] inline std::chrono::nanoseconds waited_for_processor() {
    long long ran = 0, waited = 0;
    std::ifstream("/proc/thread-self/schedstat") >> ran >> waited;
    return std::chrono::nanoseconds(waited);
}

/// Looks at how long a rank's thread waits for a processor between two looks. A rank that the machine keeps from
/// running for as long as a deadline is late, and nobody can tell it from a rank that is stopped.
class scheduling_watch {
public:
    /// Called at each step.
    void look() {
        const auto waited = waited_for_processor();
        longest_ = std::max(longest_, waited - last_);
        last_ = waited;
    }
    /// The longest from look to look.
    [[nodiscard]] std::chrono::milliseconds longest() const noexcept {
        return std::chrono::duration_cast<std::chrono::milliseconds>(longest_);
    }

private:
    std::chrono::nanoseconds last_ = waited_for_processor(), longest_{0};
};

} // namespace tutti::soak
