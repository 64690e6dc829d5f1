// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

namespace tutti::test {

/// Contexts whose receives are started in opposite orders on the two ranks, each only when the former is complete:
/// each context's sends, all under way, must get through past the others.
template <contract_fixture Fixture>
void contexts_pass_each_other(std::size_t size) {
    constexpr std::uint32_t contexts = 8;
    Fixture{}.run(2, [size](auto& t) {
        courier c{t};
        const int peer = 1 - t.rank();
        const auto number = [](std::uint32_t i) { return transport::context{5 + i % 2, i / 2}; };
        const auto seed = [](std::uint32_t i, int from) { return i * 2 + static_cast<std::size_t>(from); };
        std::deque<bytes> out;
        for (std::uint32_t i = 0; i < contexts; ++i)
            c.send(number(i), peer, out.emplace_back(pattern(size, seed(i, t.rank()))));
        for (std::uint32_t i = 0; i < contexts; ++i) {
            const std::uint32_t mine = t.rank() == 0 ? i : contexts - 1 - i;
            bytes in(size);
            const auto& received = c.receive(number(mine), peer, in);
            c.finish(received, "contexts complete in any order");
            expect(in == pattern(size, seed(mine, peer)), "each context has its own messages");
        }
        c.finish("all contexts complete");
    });
}

} // namespace tutti::test
