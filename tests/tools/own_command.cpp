// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../documents/my_ring.hpp"

#include <tools/tutti/command.hpp>

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

int main(int argc, char** argv) {
    using namespace tutti::algorithm;
    return tutti::tools::main(argc, argv, my_ring{}, my_chain{}, hierarchical<ring, my_ring>{});
}
