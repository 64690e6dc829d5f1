// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/flow/inbox.hpp>

#include "support/catch.hpp"

#include <cstring>
#include <random>

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::detail::tcp;

namespace {

using bytes = std::vector<std::byte>;

bytes numbers(std::size_t size) {
    bytes data(size);
    for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<std::byte>(i * 7 + i / 251);
    return data;
}

/// An inbox, and a peer who sends to it.
struct post_office {
    static constexpr std::uint64_t window = 1000;
    outstanding waiting;
    inbox in{window, waiting};
    transfer_queue done;
    std::uint32_t sequence = 0;

    transfer receive(bytes& to, std::uint64_t signature = 1) {
        transfer x;
        x.to = to.data();
        x.bytes = to.size();
        x.signature = signature;
        x.owner = &done;
        return x;
    }
    /// One fragment; the payload is handed in by whichever way the inbox wants.
    inbox::turn fragment(const bytes& message, std::size_t offset, std::size_t size, std::uint64_t signature = 1) {
        const frame f{
            frame_kind::data, static_cast<std::uint32_t>(size), {}, sequence, message.size(), signature, offset};
        const auto turn = in.begin(f);
        if (turn != inbox::turn::now) return turn;
        const auto place = in.place(size);
        if (!place.empty()) {
            std::memcpy(place.data(), message.data() + offset, size);
            in.placed(size);
        } else if (size > 0) {
            in.arrive(std::span(message).subspan(offset, size));
        }
        if (offset + size == message.size()) ++sequence;
        return turn;
    }
    inbox::turn message(const bytes& m, std::uint64_t signature = 1) { return fragment(m, 0, m.size(), signature); }
};

void subtract(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count, const void*) {
    for (std::size_t i = 0; i < 3 * count; ++i)
        to[i] = static_cast<std::byte>(std::to_integer<int>(left[i]) - std::to_integer<int>(right[i]));
}

} // namespace

TEST_CASE("a message goes straight to the receive that waits for it") {
    post_office p;
    bytes to(300);
    auto x = p.receive(to);
    p.in.post(x);
    CHECK(p.waiting.transfers == 1);
    CHECK(p.message(numbers(300)) == inbox::turn::now);
    CHECK(x.status == transfer_status::done);
    CHECK(p.done.pop() == &x);
    CHECK(p.waiting.transfers == 0);
    CHECK(to == numbers(300));
}

TEST_CASE("an early message is kept for its receive") {
    post_office p;
    bytes first(300);
    bytes second(20);
    p.message(numbers(300));
    p.message(bytes(20, std::byte{9}));
    auto x = p.receive(first);
    p.in.post(x);
    CHECK(x.status == transfer_status::done);
    CHECK(first == numbers(300));
    auto y = p.receive(second);
    p.in.post(y);
    CHECK(y.status == transfer_status::done);
    CHECK(second == bytes(20, std::byte{9}));
}

TEST_CASE("a message whose receive comes in its midst goes on in place") {
    post_office p;
    const auto message = numbers(900);
    bytes to(900);
    auto x = p.receive(to);
    p.fragment(message, 0, 500);
    p.in.post(x);
    CHECK(x.status == transfer_status::pending);
    CHECK(x.moved == 500);
    p.fragment(message, 500, 400);
    CHECK(x.status == transfer_status::done);
    CHECK(to == message);
}

TEST_CASE("a message whose receive comes between a header and its payload is delivered") {
    post_office p;
    const auto message = numbers(100);
    bytes to(100);
    auto x = p.receive(to);
    REQUIRE(p.in.begin({frame_kind::data, 100, {}, 0, 100, 1, 0}) == inbox::turn::now);
    p.in.post(x);
    p.in.arrive(message);
    CHECK(x.status == transfer_status::done);
    CHECK(to == message);
}

TEST_CASE("empty messages are kept, matched and completed like others") {
    post_office p;
    bytes nothing;
    auto x = p.receive(nothing);
    auto y = p.receive(nothing);
    p.message({});
    p.in.post(x);
    CHECK(x.status == transfer_status::done);
    p.in.post(y);
    CHECK(y.status == transfer_status::pending);
    p.message({});
    CHECK(y.status == transfer_status::done);
}

TEST_CASE("a message of another length or signature is thrown away, whenever its receive comes") {
    const bool receive_first = GENERATE(true, false);
    const bool other_length = GENERATE(true, false);
    CAPTURE(receive_first, other_length);
    post_office p;
    const auto message = numbers(500);
    bytes to(other_length ? 499 : 500, std::byte{0x55});
    const auto untouched = to;
    auto x = p.receive(to, other_length ? 1 : 2);
    if (receive_first) p.in.post(x);
    p.fragment(message, 0, 200);
    if (!receive_first) p.in.post(x);
    CHECK(x.status == transfer_status::mismatched);
    CHECK(p.waiting.transfers == 0);
    p.fragment(message, 200, 300);
    bytes next(50);
    auto y = p.receive(next);
    p.in.post(y);
    p.message(numbers(50));
    CHECK(to == untouched);
    CHECK(y.status == transfer_status::done);
    CHECK(next == numbers(50));
}

TEST_CASE("a reduction gets whole elements in order, however the bytes come") {
    constexpr std::size_t elements = 200;
    const reducer op{subtract, nullptr, 3};
    const auto message = numbers(3 * elements);
    std::mt19937 random{3};
    for (int round = 0; round < 200; ++round) {
        post_office p;
        const bytes local(message.size(), std::byte{100});
        bytes to(message.size());
        auto x = p.receive(to);
        x.from = local.data();
        x.reduce = &op;
        x.incoming_left = round % 2 == 0;
        const std::size_t post_after = random() % message.size();
        bool posted = false;
        for (std::size_t at = 0; at < message.size();) {
            if (!posted && at >= post_after) {
                p.in.post(x);
                posted = true;
            }
            const std::size_t size = std::min<std::size_t>(1 + random() % 50, message.size() - at);
            REQUIRE(p.fragment(message, at, size) == inbox::turn::now);
            at += size;
        }
        if (!posted) p.in.post(x);
        REQUIRE(x.status == transfer_status::done);
        bytes expected(message.size());
        subtract(expected.data(), x.incoming_left ? message.data() : local.data(),
                 x.incoming_left ? local.data() : message.data(), elements, nullptr);
        REQUIRE(to == expected);
    }
}

TEST_CASE("fragments from other lanes wait for their turn") {
    post_office p;
    const auto message = numbers(300);
    CHECK(p.fragment(message, 100, 100) == inbox::turn::later);
    CHECK(p.fragment(message, 0, 100) == inbox::turn::now);
    CHECK(p.fragment(message, 200, 100) == inbox::turn::later);
    p.sequence = 1;
    CHECK(p.fragment(message, 0, 100) == inbox::turn::later);
    p.sequence = 0;
    CHECK(p.fragment(message, 100, 100) == inbox::turn::now);
    CHECK(p.fragment(message, 200, 100) == inbox::turn::now);
    CHECK(p.message(numbers(5)) == inbox::turn::now);
}

TEST_CASE("what no sane peer sends is noticed") {
    post_office p;
    const auto message = numbers(300);
    p.fragment(message, 0, 100);
    SECTION("a fragment again") { CHECK(p.fragment(message, 0, 100) == inbox::turn::never); }
    SECTION("an old message") {
        p.sequence = 0xffffffff;
        CHECK(p.fragment(message, 100, 100) == inbox::turn::never);
    }
    SECTION("another signature in mid-message") { CHECK(p.fragment(message, 100, 100, 2) == inbox::turn::never); }
    SECTION("another length in mid-message") { CHECK(p.fragment(numbers(301), 100, 100) == inbox::turn::never); }
    SECTION("more than its credits") {
        p.fragment(message, 100, 200);
        CHECK(p.message(numbers(573)) == inbox::turn::never);
    }
}

TEST_CASE("exactly the window fits without a receive") {
    post_office p;
    CHECK(p.message(numbers(1000 - 64)) == inbox::turn::now);
    CHECK(p.message({}) == inbox::turn::never);
}

TEST_CASE("a sequence number is early or late by the shorter way round") {
    outstanding waiting;
    inbox in{1u << 20, waiting};
    for (std::uint32_t i = 0; i < 1000; ++i)
        REQUIRE(in.begin({frame_kind::data, 0, {}, i, 0, 1, 0}) == inbox::turn::now);
    CHECK(in.begin({frame_kind::data, 0, {}, 1000 + 0x7fffffffu, 0, 1, 0}) == inbox::turn::later);
    CHECK(in.begin({frame_kind::data, 0, {}, 1000 + 0x80000001u, 0, 1, 0}) == inbox::turn::never);
}

TEST_CASE("an abandoned inbox waits for nothing") {
    post_office p;
    bytes a(300);
    bytes b(300);
    auto x = p.receive(a);
    auto y = p.receive(b);
    p.in.post(x);
    p.in.post(y);
    p.fragment(numbers(300), 0, 100);
    CHECK(p.waiting.transfers == 2);
    p.in.abandon();
    CHECK(p.waiting.transfers == 0);
    CHECK(p.done.empty());
}
