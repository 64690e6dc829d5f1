// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "line.hpp"

#include <tutti/collectives/algorithm/prove.hpp>

#include <cstdio>

/// The same, but rank 1 does not add its own data.
struct forgetful : line {
    static constexpr std::string_view name = "forgetful";
    static constexpr void allreduce(const tutti::schedule::position& p, auto&& put) {
        using namespace tutti::schedule;
        line::allreduce(p, [&](const step& s) {
            put(p.rank == 1 && s.what == action::receive_reduce ? receive(s.peer, s.to) : s);
        });
    }
};

int main() {
    std::puts(tutti::algorithm::prove(line{}, {.ranks = {1, 64}}).message().c_str());
    std::puts(tutti::algorithm::prove(forgetful{}, {.ranks = {1, 64}}).message().c_str());
}
