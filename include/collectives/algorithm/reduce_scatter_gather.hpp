// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"
#include "halves.hpp"

namespace tutti::algorithm {

/// Reduce by reduce-scatter and gather: pairs of ranks exchange halves of what they still care for, until each has the
/// sum of a part; the parts are gathered at the root. It is the broadcast of scatter_allgather backwards: where that
/// one sends, this one receives and reduces. For much data at more than two ranks: the root receives about twice
/// the data, however many ranks there are. With h = ceil(log2 P); bounds unless P is a power of two:
///
/// | P ranks, n elements | depth | rounds (else) | most sent / received | fan-in (else) |
/// |---|---|---|---|---|
/// | reduce, P > 2 | 2h-2 | 2h-1 (2h) | n / 2(P-1)/P n | 2 (h) |
///
/// Source: Rabenseifner, Optimization of collective reduction operations, ICCS 2004.
struct reduce_scatter_gather {
    static constexpr std::string_view name = "reduce_scatter_gather";
    static constexpr std::string_view idea =
        "Pairs of ranks exchange and reduce halves, quarters, eighths; then a tree gathers the sums at the root.";
    static constexpr std::string_view virtue = "the root receives the data no more than twice, in few rounds";
    [[nodiscard]] static constexpr int chunks(int size) noexcept { return size; }

    [[nodiscard]] static constexpr cost stated(operation, int size) noexcept {
        const cost back = detail::cost_by_halves(size);
        const int h = detail::cuts(0, size);
        return {back.depth, back.bound ? 2 * h : back.rounds, back.received,
                back.sent,  back.bound ? h : h < 2 ? h : 2,   back.bound};
    }

    /// Chunk k is the part of the k-th rank, counted from the root. The first rank of a range keeps its data of the
    /// second half until it gathers that half's sums: in `kept`, and in ranges below `added` in `partial`.
    template <class Put>
    static constexpr void reduce(const position& p, buffer partial, Put&& put) {
        const int self = (p.rank - p.root + p.size) % p.size;
        const auto rank_of = [&](int k) { return (k + p.root) % p.size; };
        const auto give = [&](int to, buffer b, int first, int last) {
            put(schedule::send(rank_of(to), {b, first, last - first}));
        };
        const auto add = [&](int from, buffer b, int first, int last) {
            put(schedule::receive_reduce(rank_of(from), {b, first, last - first}, {partial, first, last - first},
                                         from < self ? side::left : side::right));
        };
        buffer have = buffer::input, kept = buffer::input;
        int added =
            0; // how many ranks the largest range has of which self is the first and gets sums before it gathers
        detail::each_cut_down(self, p.size, [&](const detail::halves& r) {
            const int end = r.is_pair() ? r.last : r.middle;
            if (self == r.first) {
                if (!r.leaves_last()) return;
                if (added == 0) {
                    added = r.last - r.first;
                    kept = have;
                }
                add(r.last - 1, have, r.first, end);
            } else if (self == r.last - 1 && r.leaves_last()) {
                return give(r.first, have, r.first, end);
            } else if (self < r.middle) {
                give(r.partner(self), have, r.middle, r.last);
                add(r.partner(self), have, r.first, r.middle);
            } else {
                give(r.partner(self), have, r.first, r.middle);
                add(r.partner(self), have, r.middle, r.last);
            }
            have = partial;
        });
        detail::each_cut_up(self, p.size, [&](const detail::halves& r) {
            if (r.is_pair()) return;
            if (self == r.middle) give(r.first, have, r.middle, r.last);
            if (self == r.first) add(r.middle, r.last - r.first >= added ? kept : partial, r.middle, r.last);
        });
    }

    /// An estimate: some ranks of an odd number go on earlier than others.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        return c.time(detail::time_by_halves<Costs>(c).all(), false);
    }
};

} // namespace tutti::algorithm
