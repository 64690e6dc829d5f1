// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "circular.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tutti::algorithm {

/// Bruck's algorithms: in round k = 0, 1 ... each rank talks to those 2^k away. The allgather hands all that a rank has
/// 2^k down the circle. In the alltoall a block that has to go d up the circle goes 2^k up in each round k whose bit is
/// set in d. Fewest rounds, for any number of ranks; the alltoall sends each block as often as d has bits, so it is for
/// little data. With l = ceil(log2 P); the depth is l, or l - 1 where the last round is independent of the one before:
///
/// | P ranks, n elements | depth | rounds | sent = received per rank | fan-in | scratch |
/// |---|---|---|---|---|---|
/// | allgather | l - 1 to l | l | (P-1)/P n | 1 to 2 | |
/// | alltoall | l - 1 to l | l | up to l n/2 | 1 to 2 | up to l n/2 |
///
/// Where parts are joined, an engine takes scratch for them besides: in the alltoall as much again.
///
/// Source: Bruck, Ho, Kipnis, Upfal and Weathersby, Efficient algorithms for all-to-all communications in multiport
/// message-passing systems, IEEE TPDS 1997.
struct bruck {
    static constexpr std::string_view name = "bruck";
    static constexpr std::string_view idea =
        "Partners at distance 1, 2, 4 and so on round the circle hand on all that goes their way: fewest rounds.";
    static constexpr std::string_view virtue = "it takes the fewest rounds, whatever the number of ranks";
    /// More ranks are not given this alltoall: an executor's plan would have more scratch banks than there are.
    static constexpr int most_exchanging = 2048;
    [[nodiscard]] static constexpr bool steps_rotate(operation o) noexcept { return o == operation::alltoall; }
    [[nodiscard]] static constexpr int chunks(operation o, int size) noexcept {
        return size * schedule::vectors_of(o, size);
    }
    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept {
        if (size == 1) return {};
        const int rounds = detail::doublings(size), before = rounds - 1;
        const int last = 1 + detail::doublings(size - (1 << before)); // the depth of the last round
        long long sent = size - 1;
        if (o == operation::alltoall) {
            sent = 0;
            for (int k = 0; k < rounds; ++k) sent += blocks(size, k);
        }
        return {std::max(last, before), rounds, sent, sent, last > before ? 1 : 2};
    }

    template <class Put>
    static constexpr void allgather(const position& p, Put&& put) {
        for (int k = 0; k < detail::doublings(p.size); ++k) {
            const int up = 1 << k, count = std::min(up, p.size - up);
            const int to = detail::round_the_circle(p, -up), from = detail::round_the_circle(p, up);
            const auto leaving = [&](int first, int n) { return schedule::send(to, {buffer::output, first, n}); };
            const auto coming = [&](int first, int n) { return schedule::receive(from, {buffer::output, first, n}); };
            detail::put_circular(p, p.rank, count, detail::part_first::near, leaving, put);
            detail::put_circular(p, from, count, detail::part_first::near, coming, put);
        }
    }

    /// Blocks land in scratch, each in a bank of its own, those of a message one after the other.
    template <class Put>
    static constexpr void alltoall(const position& p, Put&& put) {
        for (int k = 0, first = 0; k < detail::doublings(p.size); first += blocks(p.size, k++)) {
            const int up = 1 << k;
            for (int d = up; d < p.size; d = next(d, up)) {
                const step s = schedule::send(detail::round_the_circle(p, up), place_before(p, d, k));
                put(next(d, up) < p.size ? schedule::joined(s) : s);
            }
            for (int d = up; d < p.size; d = next(d, up)) {
                const step s = schedule::receive(detail::round_the_circle(p, -up), landing(p, d, k, first));
                put(next(d, up) < p.size ? schedule::joined(s) : s);
            }
        }
        // In place, these overwrite what has been sent.
        for (int d = 1; d < p.size; ++d) {
            const place landed = place_before(p, d, detail::doublings(p.size));
            put(schedule::copy(landed, {buffer::output, landed.first, 1}));
        }
    }

    /// The sum over the rounds of t(m): all ranks go in step. Exact where shards are equally long and the last round
    /// needs what the one before brought.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        // Of little data, not all ranks get any: blocks of the longest length are for so many.
        const int receivers = c.shard() > 0 ? static_cast<int>(std::ceil(c.whole() / c.shard())) : 0;
        const auto bytes = [&](int k) {
            const int up = 1 << k;
            if (c.what != operation::alltoall) return c.first(std::min(up, c.size - up), c.size);
            return std::min(blocks(c.size, k), (receivers + 2 * up - 1) / (2 * up) * up) * c.shard();
        };
        const int rounds = detail::doublings(c.size);
        const bool last_follows = stated(c.what, c.size).depth == rounds;
        return detail::time_in_step(
            c, rounds, bytes, [](int) { return 0.0; }, [&](int k) { return last_follows || k + 1 < rounds; });
    }

private:
    /// How many of the distances 1 to P-1 have bit k.
    [[nodiscard]] static constexpr int blocks(int size, int k) noexcept {
        const int up = 1 << k, whole = size / up / 2 * up, rest = size - 2 * whole - up;
        return whole + std::max(rest, 0);
    }
    /// The next distance that has this bit.
    [[nodiscard]] static constexpr int next(int d, int bit) noexcept { return (d + 1) | bit; }

    /// The block that goes d up the circle and has gone by all bits of d below bit k.
    [[nodiscard]] static constexpr int block(const position& p, int d, int k) noexcept {
        const int source = detail::round_the_circle(p, -(d & ((1 << k) - 1)));
        return (source + d) % p.size * p.size + source;
    }
    /// Where it lands in round k, whose first bank is `first`.
    [[nodiscard]] static constexpr place landing(const position& p, int d, int k, int first) noexcept {
        const int up = 1 << k, index = d / up / 2 * up + d % up;
        constexpr int banks = 65'000; // beyond some 9,000 ranks banks hold more than one block
        return {schedule::scratch((first + index) % banks), block(p, d, k + 1), 1};
    }
    /// Where it lies before round k.
    [[nodiscard]] static constexpr place place_before(const position& p, int d, int k) noexcept {
        const int gone = d & ((1 << k) - 1);
        if (gone == 0) return {buffer::input, block(p, d, 0), 1};
        const int last = static_cast<int>(std::bit_width(static_cast<unsigned>(gone))) - 1;
        int first = 0;
        for (int j = 0; j < last; ++j) first += blocks(p.size, j);
        return landing(p, d, last, first);
    }
};

} // namespace tutti::algorithm
