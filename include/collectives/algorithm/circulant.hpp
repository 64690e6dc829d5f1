// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "circular.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace tutti::algorithm {

/// Träff's circulant graphs: in round k = 1, 2 ... each rank hands the farther half of the sums that it has to the rank
/// ceil(P / 2^k) up the circle, and reduces those of the rank as far down; the allgather goes back the same way. As few
/// rounds as halving, as few bytes as the ring, for any number of ranks and without a fold. What goes round the end of
/// the circle is in two ranges, hence one message of two parts. With l = ceil(log2 P), l bounds the depth, which may be
/// less where a round does not need what the one before brought:
///
/// | P ranks, n elements | depth | rounds | sent = received per rank | fan-in | scratch |
/// |---|---|---|---|---|---|
/// | reduce_scatter | up to l | l | (P-1)/P n | 1 to 2 | up to n |
/// | allgather | up to l | l | (P-1)/P n | 1 to 2 | |
/// | allreduce | up to 2l | 2l | 2(P-1)/P n | 1 to 2 | |
///
/// Where parts are joined, an engine takes scratch for them besides.
///
/// Source: Träff, Optimal, non-pipelined reduce-scatter and allreduce algorithms, arXiv:2410.14234, 2024.
struct circulant {
    static constexpr std::string_view name = "circulant";
    static constexpr std::string_view idea =
        "Each round hands half of what is left half as far round the circle: few rounds, fewest bytes, any ranks.";
    static constexpr std::string_view virtue = "no rank sends more than it must, in few rounds, whatever their number";
    [[nodiscard]] static constexpr int chunks(int size) noexcept { return size; }
    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept;

    template <class Put>
    static constexpr void reduce_scatter(const position& p, buffer partial, Put&& put) {
        for (int k = 1; k <= detail::doublings(p.size); ++k) {
            const int up = distance(p.size, k), count = distance(p.size, k - 1) - up;
            const int to = detail::round_the_circle(p, up), from = detail::round_the_circle(p, -up);
            const buffer have = k == 1 ? buffer::input : partial, sum = up == 1 ? buffer::output : partial;
            const auto leaving = [&](int first, int n) { return schedule::send(to, {have, first, n}); };
            const auto coming = [&](int first, int n) {
                return schedule::receive_reduce(from, {have, first, n}, {sum, first, n}, side::left);
            };
            detail::put_circular(p, to, count, detail::part_first::far, leaving, put);
            detail::put_circular(p, p.rank, count, detail::part_first::far, coming, put);
            // With P odd, nothing is reduced in the first round into the farthest of the sums that are left.
            const bool is_there = p.in_place && partial == buffer::output;
            if (const int odd = (p.rank + up - 1) % p.size; k == 1 && p.size % 2 == 1 && !is_there)
                put(schedule::copy({have, odd, 1}, {partial, odd, 1}));
        }
    }

    template <class Put>
    static constexpr void allgather(const position& p, Put&& put) {
        for (int k = detail::doublings(p.size); k >= 1; --k) {
            const int up = distance(p.size, k), count = distance(p.size, k - 1) - up;
            const int to = detail::round_the_circle(p, -up), from = detail::round_the_circle(p, up);
            const auto leaving = [&](int first, int n) { return schedule::send(to, {buffer::output, first, n}); };
            const auto coming = [&](int first, int n) { return schedule::receive(from, {buffer::output, first, n}); };
            detail::put_circular(p, p.rank, count, detail::part_first::near, leaving, put);
            detail::put_circular(p, from, count, detail::part_first::near, coming, put);
        }
    }

    /// The sum over the rounds of t(m), and of m gamma where they reduce: all ranks go in step. Exact where shards are
    /// equally long and each round needs what the one before brought.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        const int rounds = detail::doublings(c.size);
        const auto phase = [&](bool gathers) {
            const auto depth = depths(c.size, gathers);
            const auto number = [&](int n) { return gathers ? rounds - n : n + 1; };
            const auto bytes = [&](int n) { return c.first(shards(c.size, number(n)), c.size); };
            return detail::time_in_step(
                c, rounds, bytes, [&](int n) { return gathers ? 0 : c.reduce(bytes(n)); },
                [&](int n) { return depth[number(n)] > depth[number(n - 1)]; });
        };
        return c.phases([&] { return phase(false); }, [&] { return phase(true); }) +
               c.time(c.hold_between_phases(c.shard()));
    }

private:
    /// How far messages go in round k, and how many sums a rank has on their way afterwards: P / 2^k, rounded up.
    [[nodiscard]] static constexpr int distance(int size, int k) noexcept { return ((size - 1) >> k) + 1; }
    /// How many shards a message of round k has.
    [[nodiscard]] static constexpr int shards(int size, int k) noexcept {
        return distance(size, k - 1) - distance(size, k);
    }

    /// By k, how many messages in a row end with those of round k. Later rounds of a reduce_scatter hand on what round
    /// j has reduced, the first shards(j), if they send any of these. An allgather is the same backwards.
    struct by_round {
        std::array<int, 33> depth{};
        constexpr int& operator[](int k) noexcept { return depth[static_cast<std::size_t>(k)]; }
        constexpr int operator[](int k) const noexcept { return depth[static_cast<std::size_t>(k)]; }
    };
    [[nodiscard]] static constexpr by_round depths(int size, bool gathers) noexcept {
        const int rounds = detail::doublings(size);
        by_round all;
        for (int n = 0; n < rounds; ++n) {
            const int k = gathers ? rounds - n : n + 1;
            for (int j = 1; j <= rounds; ++j)
                if (gathers ? j > k && shards(size, k) > distance(size, j)
                            : j < k && shards(size, j) > distance(size, k))
                    all[k] = std::max(all[k], all[j]);
            ++all[k];
        }
        return all;
    }
};

constexpr cost circulant::stated(operation o, int size) noexcept {
    const int rounds = detail::doublings(size), phases = o == operation::allreduce ? 2 : 1;
    cost c{0, phases * rounds, phases * (size - 1LL), phases * (size - 1LL), 0};
    for (const bool gathers : {false, true}) {
        if (phases == 1 && gathers != (o == operation::allgather)) continue;
        const by_round depth = depths(size, gathers);
        int deepest = 0;
        for (int k = 1; k <= rounds; ++k) {
            int met = 0;
            for (int j = 1; j <= rounds; ++j) met += depth[j] == depth[k] ? 1 : 0;
            deepest = std::max(deepest, depth[k]);
            c.fan_in = std::max(c.fan_in, met);
        }
        c.depth += deepest;
    }
    return c;
}

} // namespace tutti::algorithm
