// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../documents/my_ring.hpp"

#include <tools/lab/command.hpp>

/// It has a broadcast alone.
struct my_chain {
    static constexpr std::string_view name = "my_chain";
    static constexpr int chunks(int) { return 1; }
    static constexpr tutti::schedule::cost stated(tutti::schedule::operation, int size) {
        const int some = size > 1 ? 1 : 0;
        return {size - 1, size - 1, some, some, some};
    }
    static constexpr void broadcast(const tutti::schedule::position& p, auto&& put) {
        const tutti::schedule::place data{tutti::schedule::buffer::output, 0, 1};
        const int next = (p.rank + 1) % p.size;
        if (p.rank != p.root) put(tutti::schedule::receive((p.rank + p.size - 1) % p.size, data));
        if (next != p.root) put(tutti::schedule::send(next, data));
    }
};

/// Swaps of the whole vector between partners: for powers of two.
struct my_doubling {
    static constexpr std::string_view name = "my_doubling";
    static constexpr bool runs_on(int size) { return (size & (size - 1)) == 0; }
    static constexpr int chunks(int) { return 1; }
    static constexpr tutti::schedule::cost stated(tutti::schedule::operation, int size) {
        int l = 0;
        while (1 << l < size) ++l;
        return {l, l, l, l, size > 1 ? 1 : 0};
    }
    static constexpr void allreduce(const tutti::schedule::position& p, auto&& put) {
        using namespace tutti::schedule;
        place have{buffer::input, 0, 1};
        int left = stated(operation::allreduce, p.size).rounds;
        if (p.in_place && left % 2 == 1) put(copy(have, {scratch(0), 0, 1})), have.where = scratch(0);
        for (int distance = 1; distance < p.size; distance *= 2, --left) {
            const int peer = p.rank ^ distance;
            const place to{left % 2 == 1 ? buffer::output : scratch(0), 0, 1};
            put(send(peer, have));
            put(receive_reduce(peer, have, to, peer < p.rank ? side::left : side::right));
            have = to;
        }
    }
};

/// Wrong on ten ranks, and silent about it.
struct my_small_ring : my_ring {
    static constexpr std::string_view name = "my_small_ring";
    static constexpr void allreduce(const tutti::schedule::position& p, auto&& put) {
        if (p.size < 10) my_ring::allreduce(p, put);
    }
};

/// Wrong where it is offered: on 11 ranks in its cost alone, on 12 because all wait.
struct my_stuck : my_ring {
    static constexpr std::string_view name = "my_stuck";
    static constexpr bool runs_on(int size) { return size == 11 || size == 12; }
    static constexpr tutti::schedule::cost stated(tutti::schedule::operation of, int size) {
        tutti::schedule::cost all = my_ring::stated(of, size);
        all.fan_in = 2;
        return all;
    }
    static constexpr void allreduce(const tutti::schedule::position& p, auto&& put) {
        using namespace tutti::schedule;
        if (p.size == 12) put(receive((p.rank + 11) % 12, {buffer::output, p.rank, 1}));
        my_ring::allreduce(p, put);
    }
};

int main(int argc, char** argv) {
    using namespace tutti::algorithm;
    return tutti::tools::lab::main(argc, argv, my_ring{}, my_chain{}, my_doubling{}, my_small_ring{}, my_stuck{},
                                   hierarchical<ring, my_ring>{});
}
