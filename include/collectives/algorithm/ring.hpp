// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

namespace tutti::algorithm {

/// Ring. Chunk c starts at rank c+1 and is reduced on its way round to rank c; then the results go round once more.
/// Bandwidth-optimal for any number of ranks, and every rank talks to two neighbours only; latency grows with P.
///
/// | P ranks, n elements | depth | rounds | sent = received per rank | fan-in |
/// |---|---|---|---|---|
/// | reduce_scatter, allgather | P-1 | P-1 | (P-1)/P n | 1 |
/// | allreduce | 2(P-1) | 2(P-1) | 2(P-1)/P n | 1 |
///
/// Source: Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 2009.
struct ring {
    static constexpr std::string_view name = "ring";
    static constexpr std::string_view idea =
        "Shards travel around a ring twice, first to be reduced, then to be handed out: fewest bytes, most rounds.";
    static constexpr std::string_view virtue = "no rank sends more than it must, whatever their number";
    static constexpr bool rotates = true;
    [[nodiscard]] static constexpr bool steps_rotate(operation) noexcept { return true; }
    [[nodiscard]] static constexpr int chunks(int size) noexcept { return size; }

    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept {
        const int rounds = (o == operation::allreduce ? 2 : 1) * (size - 1);
        return {rounds, rounds, rounds, rounds, size > 1 ? 1 : 0};
    }

    template <class Put>
    static constexpr void reduce_scatter(const position& p, buffer partial, Put&& put) {
        const int next = (p.rank + 1) % p.size, previous = (p.rank + p.size - 1) % p.size;
        for (int k = 1; k < p.size; ++k) {
            const int leaving = (p.rank + p.size - k) % p.size, coming = (p.rank + 2 * p.size - k - 1) % p.size;
            const buffer to = k == p.size - 1 ? buffer::output : partial;
            put(schedule::send(next, {k == 1 ? buffer::input : partial, leaving, 1}));
            put(schedule::receive_reduce(previous, {buffer::input, coming, 1}, {to, coming, 1}, side::left));
        }
    }

    template <class Put>
    static constexpr void allgather(const position& p, Put&& put) {
        const int next = (p.rank + 1) % p.size, previous = (p.rank + p.size - 1) % p.size;
        for (int k = 0; k < p.size - 1; ++k) {
            put(schedule::send(next, {buffer::output, (p.rank + p.size - k) % p.size, 1}));
            put(schedule::receive(previous, {buffer::output, (p.rank + 2 * p.size - k - 1) % p.size, 1}));
        }
    }

    /// The longest shard is never held up by a shorter one: it takes P-1 hops of t(b) + b gamma each, then of t(b).
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        const double b = c.shard();
        const auto hops = [&](double each_s) {
            const double held = (c.size - 2) * c.hold(b, each_s);
            return c.time((c.size - 1) * (c.message(b) + each_s) + held, c.plain() && c.answers_at_once());
        };
        return c.phases([&] { return hops(c.reduce(b)); }, [&] { return hops(0); }) + c.time(c.hold_between_phases(b));
    }
};

} // namespace tutti::algorithm
