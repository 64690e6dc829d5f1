// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "problem.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace tutti::tools::study::hogwild {

inline constexpr std::array ways{training::sharing::without_locks, training::sharing::locked,
                                 training::sharing::round_robin};
[[nodiscard]] constexpr std::string_view name_of(training::sharing by) noexcept {
    constexpr std::array<std::string_view, 3> names{"without locks", "locked", "round robin"};
    return names[static_cast<std::size_t>(by)];
}

/// How all problems are solved.
struct design {
    std::vector<int> threads{1, 2, 4};
    std::size_t passes = 10; ///< over the samples, by all threads together
    double kept = 0.9;       ///< of the rate, in each pass
    float sparse_rate = 2, dense_rate = 0.01F;
    std::size_t seeds = 5;
};

/// Which descent is measured when. Places are those of the problems, of `ways` and of design::threads.
struct turn {
    std::uint64_t seed;
    std::size_t problem, threads, way;
    bool counts; ///< else it warms caches and clocks for the next ones
};
/// One at a time, and all of a seed one after the other, so that what else the host does meets all alike. The first
/// of a problem would pay for what its samples cost to fetch, and it is what all are compared with: so it runs twice.
[[nodiscard]] std::vector<turn> turns_of(const design& d, std::size_t problems);

/// One descent.
struct descent {
    double seconds = 0;         ///< of all passes, without the tests between
    std::vector<double> losses; ///< after each pass
    double error = 0;           ///< at the end
};
[[nodiscard]] descent descended(const design& d, const problem& p, float rate, int threads, training::sharing by,
                                std::uint64_t seed);

} // namespace tutti::tools::study::hogwild
