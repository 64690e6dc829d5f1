// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#pragma once

#include <tutti/collectives/algorithm/prove.hpp> // who calls with it has it proven first

struct my_ring {
    static constexpr std::string_view name = "my_ring";
    static constexpr int chunks(int size) { return size; } // into how many chunks the data are cut

    static constexpr tutti::schedule::cost stated(tutti::schedule::operation, int size) {
        const int rounds = 2 * (size - 1);
        return {rounds, rounds, rounds, rounds, size > 1 ? 1 : 0}; // depth, rounds, sent, received, fan-in
    }

    static constexpr void allreduce(const tutti::schedule::position& p, auto&& put) {
        using namespace tutti::schedule;
        const int next = (p.rank + 1) % p.size, previous = (p.rank + p.size - 1) % p.size;
        const auto behind = [&](int k) { return (p.rank - k + 2 * p.size) % p.size; }; // the chunk k places behind
        for (int k = 1; k < p.size; ++k) {                                             // sums travel to their owners
            const place in{buffer::input, behind(k + 1), 1}, out{buffer::output, behind(k + 1), 1};
            put(send(next, {k == 1 ? buffer::input : buffer::output, behind(k), 1}));
            put(receive_reduce(previous, in, out, side::left)); // out = what comes + in
        }
        for (int k = 0; k < p.size - 1; ++k) { // results travel round
            put(send(next, {buffer::output, behind(k), 1}));
            put(receive(previous, {buffer::output, behind(k + 1), 1}));
        }
    }
};
