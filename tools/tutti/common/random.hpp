// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace tutti::tools {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers from the same seed on every machine and compiler, which the
/// distributions of <random> do not promise.
class random_source {
public:
    explicit constexpr random_source(std::uint64_t seed) noexcept : state_(seed) {}

    constexpr std::uint64_t next() noexcept {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    /// Evenly from [low, high).
    constexpr double between(double low, double high) noexcept {
        return low + (high - low) * (static_cast<double>(next() >> 11) * 0x1p-53);
    }
    /// Evenly from [0, bound), bound at least 1.
    constexpr std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

private:
    std::uint64_t state_;
};

/// A seed that is as different from that of (seed, other) as a random one.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t salt) noexcept {
    return random_source{seed ^ random_source{salt}.next()}.next();
}

} // namespace tutti::tools
