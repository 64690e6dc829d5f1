// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#pragma once

#include <tutti/collectives/algorithm/prove.hpp> // who calls with it has it proven first

#include <algorithm>
#include <string_view>

/// An allreduce along a line: sums go from rank 0 to the last rank, and the result goes back.
struct line {
    static constexpr std::string_view name = "line";
    static constexpr int chunks(int) { return 1; } // the data stay whole

    static constexpr tutti::schedule::cost stated(tutti::schedule::operation, int size) {
        const int messages = 2 * (size - 1), sent = std::min(size - 1, 2);
        return {messages, messages, sent, sent, size > 1 ? 1 : 0}; // depth, rounds, sent, received, fan-in
    }

    static constexpr void allreduce(const tutti::schedule::position& p, auto&& put) {
        using namespace tutti::schedule;
        constexpr place in{buffer::input, 0, 1}, out{buffer::output, 0, 1};
        const bool first = p.rank == 0, last = p.rank == p.size - 1;
        if (!first) put(receive_reduce(p.rank - 1, in, out, side::left)); // out = what comes + in
        if (!last) {
            put(send(p.rank + 1, first ? in : out));
            put(receive(p.rank + 1, out)); // the result
        }
        if (!first) put(send(p.rank - 1, out));
    }
};
