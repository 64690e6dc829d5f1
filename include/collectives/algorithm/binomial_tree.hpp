// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

#include <algorithm>

namespace tutti::algorithm {

/// Binomial tree: in round k the ranks that still have a sum send it 2^k ranks down; a broadcast is the same tree
/// backwards. A gather collects the shards of ever larger subtrees, a scatter hands them out. Logarithmic for any root;
/// each hop carries all n. Keeps rank order when the root is rank 0, as it is in the allreduce. With h = ceil(log2 P);
/// bounds unless P is a power of two:
///
/// | P ranks, n elements | depth | rounds | most sent / received | fan-in, P a power of two (else) |
/// |---|---|---|---|---|
/// | reduce | h | h | n / h n | 1 (2) |
/// | broadcast | h | h | h n / n | 1 |
/// | gather | h | h; up to 2h where the root is not rank 0 | n/2 / (P-1)/P n | h |
/// | scatter | h | h; up to 2h where the root is not rank 0 | (P-1)/P n / n/2 | 1 |
/// | allreduce | 2h | 2h | h n / h n | 1 (2) |
///
/// Source: Thakur, Rabenseifner and Gropp, IJHPCA 2005.
struct binomial_tree {
    static constexpr std::string_view name = "binomial_tree";
    static constexpr std::string_view idea = "A tree reduces towards a root, and the same tree hands out the result.";
    static constexpr std::string_view virtue = "few messages are sent in all, in few rounds";
    [[nodiscard]] static constexpr int chunks(operation o, int size) noexcept {
        return schedule::has_shards(o) ? size : 1;
    }

    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept {
        int h = 0;
        while ((1 << h) < size) ++h;
        const bool bound = (1 << h) != size;
        const int some = size > 1 ? 1 : 0, fan_in = bound ? 2 : some, half = size > 1 ? 1 << (h - 1) : 0;
        if (o == operation::gather) return {h, 2 * h, half, size - 1, h, true};
        if (o == operation::scatter) return {h, 2 * h, size - 1, half, some, true};
        if (o == operation::reduce) return {h, h, some, h, fan_in, bound};
        if (o == operation::broadcast) return {h, h, h, some, some, bound};
        return {2 * h, 2 * h, h, h, fan_in, bound};
    }

    template <class Put>
    static constexpr void reduce(const position& p, buffer partial, Put&& put) {
        const int self = (p.rank - p.root + p.size) % p.size; // counted from the root
        place have{buffer::input, 0, 1};
        const place sum{partial, 0, 1};
        for (int bit = 1; bit < p.size; bit *= 2) {
            if (self & bit) return void(put(schedule::send((self - bit + p.root) % p.size, have)));
            if (self + bit >= p.size) continue;
            put(schedule::receive_reduce((self + bit + p.root) % p.size, have, sum, side::right));
            have = sum;
        }
    }

    template <class Put>
    static constexpr void broadcast(const position& p, Put&& put) {
        const int self = (p.rank - p.root + p.size) % p.size;
        const place data{buffer::output, 0, 1};
        int bit = 1;
        while (bit < p.size && !(self & bit)) bit *= 2;
        if (self != 0) put(schedule::receive((self - bit + p.root) % p.size, data));
        for (bit /= 2; bit >= 1; bit /= 2)
            if (self + bit < p.size) put(schedule::send((self + bit + p.root) % p.size, data));
    }

    template <class Put>
    static constexpr void gather(const position& p, Put&& put) {
        const subtree all(p);
        const auto land = [&](place x) { return all.self == 0 ? in(buffer::output, x) : x; };
        if (all.ranks > 1 && all.self != 0)
            all.each_range(0, 1, [&](place x) { put(schedule::copy(in(buffer::input, x), x)); });
        for (int bit = 1; bit < all.span && all.self + bit < p.size; bit *= 2)
            all.each_range(bit, bit, [&](place x) { put(schedule::receive(all.rank_at(bit), land(x))); });
        if (all.self == 0) return;
        all.each_range(0, all.ranks, [&](place x) {
            put(schedule::send(all.rank_at(-all.span), all.ranks > 1 ? x : in(buffer::input, x)));
        });
    }

    template <class Put>
    static constexpr void scatter(const position& p, Put&& put) {
        const subtree all(p);
        const auto have = [&](place x) { return all.self == 0 ? in(buffer::input, x) : x; };
        if (all.self != 0)
            all.each_range(0, all.ranks, [&](place x) {
                put(schedule::receive(all.rank_at(-all.span), all.ranks > 1 ? x : in(buffer::output, x)));
            });
        for (int bit = all.span / 2; bit >= 1; bit /= 2)
            if (all.self + bit < p.size)
                all.each_range(bit, bit, [&](place x) { put(schedule::send(all.rank_at(bit), have(x))); });
        if (all.ranks > 1 && all.self != 0)
            all.each_range(0, 1, [&](place x) { put(schedule::copy(x, in(buffer::output, x))); });
    }

    /// Powers of two: log2 P (t(n) + n gamma), and log2 P t(n). Gather and scatter: the sum of t(2^k n / P).
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        if (schedule::has_shards(c.what)) return by_subtrees(c);
        const bool whole = (c.size & (c.size - 1)) == 0;
        return c.phases([&] { return c.time(reduce_s(c, c.size), c.plain() && (c.receives_alone() || whole)); },
                        [&] { return c.time(broadcast_s(c, c.size), c.plain()); }) +
               c.time(0, c.turns_at_once());
    }

private:
    /// The ranks that this one collects for or hands out to, itself included, counted from the root.
    struct subtree {
        constexpr explicit subtree(const position& p) noexcept
            : root(p.root), size(p.size), self((p.rank - p.root + p.size) % p.size) {
            while (span < size && !(self & span)) span *= 2;
            ranks = span < size - self ? span : size - self;
        }
        [[nodiscard]] constexpr int rank_at(int distance) const noexcept {
            return (self + distance + root + size) % size;
        }
        /// visit(place) for the shards of the ranks from `distance` on, `most` of them, as they lie in scratch. Ranks
        /// wrap around: the shards from rank 0 on have a place, and a bank, of their own.
        constexpr void each_range(int distance, int most, auto&& visit) const {
            const int left = ranks - distance, count = most < left ? most : left, first = rank_at(distance);
            const bool wrapped = first < rank_at(0);
            const int before = count < size - first ? count : size - first;
            visit(place{schedule::scratch(wrapped ? 1 : 0), first, before});
            if (before < count) visit(place{schedule::scratch(1), 0, count - before});
        }

        int root, size, self;
        int span = 1; ///< the ranks of a whole subtree like this one
        int ranks = 1;
    };
    [[nodiscard]] static constexpr place in(buffer b, place x) noexcept { return {b, x.first, x.count}; }

    template <class Costs>
    [[nodiscard]] static constexpr auto by_subtrees(const Costs& c) {
        const bool whole = (c.size & (c.size - 1)) == 0, gathers = c.what == operation::gather;
        const double sum = gathers ? gather_s(c, c.size) : scatter_s(c, c.size);
        return c.time(sum + further_messages_s(c),
                      whole && c.root == 0 && c.plain() && c.answers_at_once() && c.divides(c.size));
    }
    template <class Costs>
    [[nodiscard]] static constexpr double gather_s(const Costs& c, int ranks) {
        if (ranks == 1) return 0;
        const int whole = 1 << whole_levels(ranks);
        double done = 0;
        for (int bit = 1; bit < whole; bit *= 2) done += c.message(bit * c.contribution());
        const double arrived = gather_s(c, ranks - whole) + c.header();
        return std::max(done, arrived) + c.receive((ranks - whole) * c.contribution());
    }
    template <class Costs>
    [[nodiscard]] static constexpr double scatter_s(const Costs& c, int ranks) {
        if (ranks == 1) return 0;
        const int whole = 1 << whole_levels(ranks);
        const double bytes = (ranks - whole) * c.contribution();
        double rest = c.send(bytes);
        for (int bit = whole / 2; bit >= 1; bit /= 2) {
            const double t = c.message(bit * c.contribution()), s = c.send(bit * c.contribution());
            rest += bit == 1 ? t : std::max(s, t);
        }
        return std::max(c.message(bytes) + scatter_s(c, ranks - whole), whole == 1 ? 0 : rest);
    }
    /// A subtree that wraps around behind the last rank sends two messages, or gets two.
    template <class Costs>
    [[nodiscard]] static constexpr double further_messages_s(const Costs& c) {
        const int rank_0 = c.root == 0 ? 0 : c.size - c.root; // counted from the root
        const bool gathers = c.what == operation::gather;
        double sum = 0;
        for (int span = 2; span <= rank_0; span *= 2)
            if (rank_0 % span != 0) sum += gathers ? c.receive(0) : c.send(0);
        return sum > 0 && gathers ? sum + c.hold(0, 0) : sum;
    }

    /// The levels of the largest whole subtree: all but the last one are whole.
    [[nodiscard]] static constexpr int whole_levels(int size) noexcept {
        int levels = 0;
        while ((2 << levels) < size) ++levels;
        return levels;
    }
    /// The root receives the last subtree's data when it is done with the others.
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
