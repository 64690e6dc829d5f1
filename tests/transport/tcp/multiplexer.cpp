// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/flow/multiplexer.hpp>

#include "support/catch.hpp"

#include <array>

using namespace tutti::transport;
using namespace tutti::transport::detail::tcp;

namespace {

/// A board with one open channel, and transfers of 60 and 80 % of its window.
struct owing {
    static constexpr std::uint64_t window = 100'000;

    tcp_limits limits{.window_bytes = window};
    closed_contexts closed;
    multiplexer board{1, limits, closed};
    channel& c = board.open({1, 0});
    std::array<std::byte, 80'000> memory{};
    transfer_queue done;
    transfer x;

    owing() { hear(); }
    /// The peer has opened the channel, too.
    void hear() { CHECK(board.take({.kind = frame_kind::credit, .where = c.where, .length = window})); }

    void receive(std::size_t bytes) {
        x.to = memory.data();
        x.bytes = bytes;
        x.owner = &done;
        c.in.post(x);
        board.schedule_receive(c);
    }
};

[[nodiscard]] bool is_credit(const std::optional<fragment>& f) { return f && f->head.kind == frame_kind::credit; }

} // namespace

TEST_CASE("a credit that is due goes with what is sent next, and before it") {
    owing it;
    it.receive(60'000);
    CHECK(it.board.idle());
    CHECK_FALSE(it.board.next(true));
    transfer sent;
    sent.owner = &it.done;
    it.c.out.push(sent);
    it.board.schedule_send(it.c);
    CHECK_FALSE(it.board.idle());
    CHECK(is_credit(it.board.next(true)));
    const auto data = it.board.next(true);
    CHECK((data && !is_credit(data)));
    CHECK_FALSE(it.board.next(true));
}

TEST_CASE("an urgent credit goes by itself, once, on the first lane") {
    owing it;
    it.receive(80'000);
    CHECK_FALSE(it.board.idle());
    CHECK_FALSE(it.board.next(false));
    CHECK(is_credit(it.board.next(true)));
    CHECK(it.board.idle());
    CHECK_FALSE(it.board.next(true));
}

TEST_CASE("a channel that goes takes its urgent credit along") {
    owing it;
    it.receive(80'000);
    it.board.close(it.c);
    CHECK(it.board.idle());
    CHECK_FALSE(it.board.next(true));
}
