// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

namespace tutti::test {

/// Everyone exchanges a small and a large message with everyone at once.
template <contract_fixture Fixture>
void all_pairs_exchange(int ranks) {
    Fixture{}.run(ranks, [](auto& t) {
        courier c{t};
        struct arrival {
            int peer;
            bytes data;
        };
        const auto seed = [](int from, int to) { return static_cast<std::size_t>(from * 1000 + to); };
        std::deque<bytes> out;
        std::deque<arrival> in;
        for (int distance = 1; distance < t.size(); ++distance)
            for (const std::size_t size : {std::size_t{8}, std::size_t{20'000}}) {
                const int to = (t.rank() + distance) % t.size();
                const int from = (t.rank() - distance + t.size()) % t.size();
                c.send({1, 0}, to, out.emplace_back(pattern(size, seed(t.rank(), to))));
                c.receive({1, 0}, from, in.emplace_back(arrival{from, bytes(size)}).data);
            }
        c.finish("everyone hears from everyone");
        for (const auto& [peer, data] : in)
            expect(data == pattern(data.size(), seed(peer, t.rank())), "each pair has its own messages");
    });
}

} // namespace tutti::test
