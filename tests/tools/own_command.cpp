// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <tools/tutti/command.hpp>

/// A ring allgather, as a user would write it.
struct my_ring {
    static constexpr std::string_view name = "my_ring";
    static constexpr int chunks(int size) { return size; }
    static constexpr tutti::schedule::cost stated(tutti::schedule::operation, int size) {
        return {size - 1, size - 1, size - 1, size - 1, size > 1 ? 1 : 0};
    }
    static constexpr auto closed_form(const auto& c) { return c.time((c.size - 1) * c.message(c.shard()), c.plain()); }
    static constexpr void allgather(const tutti::schedule::position& p, auto&& emit) {
        using namespace tutti::schedule;
        const int next = (p.rank + 1) % p.size, previous = (p.rank + p.size - 1) % p.size;
        for (int k = 0; k < p.size - 1; ++k) {
            emit(send(next, {buffer::output, (p.rank - k + p.size) % p.size, 1}));
            emit(receive(previous, {buffer::output, (p.rank - k - 1 + p.size) % p.size, 1}));
        }
    }
};

int main(int argc, char** argv) { return tutti::tools::main(argc, argv, my_ring{}); }
