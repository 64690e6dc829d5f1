// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"
#include "fold.hpp"

namespace tutti::algorithm {

/// Recursive halving, then recursive doubling (Rabenseifner): peers at distance P/2, P/4 ... swap halves of what they
/// still care for and reduce them, until each has its shard; then the shards are collected the same way backwards.
/// As few bytes as the ring in a logarithmic number of rounds. With l = floor(log2 P); other P than powers of two
/// fold the extra ranks in first and out last, at the price of up to 1.4 n more for some ranks (bounds in brackets):
///
/// | P ranks, n elements | depth, rounds | sent = received, P a power of two | fan-in |
/// |---|---|---|---|
/// | reduce_scatter, allgather | l (+2) | (P-1)/P n | 1 (2) |
/// | allreduce | 2l (+2) | 2(P-1)/P n | 1 (2) |
///
/// Source: Rabenseifner, Optimization of collective reduction operations, ICCS 2004; Thakur, Rabenseifner and Gropp,
/// IJHPCA 2005.
struct halving_doubling {
    static constexpr std::string_view name = "halving_doubling";
    static constexpr std::string_view idea =
        "Pairs exchange halves, quarters, eighths, then double back: few rounds and few bytes.";
    static constexpr std::string_view virtue =
        "it takes few rounds, and where ranks are a power of two none sends more than it must";
    [[nodiscard]] static constexpr bool alike(int size) noexcept { return (size & (size - 1)) == 0; }
    [[nodiscard]] static constexpr int chunks(int size) noexcept { return size; }
    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept;

    template <class Put>
    static constexpr void reduce_scatter(const position& p, buffer partial, Put&& put) {
        const detail::core c(p.size);
        halve(c, p, partial, put);
        if (c.waits(p.rank)) return void(put(schedule::receive(p.rank + 1, {buffer::output, p.rank, 1})));
        if (!c.has_partner(p.rank)) return;
        put(schedule::send(p.rank - 1, {partial, p.rank - 1, 1}));
        if (partial != buffer::output) put(schedule::copy({partial, p.rank, 1}, {buffer::output, p.rank, 1}));
    }

    template <class Put>
    static constexpr void allgather(const position& p, Put&& put) {
        const detail::core c(p.size);
        if (c.waits(p.rank)) put(schedule::send(p.rank + 1, {buffer::output, p.rank, 1}));
        if (c.has_partner(p.rank)) put(schedule::receive(p.rank - 1, {buffer::output, p.rank - 1, 1}));
        twofold(c, p, put);
    }

    /// Without handing the extra ranks their shards in between.
    template <class Put>
    static constexpr void allreduce(const position& p, Put&& put) {
        const detail::core c(p.size);
        halve(c, p, buffer::output, put);
        twofold(c, p, put);
    }

    /// Powers of two: the sum over the halves m of t(m), and of m gamma where they are reduced. Others: the first rank
    /// of the core waits for an extra one's data, has the longest messages in every round, and sends to the extra one
    /// at last. In the allreduce the second half of the rounds brings lateness back to where it came from. Exact for
    /// powers of two and shards of one length; under Hockney's model the reduce-scatter for any P and n.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        const detail::core f(c.size);
        const bool folds = f.extra > 0, even = !folds && c.divides(c.size);
        const double n = c.whole(), all = c.message(n), shard = c.message(c.shard()), in = all + c.reduce(n);
        const double halving = rounds_s(c, f, true), doubling = rounds_s(c, f, false), held = held_s(c, f, true, 1);
        const auto time = [&](double seconds, bool any_size) {
            return c.time(seconds, c.plain() && c.answers_at_once() && (even || (any_size && c.both_ends_at_once())));
        };
        if (c.what == operation::reduce_scatter)
            return time(folds ? detail::folded_s(c, f, in, halving, shard + held) : halving, true);
        if (c.what == operation::allgather)
            return time(folds ? detail::folded_s(c, f, shard, doubling, all + held_s(c, f, false, f.size / 2))
                              : doubling,
                        false);
        return time(halving + doubling + held + (folds ? in + all : 0), false);
    }

private:
    /// The shards that the first `members` of the core hold: their own and those of the extra ranks before them.
    template <class Costs>
    [[nodiscard]] static constexpr double bytes_of(const Costs& c, const detail::core& f, int members) {
        return c.first(f.first_shard(members), c.size);
    }
    template <class Costs>
    [[nodiscard]] static constexpr double each_s(const Costs& c, const detail::core& f, bool reduces, int half) {
        return reduces ? c.reduce(bytes_of(c, f, half)) : 0;
    }
    template <class Costs>
    [[nodiscard]] static constexpr double held_s(const Costs& c, const detail::core& f, bool reduces, int half) {
        return c.hold(bytes_of(c, f, half), each_s(c, f, reduces, half));
    }
    /// Of halving or doubling. Nothing follows the last round, which would be held up.
    template <class Costs>
    [[nodiscard]] static constexpr double rounds_s(const Costs& c, const detail::core& f, bool reduces) {
        double sum = -held_s(c, f, reduces, reduces ? 1 : f.size / 2);
        for (int half = f.size / 2; half >= 1; half /= 2)
            sum += c.message(bytes_of(c, f, half)) + each_s(c, f, reduces, half) + held_s(c, f, reduces, half);
        return sum;
    }

    /// The shards that the `count` core members from `number` on stand for.
    [[nodiscard]] static constexpr place shards(const detail::core& c, buffer b, int number, int count) noexcept {
        const int first = c.first_shard(number);
        return {b, first, c.first_shard(number + count) - first};
    }

    template <class Put>
    static constexpr void halve(const detail::core& c, const position& p, buffer partial, Put&& put) {
        const place all{buffer::input, 0, p.size};
        if (c.waits(p.rank)) return void(put(schedule::send(p.rank + 1, all)));
        buffer have = buffer::input;
        if (c.has_partner(p.rank)) {
            put(schedule::receive_reduce(p.rank - 1, all, {partial, 0, p.size}, side::left));
            have = partial;
        }
        const int number = c.number_of(p.rank);
        for (int half = c.size / 2; half >= 1; half /= 2) {
            const int peer = number ^ half;
            const place mine = shards(c, have, number / half * half, half);
            const buffer to = half == 1 && !c.has_partner(p.rank) ? buffer::output : partial;
            put(schedule::send(c.rank_of(peer), shards(c, have, peer / half * half, half)));
            put(schedule::receive_reduce(c.rank_of(peer), mine, {to, mine.first, mine.count},
                                         peer < number ? side::left : side::right));
            have = partial;
        }
    }

    template <class Put>
    static constexpr void twofold(const detail::core& c, const position& p, Put&& put) {
        const place all{buffer::output, 0, p.size};
        if (c.waits(p.rank)) return void(put(schedule::receive(p.rank + 1, all)));
        const int number = c.number_of(p.rank);
        for (int half = 1; half < c.size; half *= 2) {
            const int peer = number ^ half;
            put(schedule::send(c.rank_of(peer), shards(c, buffer::output, number / half * half, half)));
            put(schedule::receive(c.rank_of(peer), shards(c, buffer::output, peer / half * half, half)));
        }
        if (c.has_partner(p.rank)) put(schedule::send(p.rank - 1, all));
    }
};

constexpr cost halving_doubling::stated(operation o, int size) noexcept {
    const detail::core c(size);
    const bool both = o == operation::allreduce, scatter = o != operation::allgather,
               gather = o != operation::reduce_scatter;
    const int e = c.extra > 0 ? 1 : 0, rounds = (both ? 2 : 1) * c.rounds + 2 * e;
    cost most{rounds, rounds, 0, 0, size > 1 ? 1 + e : 0, e > 0};
    for (int number = 0; number < c.size; ++number) {
        // Halving sends all but the own shards and receives the halves kept; doubling does the reverse.
        long long kept = 0;
        for (int half = c.size / 2; half >= 1; half /= 2)
            kept += shards(c, buffer::output, number / half * half, half).count;
        const long long rest = size - shards(c, buffer::output, number, 1).count;
        const bool partner = number < c.extra;
        long long sent = (scatter ? rest : 0) + (gather ? kept : 0),
                  received = (scatter ? kept : 0) + (gather ? rest : 0);
        if (partner) {
            sent += gather ? size : 1;
            received += scatter ? size : 1;
        }
        most.sent = sent > most.sent ? sent : most.sent;
        most.received = received > most.received ? received : most.received;
    }
    if (e && scatter && most.sent < size) most.sent = size;        // an extra rank's data on the way in
    if (e && gather && most.received < size) most.received = size; // and on the way out
    return most;
}

} // namespace tutti::algorithm
