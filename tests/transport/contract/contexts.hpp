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

/// How many contexts one rank may use that the other has not opened: any number, of which a test takes so many.
template <contract_fixture Fixture>
inline constexpr std::uint32_t many_contexts = 2000;
template <contract_fixture Fixture>
    requires requires { Fixture::many_contexts; }
inline constexpr std::uint32_t many_contexts<Fixture> = Fixture::many_contexts;

/// A rank sends in many contexts before the peer opens any. Each message comes in the order in which the peer opens
/// them, the last context first; what has completed comes although its context is closed; and all that once more.
template <contract_fixture Fixture>
void contexts_may_be_far_ahead() {
    constexpr std::uint32_t contexts = many_contexts<Fixture>;
    milestone sent;
    Fixture{}.run(2, [&](auto& t) {
        const int peer = 1 - t.rank();
        for (const int sender : {0, 1}) {
            courier c{t};
            const auto where = [&](std::uint32_t i) {
                return transport::context{std::uint64_t{1} + static_cast<std::uint64_t>(sender), i};
            };
            if (t.rank() == sender) {
                std::deque<bytes> data;
                std::vector<const transport::transfer*> all;
                for (std::uint32_t i = 0; i < contexts; ++i)
                    all.push_back(&c.send(where(i), peer, data.emplace_back(pattern(24, i))));
                c.linger(std::chrono::milliseconds{20});
                for (std::uint32_t i = 0; i < contexts; ++i)
                    if (is_done(*all[i])) t.close(where(i));
                sent.reach();
                c.finish("all sends complete");
                for (std::uint32_t i = 0; i < contexts; ++i) t.close(where(i));
                continue;
            }
            std::byte none{};
            c.receive({9, 0}, peer, &none, 1); // what comes meanwhile is taken in
            c.meet(sent, sender + 1, "the sender is ahead");
            t.close({9, 0});
            for (std::uint32_t i = contexts; i-- > 0;) {
                bytes in(24);
                const auto& received = c.receive(where(i), peer, in);
                c.finish(received, "a message comes when its context is opened");
                expect(in == pattern(24, i), "each context has its own message");
                t.close(where(i));
            }
        }
        courier c{t};
        std::byte in{};
        const std::byte out{7};
        c.send({3, 0}, peer, &out, 1);
        c.receive({3, 0}, peer, &in, 1);
        c.finish("the ranks meet");
    });
}

} // namespace tutti::test
