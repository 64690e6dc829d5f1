// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "parameter_server.hpp"
#include "rank_order.hpp"

namespace tutti::algorithm {

/// Direct exchange: each rank gets its shard of everybody's data straight from them, combines all of it in rank order
/// in one pass (one more for every seven ranks beyond eight), and hands the result to all. Messages and costs are those
/// of parameter_server, which combines with each arrival; here the operands wait for each other, so that the order is
/// kept and memory is passed once. That pays where operands are read where they lie, and wait at no cost; the scratch
/// is then reserved, but not touched.
///
/// | P ranks, n elements | depth | rounds | sent = received per rank | fan-in | scratch |
/// |---|---|---|---|---|---|
/// | reduce_scatter | 1 | P-1 | (P-1)/P n | P-1 | up to n |
/// | allgather | 1 | P-1 | (P-1)/P n | P-1 | |
/// | allreduce | 2 | 2(P-1) | 2(P-1)/P n | P-1 | up to n |
/// | alltoall | 1 | P-1 | (P-1)/P n | P-1 | in place n |
///
/// Source: the pairwise exchange of Thakur, Rabenseifner and Gropp's reduce-scatter (IJHPCA 2005), its messages all
/// under way at once; "two-shot" in GPU libraries. The alltoall
/// is the linear one of MPI libraries, with peers in the order of the pairwise exchange.
struct direct {
    static constexpr std::string_view name = "direct";
    static constexpr std::string_view idea =
        "As the parameter server, but each rank reduces its shard in one pass once all parts are there.";
    static constexpr std::string_view virtue = "everyone exchanges parts with everyone at once";
    static constexpr bool rotates = true, has_bank_for_each_rank = true;
    [[nodiscard]] static constexpr bool steps_rotate(operation o) noexcept {
        return o == operation::allgather || o == operation::alltoall;
    }
    [[nodiscard]] static constexpr int chunks(operation o, int size) noexcept {
        return size * schedule::vectors_of(o, size);
    }
    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept {
        return parameter_server::stated(o, size);
    }

    template <class Put>
    static constexpr void reduce_scatter(const position& p, buffer, Put&& put) {
        // Incoming data of rank q waits in scratch bank q; our own bank is there for sums on their way.
        const auto of = [&](int q) { return q == p.rank ? buffer::input : schedule::scratch(q); };
        for (int k = 1; k < p.size; ++k) {
            const int to = (p.rank + k) % p.size, from = (p.rank + p.size - k) % p.size;
            put(schedule::send(to, {buffer::input, to, 1}));
            put(schedule::receive(from, {of(from), p.rank, 1}));
        }
        detail::combine_in_rank_order(p.size, of, schedule::scratch(p.rank), {buffer::output, p.rank, 1}, put);
    }

    template <class Put>
    static constexpr void allgather(const position& p, Put&& put) {
        parameter_server::allgather(p, put);
    }

    /// Each block goes straight to its rank. In place it waits in scratch until its memory has been sent.
    template <class Put>
    static constexpr void alltoall(const position& p, Put&& put) {
        const auto block_from = [&](int q) {
            return place{p.in_place ? schedule::scratch(0) : buffer::output, p.rank * p.size + q, 1};
        };
        for (int k = 1; k < p.size; ++k) {
            const int to = (p.rank + k) % p.size, from = (p.rank + p.size - k) % p.size;
            put(schedule::send(to, {buffer::input, to * p.size + p.rank, 1}));
            put(schedule::receive(from, block_from(from)));
        }
        for (int k = 1; p.in_place && k < p.size; ++k) {
            const place landed = block_from((p.rank + p.size - k) % p.size);
            put(schedule::copy(landed, {buffer::output, landed.first, 1}));
        }
    }

    /// As one_shot's, of shards. Beyond most_operands some ranks reduce a part while others' data are on their way.
    template <class Costs>
    [[nodiscard]] static constexpr auto closed_form(const Costs& c) {
        const double b = c.shard();
        const bool one_pass = c.what != operation::allreduce || c.size <= schedule::most_operands || c.reduce(1) == 0;
        return c.phases([&] { return c.exchange(b, 0) + c.time((c.size - 1) * c.reduce(b)); },
                        [&] { return c.exchange(b, 0); }) +
               c.time(c.hold_between_phases(b), c.divides(c.size) && one_pass && c.turns_at_once());
    }
};

} // namespace tutti::algorithm
