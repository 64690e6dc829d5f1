// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Averaging with neighbours. A graph is a pure function from a rank to those that it sends to. The messages, the
/// mixing matrix and its spectral gap all follow from it.
namespace tutti::training::gossip {

/// A graph has targets(rank, size, round): the ranks to which a rank sends in a round. There are as many of each rank,
/// the k-th targets of all ranks are all ranks, and a rank may be named twice or be its own target. Then each row and
/// each column of the mixing matrix adds up to 1. It has period(size): rounds after which it repeats itself.
template <class G>
concept graph = requires(const G& g, std::size_t round) {
    { g.targets(0, 1, round) } -> std::same_as<std::vector<int>>;
    { g.period(1) } -> std::convertible_to<std::size_t>;
};

/// Both neighbours on a ring. Source: D-PSGD, Lian et al. 2017.
struct ring {
    /// See graph.
    [[nodiscard]] static std::vector<int> targets(int rank, int size, std::size_t) {
        return {(rank + 1) % size, (rank + size - 1) % size};
    }
    /// It is always the same.
    [[nodiscard]] static std::size_t period(int) noexcept { return 1; }
};

/// Four neighbours on a torus, whose rows are as long as columns where the number of ranks allows it. A prime number of
/// ranks is one row, in which each has itself for two of its neighbours.
struct torus {
    /// How many ranks a column has: the largest divisor up to the root.
    [[nodiscard]] static int rows(int size) noexcept {
        int best = 1;
        for (int r = 1; r <= size / r; ++r)
            if (size % r == 0) best = r;
        return best;
    }
    /// See graph.
    [[nodiscard]] static std::vector<int> targets(int rank, int size, std::size_t) {
        const int height = rows(size), width = size / height, y = rank / width, x = rank % width;
        const auto at = [&](int row, int column) { return row % height * width + column % width; };
        return {at(y, x + 1), at(y, x + width - 1), at(y + 1, x), at(y + height - 1, x)};
    }
    /// It is always the same.
    [[nodiscard]] static std::size_t period(int) noexcept { return 1; }
};

namespace detail {
/// How many powers of two are less than the number of ranks.
[[nodiscard]] inline int distances(int size) noexcept {
    int count = 0;
    for (int left = size - 1; left > 0; left /= 2) ++count;
    return count;
}
[[nodiscard]] inline int up(int rank, int distance, int size) noexcept {
    return static_cast<int>((std::int64_t{rank} + distance) % size);
}
} // namespace detail

/// The ranks at distances 1, 2, 4, ... up the circle. Source: Ying et al., Exponential graph is provably efficient for
/// decentralized deep training, 2021.
struct exponential {
    /// See graph.
    [[nodiscard]] static std::vector<int> targets(int rank, int size, std::size_t) {
        std::vector<int> all;
        for (int k = 0; k < detail::distances(size); ++k) all.push_back(detail::up(rank, 1 << k, size));
        return all;
    }
    /// It is always the same.
    [[nodiscard]] static std::size_t period(int) noexcept { return 1; }
};

/// One of these distances in each round. If the number of ranks is a power of two, all have the average after a period.
/// Source: Assran et al., Stochastic gradient push, 2019; Ying et al. 2021.
struct one_peer_exponential {
    /// See graph.
    [[nodiscard]] static std::vector<int> targets(int rank, int size, std::size_t round) {
        if (size == 1) return {};
        return {detail::up(rank, 1 << round % period(size), size)};
    }
    /// log2 of the number of ranks, rounded up; 1 of one rank.
    [[nodiscard]] static std::size_t period(int size) noexcept {
        return static_cast<std::size_t>(std::max(1, detail::distances(size)));
    }
};

/// What a rank mixes in: another rank's vector, or its own.
struct link {
    int rank;     ///< whose
    float weight; ///< what part of the new vector it is
};

/// The links that a rank mixes in a round, by rank, itself among them. Each vector that is sent to it, and its own,
/// have the same weight; those that come twice have it twice. Cost: that of targets() for all ranks.
template <graph G>
[[nodiscard]] std::vector<link> incoming(const G& g, int rank, int size, std::size_t round) {
    std::vector<link> all;
    const float share = 1.0F / static_cast<float>(1 + g.targets(rank, size, round).size());
    for (int r = 0; r < size; ++r) {
        const auto of = g.targets(r, size, round);
        const auto count = std::ranges::count(of, rank) + (r == rank ? 1 : 0);
        if (count > 0) all.push_back({r, share * static_cast<float>(count)});
    }
    return all;
}
/// The other ranks to which a rank sends in a round, each once.
template <graph G>
[[nodiscard]] std::vector<int> outgoing(const G& g, int rank, int size, std::size_t round) {
    std::vector<int> all = g.targets(rank, size, round);
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::erase(all, rank);
    return all;
}

} // namespace tutti::training::gossip
