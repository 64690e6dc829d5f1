// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

namespace tutti::algorithm {

/// The obvious way: everybody sends to a root, which folds in rank order; the root sends the result to everybody.
/// Keeps rank order. The root's link carries P-1 times the data each way: a yardstick, and right for tiny worlds. As a
/// gather and a scatter it is the linear algorithm of MPI libraries: no byte moves twice.
///
/// | P ranks, n elements | depth | rounds | sent by / received by the root | fan-in |
/// |---|---|---|---|---|
/// | reduce | 1 | P-1 | 0 (others n) / (P-1) n | P-1 |
/// | broadcast | 1 | P-1 | (P-1) n / 0 (others n) | 1 |
/// | gather | 1 | P-1 | 0 (others n/P) / (P-1)/P n | P-1 |
/// | scatter | 1 | P-1 | (P-1)/P n / 0 (others n/P) | 1 |
/// | allreduce | 2 | 2(P-1) | (P-1) n / (P-1) n | P-1 |
struct naive {
    static constexpr std::string_view name = "naive";
    static constexpr std::string_view idea =
        "Everybody sends the whole vector to one root, which reduces and sends the result to everybody.";
    static constexpr std::string_view virtue = "few messages are sent in all";
    [[nodiscard]] static constexpr int chunks(operation o, int size) noexcept {
        return schedule::has_shards(o) ? size : 1;
    }

    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept {
        const int others = size - 1, some = size > 1 ? 1 : 0;
        if (o == operation::reduce || o == operation::gather) return {some, others, some, others, others};
        if (o == operation::broadcast || o == operation::scatter) return {some, others, others, some, some};
        return {2 * some, 2 * others, others, others, others};
    }

    template <class Put>
    static constexpr void reduce(const position& p, buffer, Put&& put) {
        const place input{buffer::input, 0, 1}, output{buffer::output, 0, 1};
        if (p.rank != p.root) return void(put(schedule::send(p.root, input)));
        place own = input;
        if (p.in_place && p.root != 0) { // rank 0's data takes the place of our own
            own.where = schedule::scratch(0);
            put(schedule::copy(input, own));
        }
        if (p.root != 0) put(schedule::receive(0, output));
        for (int q = 1; q < p.size; ++q) {
            if (q == p.root)
                put(schedule::reduce(own, output, side::right));
            else
                put(schedule::receive_reduce(q, p.root == 0 && q == 1 ? input : output, output, side::right));
        }
    }

    template <class Put>
    static constexpr void broadcast(const position& p, Put&& put) {
        const place output{buffer::output, 0, 1};
        if (p.rank != p.root) return void(put(schedule::receive(p.root, output)));
        for (int k = 1; k < p.size; ++k) put(schedule::send((p.root + k) % p.size, output));
    }

    template <class Put>
    static constexpr void gather(const position& p, Put&& put) {
        if (p.rank != p.root) return void(put(schedule::send(p.root, {buffer::input, p.rank, 1})));
        for (int k = 1; k < p.size; ++k) {
            const int peer = (p.root + k) % p.size;
            put(schedule::receive(peer, {buffer::output, peer, 1}));
        }
    }

    template <class Put>
    static constexpr void scatter(const position& p, Put&& put) {
        if (p.rank != p.root) return void(put(schedule::receive(p.root, {buffer::output, p.rank, 1})));
        for (int k = 1; k < p.size; ++k) {
            const int peer = (p.root + k) % p.size;
            put(schedule::send(peer, {buffer::input, peer, 1}));
        }
    }

    /// All messages are there when the root begins with the first. It takes them in one after the other: t(n) + n gamma
    /// + (P-2) r(n), where r is a receiver's time. The broadcast: (P-2) s(n) + t(n), where s lies between two sends.
    /// Gather and scatter likewise, of shards.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        const double n = c.contribution(), each = c.reduction(n);
        const bool from_first = c.root == 0 || c.receives_alone(); // else operands wait for those of lower ranks
        return c.phases([&] { return c.time(c.message(n) + each + (c.size - 2) * c.take(n, each), c.plain()); },
                        [&] { return c.time((c.size - 2) * c.send(n) + c.message(n), c.plain()); }) +
               c.time(0, from_first && c.turns_at_once() && (!schedule::has_shards(c.what) || c.divides(c.size)));
    }
};

} // namespace tutti::algorithm
