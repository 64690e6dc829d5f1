// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"
#include "halves.hpp"

namespace tutti::algorithm {

/// Broadcast by scatter and allgather: ranges of ranks are halved, and the first rank of a range hands the second half
/// its part; then pairs of ranks double what they have, until all have all. For much data at more than two ranks: the
/// root sends about twice the data, however many ranks there are, in a logarithmic number of rounds.
///
/// The first rank of a range needs nothing of its own range. So all others pair up where their number is even, else one
/// of them gets the rest from the first, and any number of ranks will do. A pair's message of the scatter is also that
/// of the exchange. With h = ceil(log2 P); bounds unless P is a power of two:
///
/// | P ranks, n elements | depth | rounds (else) | most sent / received | fan-in (else) |
/// |---|---|---|---|---|
/// | broadcast, P > 2 | 2h-2 | 2h-1 (3h) | 2(P-1)/P n / n | h-1 (h) |
///
/// Source: Barnett, Gupta, Payne, Shuler, van de Geijn and Watts, Interprocessor collective communication library
/// (InterCom), SHPCC 1994; its allgather by pairs in Chan, Heimlich, Purkayastha and van de Geijn, CCPE 2007.
struct scatter_allgather {
    static constexpr std::string_view name = "scatter_allgather";
    static constexpr std::string_view idea =
        "The root scatters parts through a tree of halves, and pairs of ranks exchange them, at doubling sizes.";
    static constexpr std::string_view virtue = "no rank sends the data more than twice, in few rounds";
    [[nodiscard]] static constexpr int chunks(int size) noexcept { return size; }

    [[nodiscard]] static constexpr cost stated(operation, int size) noexcept { return detail::cost_by_halves(size); }

    template <class Put>
    static constexpr void broadcast(const position& p, Put&& put) {
        hand_out(p, put);
        exchange(p, put);
    }

    /// The first half: the k-th rank, counted from the root, gets chunk k. So no range of ranks wraps around.
    template <class Put>
    static constexpr void hand_out(const position& p, Put&& put) {
        const int self = (p.rank - p.root + p.size) % p.size;
        const auto rank_of = [&](int k) { return (k + p.root) % p.size; };
        detail::each_cut_down(self, p.size, [&](const detail::halves& r) {
            const place given = part(r.is_pair() ? r.first : r.middle, r.last);
            if (self == r.first) put(schedule::send(rank_of(r.middle), given));
            if (self == r.middle) put(schedule::receive(rank_of(r.first), given));
        });
    }
    /// The second half: all get all.
    template <class Put>
    static constexpr void exchange(const position& p, Put&& put) {
        const int self = (p.rank - p.root + p.size) % p.size;
        const auto rank_of = [&](int k) { return (k + p.root) % p.size; };
        detail::each_cut_up(self, p.size, [&](const detail::halves& r) {
            if (r.is_pair()) return;
            const place lower = part(r.first, r.middle), upper = part(r.middle, r.last);
            if (self == r.first) {
                if (r.leaves_last()) put(schedule::send(rank_of(r.last - 1), lower));
            } else if (self == r.last - 1 && r.leaves_last()) {
                put(schedule::receive(rank_of(r.first), lower));
            } else {
                const bool below = self < r.middle;
                put(schedule::send(rank_of(r.partner(self)), below ? lower : upper));
                put(schedule::receive(rank_of(r.partner(self)), below ? upper : lower));
            }
        });
    }

    /// An estimate: some ranks of an odd number go on earlier than others.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        return c.time(detail::time_by_halves<Costs>(c).all(), false);
    }

private:
    [[nodiscard]] static constexpr place part(int first, int last) noexcept {
        return {buffer::output, first, last - first};
    }
};

} // namespace tutti::algorithm
