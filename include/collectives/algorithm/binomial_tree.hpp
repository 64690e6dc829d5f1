// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

#include <algorithm>

namespace tutti::algorithm {

/// Binomial tree: in round k the ranks that still have a sum send it 2^k ranks down; a broadcast is the same tree
/// backwards. Logarithmic for any root; each hop carries all n. Keeps rank order when the root is rank 0, as it is in
/// the allreduce. With h = ceil(log2 P); bounds unless P is a power of two:
///
/// | P ranks, n elements | depth | rounds | most sent / received | fan-in, P a power of two (else) |
/// |---|---|---|---|---|
/// | reduce | h | h | n / h n | 1 (2) |
/// | broadcast | h | h | h n / n | 1 |
/// | allreduce | 2h | 2h | h n / h n | 1 (2) |
///
/// Source: Thakur, Rabenseifner and Gropp, IJHPCA 2005.
struct binomial_tree {
    static constexpr std::string_view name = "binomial_tree";
    static constexpr std::string_view idea = "A tree reduces towards a root, and the same tree hands out the result.";
    static constexpr std::string_view virtue = "few messages are sent in all, in few rounds";
    [[nodiscard]] static constexpr int chunks(int) noexcept { return 1; }

    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept {
        int h = 0;
        while ((1 << h) < size) ++h;
        const bool bound = (1 << h) != size;
        const int some = size > 1 ? 1 : 0, fan_in = bound ? 2 : some;
        if (o == operation::reduce) return {h, h, some, h, fan_in, bound};
        if (o == operation::broadcast) return {h, h, h, some, some, bound};
        return {2 * h, 2 * h, h, h, fan_in, bound};
    }

    template <class Emit>
    static constexpr void reduce(const position& p, buffer partial, Emit&& emit) {
        const int self = (p.rank - p.root + p.size) % p.size; // counted from the root
        place have{buffer::input, 0, 1};
        const place sum{partial, 0, 1};
        for (int bit = 1; bit < p.size; bit *= 2) {
            if (self & bit) return void(emit(schedule::send((self - bit + p.root) % p.size, have)));
            if (self + bit >= p.size) continue;
            emit(schedule::receive_reduce((self + bit + p.root) % p.size, have, sum, side::right));
            have = sum;
        }
    }

    template <class Emit>
    static constexpr void broadcast(const position& p, Emit&& emit) {
        const int self = (p.rank - p.root + p.size) % p.size;
        const place data{buffer::output, 0, 1};
        int bit = 1;
        while (bit < p.size && !(self & bit)) bit *= 2;
        if (self != 0) emit(schedule::receive((self - bit + p.root) % p.size, data));
        for (bit /= 2; bit >= 1; bit /= 2)
            if (self + bit < p.size) emit(schedule::send((self + bit + p.root) % p.size, data));
    }

    /// Powers of two: log2 P (t(n) + n gamma), and log2 P t(n).
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        const bool whole = (c.size & (c.size - 1)) == 0;
        return c.phases([&] { return c.time(reduce_s(c, c.size), c.plain() && (c.receives_alone() || whole)); },
                        [&] { return c.time(broadcast_s(c, c.size), c.plain()); }) +
               c.time(0, c.turns_at_once());
    }

private:
    /// The levels of the largest whole subtree: all but the last one are whole.
    [[nodiscard]] static constexpr int whole_levels(int size) noexcept {
        int levels = 0;
        while ((2 << levels) < size) ++levels;
        return levels;
    }
    /// The root takes in what the last subtree has sent when it is done with the others.
    template <class Costs>
    [[nodiscard]] static constexpr double reduce_s(const Costs& c, int size) {
        if (size == 1) return 0;
        const int whole = whole_levels(size);
        const double n = c.whole(), done = whole * (c.message(n) + c.reduce(n));
        const double arrived = reduce_s(c, size - (1 << whole)) + c.header();
        return std::max(done, arrived) + c.receive(n) + c.reduce(n);
    }
    /// The first subtree may not be whole. The second, which is, has s(n) less time.
    template <class Costs>
    [[nodiscard]] static constexpr double broadcast_s(const Costs& c, int size) {
        if (size == 1) return 0;
        const int whole = whole_levels(size);
        const double t = c.message(c.whole()), s = c.send(c.whole());
        const double first = t + broadcast_s(c, size - (1 << whole));
        return whole == 0 ? first : std::max(first, s + t + (whole - 1) * std::max(s, t));
    }
};

} // namespace tutti::algorithm
