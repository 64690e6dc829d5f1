// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/calls/uneven.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace tutti::test::displaced_parts {

using numbers = std::vector<std::size_t>;
inline constexpr int canary = -7;

inline std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

/// Element i of what rank `from` has for rank `to`.
inline int element(int from, int to, std::size_t i) { return 10'000'000 * from + 10'000 * to + static_cast<int>(i); }
inline std::vector<int> data(int from, int to, std::size_t count) {
    std::vector<int> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(element(from, to, i));
    return all;
}

/// A count for each rank, the same on all of them; many are 0.
inline numbers drawn_counts(int ranks, unsigned seed) {
    std::minstd_rand dice(seed);
    numbers all;
    for (int r = 0; r < ranks; ++r) all.push_back(dice() % 3 == 0 ? 0 : dice() % 900);
    return all;
}

/// A buffer whose parts lie in a random order, with random gaps, which hold canaries.
struct scattered {
    numbers counts, displacements;
    std::vector<int> memory;

    scattered(numbers parts, unsigned seed) : counts(std::move(parts)), displacements(counts.size()) {
        std::minstd_rand dice(seed);
        numbers order(counts.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), dice);
        std::size_t end = 0;
        for (const std::size_t r : order) {
            displacements[r] = end + (dice() % 2 == 0 ? 0 : dice() % 40);
            end = displacements[r] + counts[r];
            if (counts[r] == 0 && dice() % 2 == 0)
                displacements[r] = 1'000'000; // is not looked at
            else if (counts[r] == 0)
                end = displacements[r];
        }
        memory.assign(end + dice() % 20, canary);
    }
    [[nodiscard]] auto parts() const { return displaced{std::span(counts), std::span(displacements)}; }
    [[nodiscard]] std::span<int> part(std::size_t r) {
        return counts[r] == 0 ? std::span<int>{} : std::span(memory).subspan(displacements[r], counts[r]);
    }
    /// Puts data in, as `of(rank, count)` gives them.
    scattered& fill(auto&& of) {
        for (std::size_t r = 0; r < counts.size(); ++r) {
            const auto mine = of(static_cast<int>(r), counts[r]);
            std::copy(mine.begin(), mine.end(), part(r).begin());
        }
        return *this;
    }
};

/// What a rank sends in an alltoallv, where it receives, and what.
struct exchanged {
    scattered in, out, wanted;
};
inline exchanged blocks_of(int rank, int size, unsigned seed) {
    numbers sent, received;
    for (int q = 0; q < size; ++q) {
        sent.push_back(drawn_counts(size, seed + static_cast<unsigned>(rank))[index(q)]);
        received.push_back(drawn_counts(size, seed + static_cast<unsigned>(q))[index(rank)]);
    }
    const auto own = static_cast<unsigned>(rank);
    exchanged e{{sent, seed + 3 * own}, {received, seed + 5 * own}, {received, seed + 5 * own}};
    e.in.fill([&](int to, std::size_t n) { return data(rank, to, n); });
    e.wanted.fill([&](int from, std::size_t n) { return data(from, rank, n); });
    return e;
}
} // namespace tutti::test::displaced_parts
