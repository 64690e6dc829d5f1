// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

#include <algorithm>
#include <bit>

namespace tutti::algorithm {

/// Hillis and Steele's scan, by doubling distances: in round k each rank sends its sum to the rank 2^k above, and
/// adds the sum of the rank 2^k below. The fewest rounds for any P; a whole vector in each. An exscan first moves
/// all data one rank up, then scans ranks 1 to P-1.
///
/// | P ranks, n elements | depth | rounds | most sent / received | fan-in |
/// |---|---|---|---|---|
/// | scan | floor(log2 P) | h = ceil(log2 P) | h n / h n | 2 |
/// | exscan | 1 + floor(log2(P-1)) | h = 1 + ceil(log2(P-1)) | h n / h n | 2 |
///
/// Source: Hillis and Steele, Data parallel algorithms, CACM 1986.
struct hillis_steele {
    static constexpr std::string_view name = "hillis_steele";
    static constexpr std::string_view idea =
        "In each round a rank adds what the rank below has, at distances that double.";
    static constexpr std::string_view virtue = "it takes few rounds";
    [[nodiscard]] static constexpr int chunks(int) noexcept { return 1; }

    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept {
        const int h = rounds(o, size);
        return {depth(o, size), h, h, h, size > 1 ? 2 : 0, true};
    }

    template <class Put>
    static constexpr void scan(const position& p, Put&& put) {
        const place input{buffer::input, 0, 1};
        if (p.rank == 0 && !p.in_place) put(schedule::copy(input, {buffer::output, 0, 1}));
        double_distances(p, 0, kept(p, input, put), put);
    }

    template <class Put>
    static constexpr void exscan(const position& p, Put&& put) {
        const place input{buffer::input, 0, 1};
        if (p.rank + 1 < p.size) put(schedule::send(p.rank + 1, kept(p, input, put)));
        if (p.rank == 0) return;
        const place moved{p.rank == 1 ? buffer::output : schedule::scratch(0), 0, 1};
        put(schedule::receive(p.rank - 1, moved));
        double_distances(p, 1, moved, put);
    }

    /// An estimate: the messages of the last rank, of which the first one of an exscan is not reduced.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        const double n = c.whole(), t = c.message(n), each = c.reduce(n), held = c.hold(n, each);
        const int all = rounds(c.what, c.size), in_a_row = depth(c.what, c.size);
        const int reduced = c.what == operation::scan ? all : all - 1;
        const double chain = in_a_row * t + (in_a_row - 1) * held + (all - in_a_row) * c.take(n, each) + reduced * each;
        return c.time(std::max(chain, (all - 1) * c.send(n) + t), false); // rank 0 sends all along
    }

private:
    [[nodiscard]] static constexpr int rounds(operation o, int size) noexcept {
        if (o == operation::exscan) return size < 2 ? 0 : 1 + rounds(operation::scan, size - 1);
        return static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1)));
    }
    [[nodiscard]] static constexpr int depth(operation o, int size) noexcept {
        if (o == operation::exscan) return size < 2 ? 0 : 1 + depth(operation::scan, size - 1);
        return static_cast<int>(std::bit_width(static_cast<unsigned>(size))) - 1;
    }

    /// Where our input is to be sent from. Rank 1's result comes in the first round, in place into the memory of its
    /// input, which is moved first: else the one would wait for the other.
    template <class Put>
    [[nodiscard]] static constexpr place kept(const position& p, place input, Put&& put) {
        if (!p.in_place || p.rank != 1 || p.size == 2) return input;
        const place moved{schedule::scratch(0), 0, 1};
        put(schedule::copy(input, moved));
        return moved;
    }

    /// Scans ranks `first` and above, of which this one has `have`. The last sum goes to output, the others to two
    /// scratch banks in turn, so that no sum overwrites one that is being sent.
    template <class Put>
    static constexpr void double_distances(const position& p, int first, place have, Put&& put) {
        const int self = p.rank - first;
        int bank = 0;
        for (int distance = 1; distance < p.size - first; distance *= 2) {
            if (p.rank + distance < p.size) put(schedule::send(p.rank + distance, have));
            if (self < distance) continue;
            const bool last = self < 2 * distance;
            bank = 1 - bank;
            const place to{last ? buffer::output : schedule::scratch(bank), 0, 1};
            put(schedule::receive_reduce(p.rank - distance, have, to, side::left));
            have = to;
        }
    }
};

} // namespace tutti::algorithm
