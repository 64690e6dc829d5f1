// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/flow/outbox.hpp>

#include "support/catch.hpp"

#include <vector>

using namespace tutti::transport;
using namespace tutti::transport::detail::tcp;

namespace {

constexpr std::size_t any_size = 1 << 20;

struct sender {
    static constexpr std::uint64_t window = 10'000;
    outstanding waiting;
    outbox out{window, waiting};
    transfer_queue done;
    std::vector<std::byte> data = std::vector<std::byte>(100'000);

    transfer send(std::size_t size) {
        transfer x;
        x.from = data.data();
        x.bytes = size;
        x.signature = 5;
        x.owner = &done;
        return x;
    }
};

} // namespace

TEST_CASE("a small message is one fragment that says all about it") {
    sender s;
    auto x = s.send(100);
    s.out.push(x);
    CHECK(s.waiting.transfers == 1);
    REQUIRE(s.out.ready());
    CHECK(s.out.length() == 100);
    const auto f = s.out.next(any_size);
    CHECK(f.head.kind == frame_kind::data);
    CHECK(f.head.bytes == 100);
    CHECK(f.head.length == 100);
    CHECK(f.head.offset == 0);
    CHECK(f.head.sequence == 0);
    CHECK(f.head.signature == 5);
    CHECK(f.message == &x);
    CHECK(f.payload == s.data.data());
    CHECK_FALSE(s.out.ready());
    CHECK(s.waiting.transfers == 0);
}

TEST_CASE("a long message is cut, first by size, then by credit") {
    sender s;
    auto x = s.send(50'000);
    s.out.push(x);
    CHECK(s.out.next(6000).head.bytes == 6000);
    REQUIRE_FALSE(s.out.ready());
    s.out.credits().raise(sender::window + 500);
    REQUIRE(s.out.ready());
    const auto f = s.out.next(6000);
    CHECK(f.head.bytes == sender::window + 500 - 6000 - message_cost);
    CHECK(f.head.offset == 6000);
    CHECK(f.payload == s.data.data() + 6000);
    CHECK_FALSE(s.out.ready());
    s.out.credits().raise(100'000);
    CHECK(s.out.next(any_size).head.bytes == 50'000 - 6000 - f.head.bytes);
    CHECK(s.waiting.transfers == 0);
}

TEST_CASE("a message is not cut into crumbs by little credit") {
    sender s;
    auto first = s.send(9000);
    auto second = s.send(9000);
    s.out.push(first);
    s.out.push(second);
    CHECK(s.out.next(any_size).head.length == 9000);
    CHECK_FALSE(s.out.ready());
    s.out.credits().raise(9000 + 2 * message_cost + outbox::least_fragment - 1);
    CHECK_FALSE(s.out.ready());
    s.out.credits().raise(9000 + 2 * message_cost + outbox::least_fragment);
    CHECK(s.out.ready());
}

TEST_CASE("messages are numbered in the order of their starts, empty ones too, and each costs something") {
    sender s;
    std::vector<transfer> all;
    for (std::size_t i = 0; i < 200; ++i) all.push_back(s.send(0));
    for (auto& x : all) s.out.push(x);
    std::uint32_t sent = 0;
    for (; s.out.ready(); ++sent) {
        const auto f = s.out.next(any_size);
        REQUIRE(f.head.sequence == sent);
        REQUIRE(f.message == &all[sent]);
    }
    CHECK(sent == sender::window / message_cost);
}

TEST_CASE("an abandoned outbox has nothing to send") {
    sender s;
    auto x = s.send(50'000);
    auto y = s.send(1);
    s.out.push(x);
    s.out.push(y);
    static_cast<void>(s.out.next(100));
    s.out.abandon();
    CHECK_FALSE(s.out.ready());
    CHECK(s.waiting.transfers == 0);
    CHECK(s.done.empty());
}
