// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/tcp.hpp>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/connect_to.hpp"
#include "support/expect.hpp"
#include "transport/contract/courier.hpp"
#include "world.hpp"

#include <transport/sockets/socket.hpp>

#include <csignal>
#include <deque>
#include <random>
#include <thread>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int size = 3;

/// Rank `victim` kills itself in the midst of its sends to the others.
void die_among_others(transport::tcp& t, int victim) {
    courier c{t};
    const bytes large(20'000'000, std::byte{3});
    bytes small(8, std::byte{1});
    bytes in(8);
    for (int peer = 0; peer < size; ++peer) {
        if (peer == t.rank()) continue;
        c.send({1, 0}, peer, small);
        c.receive({1, 0}, peer, in);
    }
    c.finish("all know each other");
    if (t.rank() == victim) {
        for (int peer = 0; peer < size; ++peer)
            if (peer != victim) {
                c.send({1, 0}, peer, small);
                c.send({1, 0}, peer, large);
            }
        c.linger(std::chrono::milliseconds{50});
        ::raise(SIGKILL);
    }
    const auto& last = c.receive({1, 0}, victim, in);
    bytes rest(large.size());
    const auto begin = transport::clock::now();
    const auto n = c.await(transport::notice_kind::lost, "the others are told of a death");
    expect(n.rank == victim && !n.text.empty(), "it is said who died, and how that was noticed");
    c.until([&] { return t.broken(victim).has_value(); }, "the channel of the dead is broken");
    expect(transport::clock::now() < begin + std::chrono::seconds{5}, "a death shows soon");
    expect(is_done(last), "what had arrived before a death is delivered");
    const auto& never = c.receive({1, 0}, victim, rest);
    c.send({1, 0}, victim, large);
    c.send({1, 1}, victim, small);

    const int other = 3 - victim - t.rank();
    const auto& sent = c.send({2, 0}, other, large);
    const auto& received = c.receive({2, 0}, other, rest);
    c.finish(sent, "survivors can send");
    c.finish(received, "survivors can receive");
    expect(rest == large, "survivors receive what was sent");
    expect(is_pending(never), "what the dead did not send does not arrive");
    t.close({1, 0});
    t.close({1, 1});
    // Who leaves first is not to be taken for lost by the other.
    bytes bye(1);
    c.send({2, 0}, other, bye);
    const auto& last_word = c.receive({2, 0}, other, bye);
    c.finish(last_word, "survivors part in good order");
}

transport::bootstrap::address data_port_of(const transport::tcp& t, int peer) {
    const auto where = t.name_of(peer).address;
    const auto colon = where.rfind(':');
    return *transport::bootstrap::address::literal(where.substr(0, colon),
                                                   static_cast<std::uint16_t>(std::stoi(where.substr(colon + 1))));
}

} // namespace

TEST_CASE("when a process is killed the others see it, keep what it had sent, and go on") {
    const int victim = GENERATE(0, 1, 2);
    transport::tcp_limits limits;
    limits.lanes = GENERATE(1, 3);
    CAPTURE(victim, limits.lanes);
    const reserved_port at;
    std::deque<child> ranks;
    for (int rank = 0; rank < size; ++rank)
        ranks.emplace_back([=, &at] {
            transport::tcp t{identity(rank, size, at), limits};
            die_among_others(t, victim);
        });
    for (int rank = 0; rank < size; ++rank)
        CHECK(ranks[static_cast<std::size_t>(rank)].end() == (rank == victim ? "signal 9" : ""));
}

TEST_CASE("what a rank had sent on all its lanes before it left arrives") {
    CHECK_NOTHROW(run_tcp(2, "127.0.0.1", {.lanes = 3}, [](transport::tcp& t) {
        courier c{t};
        const bytes large = pattern(5'000'000, 7);
        const bytes small = pattern(100, 8);
        if (t.rank() == 0) {
            c.send({1, 0}, 1, large);
            c.send({1, 0}, 1, small);
            return c.finish("sends complete");
        }
        bytes in(large.size());
        const auto& first = c.receive({1, 0}, 0, in);
        c.finish(first, "the long message of one who left arrives");
        expect(in == large, "the long message of one who left is intact");
        c.until([&] { return t.broken(0).has_value(); }, "one who left cannot be reached");
        bytes last(small.size());
        c.receive({1, 0}, 0, last);
        c.finish("the short message of one who left arrives");
        expect(last == small, "the short message of one who left is intact");
    }));
}

TEST_CASE("a peer that looks away in mid-message is not taken for dead") {
    const reserved_port at;
    std::deque<child> ranks;
    for (int rank = 0; rank < 2; ++rank)
        ranks.emplace_back([=, &at] {
            transport::tcp t{identity(rank, 2, at)};
            courier c{t};
            const bytes out = pattern(30'000'000, 1);
            bytes in(out.size());
            c.send({1, 0}, 1 - rank, out);
            c.receive({1, 0}, 1 - rank, in);
            if (rank == 1) {
                c.linger(std::chrono::milliseconds{10});
                std::this_thread::sleep_for(std::chrono::seconds{1});
            }
            c.finish("transfers go on after a pause");
            expect(in == out, "nothing is lost in a pause");
        });
    for (auto& p : ranks) CHECK(p.end() == "");
}

TEST_CASE("strangers at the data ports do no harm") {
    namespace bootstrap = transport::bootstrap;
    CHECK_NOTHROW(run_tcp(2, "127.0.0.1", {}, [](transport::tcp& t) {
        const int peer = 1 - t.rank();
        std::deque<bootstrap::descriptor> strangers;
        std::mt19937 random{static_cast<unsigned>(t.rank())};
        const auto annoy = [&](int count) {
            for (int i = 0; i < count; ++i) {
                const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{5};
                const auto& s = strangers.emplace_back(bootstrap::connect_to(data_port_of(t, peer), patience));
                std::vector<std::uint8_t> garbage(i % 3 == 0 ? 0 : random() % 300);
                for (auto& b : garbage) b = static_cast<std::uint8_t>(random());
                if (!garbage.empty())
                    static_cast<void>(bootstrap::write_some(s.get(), std::as_bytes(std::span(garbage))));
                if (i % 4 == 0) ::shutdown(s.get(), SHUT_WR);
                if (i % 5 == 0) strangers.pop_back();
            }
        };
        annoy(100);
        courier c{t};
        const auto out = pattern(500'000, 2);
        bytes in(out.size());
        for (int i = 0; i < 5; ++i) {
            const auto& sent = c.send({1, 0}, peer, out);
            const auto& received = c.receive({1, 0}, peer, in);
            annoy(10);
            c.finish(sent, "sends complete among strangers");
            c.finish(received, "receives complete among strangers");
            expect(in == out, "strangers change nothing");
        }
        expect(!t.broken(peer), "strangers break nothing");
        bytes bye(1);
        c.send({2, 0}, peer, bye);
        const auto& last = c.receive({2, 0}, peer, bye);
        c.finish(last, "both are there to the end");
    }));
}
