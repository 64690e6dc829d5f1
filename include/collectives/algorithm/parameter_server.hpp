// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

namespace tutti::algorithm {

/// Sharded parameter server: every rank serves one shard. All send their part of each shard straight to its server,
/// which sums in a fixed order, that in which an undisturbed run has them arrive, and then hands the result to all.
/// As few bytes as the ring in two message delays, at the price of P-1 peers at once.
///
/// | P ranks, n elements | depth | rounds | sent = received per rank | fan-in |
/// |---|---|---|---|---|
/// | reduce_scatter, allgather | 1 | P-1 | (P-1)/P n | P-1 |
/// | allreduce | 2 | 2(P-1) | 2(P-1)/P n | P-1 |
///
/// Source: Li et al., Scaling distributed machine learning with the parameter server, OSDI 2014; as direct
/// reduce-scatter and allgather in Chan et al., Collective communication: theory, practice, and experience, 2007.
struct parameter_server {
    static constexpr std::string_view name = "parameter_server";
    static constexpr std::string_view idea =
        "Each rank serves one shard: all send it their part, it reduces and hands the result to all.";
    static constexpr std::string_view virtue = "everyone exchanges parts with everyone at once";
    static constexpr bool rotates = true;
    [[nodiscard]] static constexpr bool steps_rotate(operation) noexcept { return true; }
    [[nodiscard]] static constexpr int chunks(int size) noexcept { return size; }

    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept {
        const int phases = o == operation::allreduce ? 2 : 1, all = phases * (size - 1);
        return {size > 1 ? phases : 0, all, all, all, size - 1};
    }

    template <class Put>
    static constexpr void reduce_scatter(const position& p, buffer, Put&& put) {
        const place mine{buffer::output, p.rank, 1};
        for (int k = 1; k < p.size; ++k) {
            const int to = (p.rank + k) % p.size, from = (p.rank + p.size - k) % p.size;
            put(schedule::send(to, {buffer::input, to, 1}));
            put(schedule::receive_reduce(from, k == 1 ? place{buffer::input, p.rank, 1} : mine, mine, side::right));
        }
    }

    template <class Put>
    static constexpr void allgather(const position& p, Put&& put) {
        for (int k = 1; k < p.size; ++k) {
            const int to = (p.rank + k) % p.size, from = (p.rank + p.size - k) % p.size;
            put(schedule::send(to, {buffer::output, p.rank, 1}));
            put(schedule::receive(from, {buffer::output, from, 1}));
        }
    }

    /// Exact where shards are equally long.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        const double b = c.shard();
        return c.phases([&] { return c.exchange(b, c.reduce(b)); }, [&] { return c.exchange(b, 0); }) +
               c.time(c.hold_between_phases(b), c.divides(c.size) && c.turns_at_once());
    }
};

} // namespace tutti::algorithm
