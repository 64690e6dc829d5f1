// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "algorithm.hpp"

namespace tutti::algorithm {

/// Ring. Chunk c starts at rank c+1 and is reduced on its way round to rank c; then the results go round once more.
/// Bandwidth-optimal for any number of ranks, and every rank talks to two neighbours only; latency grows with P.
///
/// | P ranks, n elements | depth | rounds | sent = received per rank | fan-in |
/// |---|---|---|---|---|
/// | reduce_scatter, allgather | P-1 | P-1 | (P-1)/P n | 1 |
/// | allreduce | 2(P-1) | 2(P-1) | 2(P-1)/P n | 1 |
///
/// Source: Patarasuk and Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, JPDC 2009.
struct ring {
    static constexpr std::string_view name = "ring";
    static constexpr std::string_view virtue = "no rank sends more than it must, whatever their number";
    static constexpr bool rotates = true;
    [[nodiscard]] static constexpr bool steps_rotate(operation) noexcept { return true; }
    [[nodiscard]] static constexpr int chunks(int size) noexcept { return size; }

    [[nodiscard]] static constexpr cost stated(operation o, int size) noexcept {
        const int rounds = (o == operation::allreduce ? 2 : 1) * (size - 1);
        return {rounds, rounds, rounds, rounds, size > 1 ? 1 : 0};
    }

    template <class Emit>
    static constexpr void reduce_scatter(const position& p, buffer partial, Emit&& emit) {
        const int next = (p.rank + 1) % p.size, previous = (p.rank + p.size - 1) % p.size;
        for (int k = 1; k < p.size; ++k) {
            const int leaving = (p.rank + p.size - k) % p.size, coming = (p.rank + 2 * p.size - k - 1) % p.size;
            const buffer to = k == p.size - 1 ? buffer::output : partial;
            emit(schedule::send(next, {k == 1 ? buffer::input : partial, leaving, 1}));
            emit(schedule::receive_reduce(previous, {buffer::input, coming, 1}, {to, coming, 1}, side::left));
        }
    }

    template <class Emit>
    static constexpr void allgather(const position& p, Emit&& emit) {
        const int next = (p.rank + 1) % p.size, previous = (p.rank + p.size - 1) % p.size;
        for (int k = 0; k < p.size - 1; ++k) {
            emit(schedule::send(next, {buffer::output, (p.rank + p.size - k) % p.size, 1}));
            emit(schedule::receive(previous, {buffer::output, (p.rank + 2 * p.size - k - 1) % p.size, 1}));
        }
    }
};

} // namespace tutti::algorithm
