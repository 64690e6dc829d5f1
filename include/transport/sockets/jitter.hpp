// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace tutti::transport::bootstrap {

/// Numbers by which processes that act at once get out of step: they differ between processes and objects, and keep no
/// secret. SplitMix64 (Steele, Lea, Flood 2014). The standard header of random numbers takes a program a second to
/// compile.
class jitter {
public:
    jitter() noexcept
        : state_(static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
                 reinterpret_cast<std::uintptr_t>(this)) {}

    /// Of all below a bound, which is not 0.
    [[nodiscard]] std::uint64_t below(std::uint64_t bound) noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return (z ^ (z >> 31)) % bound;
    }

private:
    std::uint64_t state_;
};

} // namespace tutti::transport::bootstrap
