// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"
#include "rank_order.hpp"

namespace tutti::algorithm {

/// Each rank sends all its data to every other one, and each combines all of it in rank order, in one pass (one more
/// for every seven ranks beyond eight). One message delay, keeps rank order; bytes and scratch memory grow with P n, so
/// it is for a few bytes.
///
/// | P ranks, n elements | depth | rounds | sent = received per rank | fan-in | scratch |
/// |---|---|---|---|---|---|
/// | allreduce | 1 | P-1 | (P-1) n | P-1 | up to P n |
///
/// Source: the one-phase allreduce of Thakur, Rabenseifner and Gropp's discussion (IJHPCA 2005); "one-shot" in GPU
/// libraries.
struct one_shot {
    static constexpr std::string_view name = "one_shot";
    static constexpr std::string_view idea =
        "Everybody sends everything to everybody, and each reduces all of it: one message delay, the most bytes.";
    static constexpr std::string_view virtue = "nobody waits for more than one message of each rank";
    static constexpr bool rotates = true, has_bank_for_each_rank = true;
    [[nodiscard]] static constexpr int chunks(int) noexcept { return 1; }

    [[nodiscard]] static constexpr cost stated(operation, int size) noexcept {
        const int others = size - 1;
        return {size > 1 ? 1 : 0, others, others, others, others};
    }

    template <class Put>
    static constexpr void allreduce(const position& p, Put&& put) {
        // Incoming data of rank q waits in scratch bank q. In place, our own data moves to our own bank, since the
        // result would overwrite data that other ranks have yet to read.
        const auto of = [&](int q) { return q == p.rank && !p.in_place ? buffer::input : schedule::scratch(q); };
        const place own{of(p.rank), 0, 1}, output{buffer::output, 0, 1};
        if (p.in_place) put(schedule::copy({buffer::input, 0, 1}, own));
        for (int k = 1; k < p.size; ++k) {
            const int from = (p.rank + p.size - k) % p.size;
            put(schedule::send((p.rank + k) % p.size, own));
            put(schedule::receive(from, {of(from), 0, 1}));
        }
        detail::combine_in_rank_order(p.size, of, schedule::scratch(p.size), output, put);
    }

    /// The reduction follows the exchange, in rank order: the last message of rank 0 is its neighbour's, so that it can
    /// combine nothing before.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        const double n = c.whole();
        return c.exchange(n, 0) + c.time((c.size - 1) * c.reduce(n));
    }
};

} // namespace tutti::algorithm
