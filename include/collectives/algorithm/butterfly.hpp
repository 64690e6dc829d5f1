// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"
#include "fold.hpp"

namespace tutti::algorithm {

/// Butterfly, also called recursive doubling: in round k every rank swaps all it has with the rank whose number
/// differs in bit k. Fewest messages in a row; every round carries all n, so it is for small data. Keeps rank order.
/// With l = floor(log2 P); e = 0 if P is a power of two, else 1 (neighbours fold the extra ranks in and out) and the
/// figures are bounds:
///
/// | P ranks, n elements | depth | rounds | sent = received by the busiest rank | fan-in | scratch |
/// |---|---|---|---|---|---|
/// | allreduce | l + 2e | l + 2e | (l + e) n | 1 + e | n |
///
/// Source: Thakur, Rabenseifner and Gropp, Optimization of collective communication operations in MPICH, IJHPCA 2005.
struct butterfly {
    static constexpr std::string_view name = "butterfly";
    static constexpr std::string_view idea =
        "Pairs at doubling distances exchange whole vectors: few rounds, but a whole vector in each.";
    static constexpr std::string_view virtue = "it takes few rounds";
    [[nodiscard]] static constexpr bool alike(int size) noexcept { return (size & (size - 1)) == 0; }
    [[nodiscard]] static constexpr int chunks(int) noexcept { return 1; }

    [[nodiscard]] static constexpr cost stated(operation, int size) noexcept {
        const detail::core c(size);
        const int e = c.extra > 0 ? 1 : 0, swaps = c.rounds + e;
        return {c.rounds + 2 * e, c.rounds + 2 * e, swaps, swaps, size > 1 ? 1 + e : 0, e > 0};
    }

    template <class Put>
    static constexpr void allreduce(const position& p, Put&& put) {
        const detail::core c(p.size);
        const place output{buffer::output, 0, 1}, scratch{schedule::scratch(0), 0, 1};
        place have{buffer::input, 0, 1};
        if (c.waits(p.rank)) {
            put(schedule::send(p.rank + 1, have));
            return void(put(schedule::receive(p.rank + 1, output)));
        }
        // Each reduction goes to the buffer that is not being sent, such that the last one ends in output.
        const bool partner = c.has_partner(p.rank);
        int left = c.rounds + (partner ? 1 : 0);
        const auto target = [&] { return --left % 2 == 0 ? output : scratch; };
        if (partner) {
            const place to = target();
            put(schedule::receive_reduce(p.rank - 1, have, to, side::left));
            have = to;
        } else if (p.in_place && left % 2 == 1) {
            put(schedule::copy(have, scratch));
            have = scratch;
        }
        const int number = c.number_of(p.rank);
        for (int bit = 1; bit < c.size; bit *= 2) {
            const int peer = c.rank_of(number ^ bit);
            const place to = target();
            put(schedule::send(peer, have));
            put(schedule::receive_reduce(peer, have, to, peer < p.rank ? side::left : side::right));
            have = to;
        }
        if (partner) put(schedule::send(p.rank - 1, output));
    }

    /// Powers of two: log2 P (t(n) + n gamma). Others: see folded_s, which knows of no gap that a rank waits for when
    /// its partner's data are there already.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        const detail::core f(c.size);
        const double n = c.whole(), t = c.message(n), each = c.reduce(n), held = c.hold(n, each);
        const double rounds = f.rounds * (t + each) + (f.rounds - 1) * held;
        const bool no_gap = c.send(n) <= c.receive(n) + each;
        return c.time(f.extra == 0 ? rounds : detail::folded_s(c, f, t + each, rounds, t + held),
                      c.plain() && c.answers_at_once() && (f.extra == 0 || (c.receives_alone() && no_gap)));
    }
};

} // namespace tutti::algorithm
