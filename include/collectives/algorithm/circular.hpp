// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

#include <algorithm>
#include <bit>

namespace tutti::algorithm::detail {

/// How many doublings it takes from one rank to all: log2 P, rounded up.
[[nodiscard]] constexpr int doublings(int size) noexcept {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1)));
}

/// The rank at that distance up the circle, or down where it is negative; less than `size`.
[[nodiscard]] constexpr int round_the_circle(const position& p, int distance) noexcept {
    return (p.rank + p.size + distance) % p.size;
}

/// Which part of a message is worked on first.
enum class part_first : bool { near, far };

/// Emits one message about `count` shards in a row, from shard `first` on round the circle of all: in one part, or in
/// two where it goes past the last shard. `step_of(first, count)` makes the step for a range of shards.
template <class Put>
constexpr void put_circular(const position& p, int first, int count, part_first order, const auto& step_of, Put&& put) {
    const int near = p.size - first, far = count - near;
    if (far <= 0) return void(put(step_of(first, count)));
    put(schedule::joined(order == part_first::near ? step_of(first, near) : step_of(0, far)));
    put(order == part_first::near ? step_of(0, far) : step_of(first, near));
}

/// The time of rounds that all ranks go through in step. Round n has a message of bytes(n), on which its receiver works
/// each_s(n). Where it does not follow from the one before, it is under way with that.
template <class Costs>
[[nodiscard]] constexpr auto time_in_step(const Costs& c, int rounds, const auto& bytes, const auto& each_s,
                                          const auto& follows) {
    double sum = 0, held = 0;
    bool all_follow = true;
    for (int n = 0; n < rounds; ++n) {
        const double work = each_s(n);
        if (n == 0 || follows(n)) {
            sum += held + c.message(bytes(n)) + work;
        } else {
            sum += std::max(c.send(bytes(n - 1)), c.take(bytes(n), work));
            all_follow = false;
        }
        held = c.hold(bytes(n), work);
    }
    return c.time(sum, all_follow && c.plain() && c.answers_at_once() && c.divides(c.size));
}

} // namespace tutti::algorithm::detail
