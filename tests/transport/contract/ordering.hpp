// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

#include <iterator>

namespace tutti::test {

/// Sizes from nothing to well past what any transport sends eagerly, mixed.
inline std::size_t varied_size(std::size_t i) {
    constexpr std::size_t sizes[] = {8, 0, 1, 70'000, 64, 3000, 2048, 2049, 12, 300'000, 1000};
    return sizes[i % std::size(sizes)];
}

/// Messages of all sizes, many in flight, arrive in the order of their sends, whether or not the receives came first.
template <contract_fixture Fixture>
void messages_arrive_in_order(bool receiver_is_late) {
    constexpr std::size_t count = 220;
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        const int peer = 1 - t.rank();
        std::deque<bytes> out;
        std::deque<bytes> in;
        if (t.rank() == 1 && receiver_is_late) c.linger(std::chrono::milliseconds{50});
        for (std::size_t i = 0; i < count; ++i) {
            if (t.rank() == 0)
                c.send({1, 0}, peer, out.emplace_back(pattern(varied_size(i), i)));
            else
                c.receive({1, 0}, peer, in.emplace_back(varied_size(i)));
        }
        c.finish("all messages arrive");
        for (std::size_t i = 0; i < in.size(); ++i)
            expect(in[i] == pattern(varied_size(i), i),
                   "message " + std::to_string(i) + " is the one sent in its turn");
    });
}

/// A long exchange in both directions at once, one message at a time: sends and completions never get out of step.
template <contract_fixture Fixture>
void ping_pong() {
    constexpr std::size_t rounds = 2000;
    Fixture{}.run(2, [](auto& t) {
        courier c{t};
        std::uint64_t out = 0;
        std::uint64_t in = 0;
        for (std::size_t i = 0; i < rounds; ++i) {
            out = i * 2 + static_cast<std::uint64_t>(t.rank());
            c.send({1, 0}, 1 - t.rank(), reinterpret_cast<const std::byte*>(&out), sizeof out);
            c.receive({1, 0}, 1 - t.rank(), reinterpret_cast<std::byte*>(&in), sizeof in);
            c.finish("round " + std::to_string(i) + " ends");
            expect(in == i * 2 + static_cast<std::uint64_t>(1 - t.rank()), "each round brings its own message");
        }
    });
}

} // namespace tutti::test
