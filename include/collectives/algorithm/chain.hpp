// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"
#include "chain_form.hpp"

namespace tutti::algorithm {

/// Chain: each rank receives the reduction of the lower ranks, adds its own data, and sends it on. The fewest bytes;
/// cut into segments, all ranks work at once. Ranks wait for P-1 messages in a row, so little data takes its time.
///
/// | P ranks, n elements | depth | rounds | sent = received per rank | fan-in |
/// |---|---|---|---|---|
/// | scan, exscan | P-1 | P-1 | n | 1 |
///
/// Source: the linear scan of MPI libraries; pipelined as in Sanders and Träff, Parallel prefix (scan) algorithms for
/// MPI, EuroPVM/MPI 2006.
struct chain {
    static constexpr std::string_view name = "chain";
    static constexpr std::string_view idea = "Each rank adds its data to the sum of the lower ranks and sends it on.";
    static constexpr std::string_view virtue =
        "no rank sends the data more than once, in segments that follow each other";
    static constexpr int most_segments = 64;
    [[nodiscard]] static constexpr int chunks(int) noexcept { return 1; }

    [[nodiscard]] static constexpr cost stated(operation, int size) noexcept {
        const int others = size - 1, some = size > 1 ? 1 : 0;
        return {others, others, some, some, some};
    }

    template <class Put>
    static constexpr void scan(const position& p, Put&& put) {
        const place input{buffer::input, 0, 1}, output{buffer::output, 0, 1};
        if (p.rank > 0)
            put(schedule::receive_reduce(p.rank - 1, input, output, side::left));
        else if (!p.in_place)
            put(schedule::copy(input, output));
        if (p.rank + 1 < p.size) put(schedule::send(p.rank + 1, p.rank > 0 ? output : input));
    }

    template <class Put>
    static constexpr void exscan(const position& p, Put&& put) {
        const place input{buffer::input, 0, 1}, output{buffer::output, 0, 1}, sum{schedule::scratch(0), 0, 1};
        if (p.rank == 0) return void(put(schedule::send(1, input)));
        if (p.rank + 1 == p.size) return void(put(schedule::receive(p.rank - 1, output)));
        // In place, the sum of the lower ranks waits in scratch until our own data have been added to it.
        const place lower = p.in_place ? place{schedule::scratch(1), 0, 1} : output;
        const buffer own = buffer::input;
        put(schedule::receive(p.rank - 1, lower));
        put(schedule::reduce_many(lower, {&own, 1}, sum));
        put(schedule::send(p.rank + 1, sum));
        if (p.in_place) put(schedule::copy(lower, output));
    }

    /// From rank to rank: see chain_form.hpp.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        return detail::chain_form<Costs>(c).time();
    }
};

} // namespace tutti::algorithm
