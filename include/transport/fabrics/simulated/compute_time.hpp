// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

namespace tutti::transport {

/// How long a rank computes, drawn by chance: by seed, rank and step alone, whatever the order of the draws.
struct compute_time {
    /// The distributions.
    enum class law : std::uint8_t {
        constant,    ///< `typical` each time
        lognormal,   ///< of median `typical`; the logarithm's standard deviation is `spread`
        exponential, ///< of mean `typical`
    };
    law by = law::constant;                   ///< the distribution
    std::chrono::duration<double> typical{0}; ///< its constant, median or mean
    double spread = 0;                        ///< of a lognormal one
    int slow_rank = -1;                       ///< one that always takes `slow_factor` times as long; -1: none
    double slow_factor = 1;                   ///< of slow_rank
    double chance = 0;                        ///< with which any draw takes `chance_factor` times as long
    double chance_factor = 1;                 ///< of such draws
    std::uint64_t seed = 1;                   ///< of all draws

    /// The time of a step of a rank, no more than the longest that nanoseconds can say. Throws `error`
    /// (invalid_argument) where the figures give none: a negative one, or no number.
    [[nodiscard]] std::chrono::nanoseconds of(int rank, std::uint64_t step) const {
        double seconds = typical.count();
        if (by == law::lognormal) seconds *= std::exp(spread * normal(rank, step));
        if (by == law::exponential) seconds *= -std::log1p(-uniform(rank, step, 0));
        if (rank == slow_rank) seconds *= slow_factor;
        if (chance > 0 && uniform(rank, step, 2) < chance) seconds *= chance_factor;
        if (!(seconds >= 0)) reject("compute_time", "a step of " + std::to_string(seconds) + " s");
        constexpr double most = 9e18;
        if (seconds * 1e9 >= most) return std::chrono::nanoseconds::max();
        return std::chrono::nanoseconds(std::llround(seconds * 1e9));
    }

private:
    /// From 0 to below 1. Source of the mixing: Steele, Lea and Flood, SplitMix, OOPSLA 2014.
    [[nodiscard]] double uniform(int rank, std::uint64_t step, std::uint64_t draw) const noexcept {
        std::uint64_t x = seed;
        for (const std::uint64_t part : {static_cast<std::uint64_t>(rank), step, draw}) {
            x += part + 0x9e3779b97f4a7c15;
            x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
            x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
            x ^= x >> 31;
        }
        return static_cast<double>(x >> 11) * 0x1p-53;
    }
    /// Of mean 0 and variance 1. Source: Box and Muller, Annals of Mathematical Statistics 1958.
    [[nodiscard]] double normal(int rank, std::uint64_t step) const noexcept {
        const double radius = std::sqrt(-2 * std::log1p(-uniform(rank, step, 0)));
        return radius * std::cos(2 * std::numbers::pi * uniform(rank, step, 1));
    }
};

} // namespace tutti::transport
