// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/allreduce.hpp>

#include <collectives/algorithm/all.hpp>

#include "support/expect.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tutti::test {

[[nodiscard]] inline int element_of(std::size_t i, int rank) { return static_cast<int>(i % 251) * (rank + 1); }

/// An allreduce of that many elements is exact, out of place and in place.
template <class World>
void expect_allreduce(const World& world, const algorithm::any& how, std::size_t count) {
    const int size = world.size();
    std::vector<int> in(count), out(count), wanted(count);
    for (std::size_t i = 0; i < count; ++i) {
        in[i] = element_of(i, world.rank());
        wanted[i] = static_cast<int>(i % 251) * size * (size + 1) / 2;
    }
    world.allreduce(in, out, sum, how);
    const auto where = std::string(how.name()) + " of " + std::to_string(count);
    expect(out == wanted, where + " is exact");
    world.allreduce(in, sum, how);
    expect(in == wanted, where + " is exact in place");
}

/// Every algorithm of an allreduce is, from no elements to `most`.
template <class World>
void expect_all_algorithms(const World& world, std::size_t most = 65'537) {
    const auto p = static_cast<std::size_t>(world.size());
    for (const auto& how : algorithm::all(schedule::operation::allreduce, 3))
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, p - 1, p, std::size_t{1000}, most})
            expect_allreduce(world, how, count);
}

} // namespace tutti::test
