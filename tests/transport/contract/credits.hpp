// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "courier.hpp"
#include "fixture.hpp"

namespace tutti::test {

/// A peer that does not receive gets no more than `eager_limit` bytes of completed sends; when it receives at last,
/// everything comes, in order.
template <contract_fixture Fixture>
void slow_readers_bound_their_senders() {
    constexpr std::size_t size = 1000;
    const std::size_t count = 4 * Fixture::eager_limit / size + 10;
    milestone looked;
    Fixture{}.run(2, [&](auto& t) {
        courier c{t};
        std::deque<bytes> data;
        if (t.rank() == 0) {
            for (std::size_t i = 0; i < count; ++i) c.send({1, 0}, 1, data.emplace_back(pattern(size, i)));
            c.linger(std::chrono::milliseconds{200});
            const auto kept = c.completed() * size;
            looked.reach();
            expect(kept <= Fixture::eager_limit, std::to_string(kept) + " bytes kept for a slow reader are bounded");
            c.finish("sends complete when the slow reader receives");
            return;
        }
        t.open({1, 0}, 0);
        c.meet(looked, 1, "the sender has looked");
        for (std::size_t i = 0; i < count; ++i) c.receive({1, 0}, 0, data.emplace_back(size));
        c.finish("a slow reader gets everything");
        for (std::size_t i = 0; i < count; ++i)
            expect(data[i] == pattern(size, i), "a slow reader gets everything in order");
    });
}

/// A channel whose receiver never receives delays no other: not the one back, not that of another context to the same
/// peer, not that to another peer.
template <contract_fixture Fixture>
void stuck_channels_delay_nobody() {
    milestone checked;
    Fixture{}.run(3, [&](auto& t) {
        courier c{t};
        const bytes small(700);
        const bytes large(3'000'000);
        const auto stuff = [&](int peer) {
            for (std::size_t i = 0; i < Fixture::eager_limit / small.size() + 50; ++i) c.send({1, 0}, peer, small);
            c.send({1, 0}, peer, large);
        };
        const auto exchange = [&](transport::context k, int peer, const bytes& out) {
            bytes in(out.size());
            for (int i = 0; i < 5; ++i) {
                const auto& sent = c.send(k, peer, out);
                const auto& received = c.receive(k, peer, in);
                c.finish(sent, "a send beside a stuck channel completes");
                c.finish(received, "a receive beside a stuck channel completes");
            }
        };
        bytes from_stuffer(small.size());
        if (t.rank() == 0) {
            stuff(1);
            exchange({1, 1}, 1, small);
            exchange({1, 1}, 1, large);
            exchange({2, 0}, 2, large);
            exchange({1, 0}, 2, large);
            const auto& back = c.receive({1, 0}, 1, from_stuffer);
            c.finish(back, "the way back of a stuck channel is free");
        } else if (t.rank() == 1) {
            exchange({1, 1}, 0, small);
            exchange({1, 1}, 0, large);
            c.send({1, 0}, 0, small);
        } else {
            exchange({2, 0}, 0, large);
            exchange({1, 0}, 0, large);
        }
        checked.reach();
        c.meet(checked, 3, "all exchanges end");
        t.close({1, 0});
    });
}

} // namespace tutti::test
