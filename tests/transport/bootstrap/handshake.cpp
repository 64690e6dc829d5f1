// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/sockets/handshake.hpp>

#include "support/catch.hpp"
#include "support/has.hpp"
#include "support/secret_of.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <utility>

using namespace tutti::transport::bootstrap;

namespace {

const place here = place_of(*address::literal("127.0.0.1", 5));
const hello data_hello{purpose::data, 1, 2, 0, 4, 77, here, false};
const hello_rules data_rules{purpose::data, 0, 4, 77, 2, here, false};
const hello control_hello{purpose::control, 0, 3, 0, 4, 0};

std::vector<std::byte> take_out(handshake& h) {
    std::vector<std::byte> out(h.outgoing().begin(), h.outgoing().end());
    h.sent(out.size());
    return out;
}

/// Carries bytes from one to the other in pieces; false when nothing was to be carried. Checks that no more is sent
/// than is wanted.
bool carry(handshake& from, handshake& to, std::size_t piece) {
    const auto bytes = take_out(from);
    for (std::size_t at = 0; at < bytes.size();) {
        const auto n = std::min({piece, bytes.size() - at, std::max<std::size_t>(to.wanted(), 1)});
        to.feed(std::span(bytes).subspan(at, n));
        at += n;
    }
    return !bytes.empty();
}

void converse(handshake& a, handshake& b, std::size_t piece = 1000) {
    for (int i = 0; i < 10; ++i)
        if (!carry(a, b, piece) && !carry(b, a, piece)) return;
    FAIL("the handshake does not end");
}

using tutti::test::has;
using tutti::test::secret_of;

} // namespace

TEST_CASE("two that share a secret accept each other, however the bytes arrive", "[handshake]") {
    const secret s(GENERATE("a secret that both know", ""));
    for (const std::size_t piece : {1u, 7u, 1000u}) {
        auto a = handshake::connecting(s, data_hello);
        auto b = handshake::accepting(s, data_rules);
        converse(a, b, piece);
        CHECK(a.accepted());
        CHECK(b.accepted());
        CHECK(b.theirs() == data_hello);
        CHECK(a.theirs() == hello{purpose::data, 1, 0, 2, 4, 77, here, false});
        CHECK(a.wanted() == 0);
        CHECK(b.wanted() == 0);
    }
}

TEST_CASE("not accepted before the last byte has been written", "[handshake]") {
    const secret s = secret_of("x");
    auto a = handshake::connecting(s, control_hello);
    auto b = handshake::accepting(s, {});
    CHECK(carry(a, b, 1000));
    CHECK(carry(b, a, 1000));
    CHECK(carry(a, b, 1000));
    CHECK_FALSE(b.accepted());
    b.sent(b.outgoing().size());
    CHECK(b.accepted());
}

TEST_CASE("a wrong secret is refused on both sides, and the stranger gets no proof", "[handshake]") {
    const auto [mine, theirs] =
        GENERATE(table<const char*, const char*>({{"wrong", "right"}, {"", "right"}, {"x", ""}}));
    auto a = handshake::connecting(secret_of(mine), control_hello);
    auto b = handshake::accepting(secret_of(theirs), {});
    CHECK(carry(a, b, 1000));
    CHECK(carry(b, a, 1000));
    CHECK(carry(a, b, 1000));
    CHECK(b.refused());
    const auto last = take_out(b);
    REQUIRE(last.size() == 33);
    for (std::size_t i = 1; i < last.size(); ++i) CHECK(last[i] == std::byte{0});
    a.feed(last);
    CHECK(a.refused());
    CHECK(a.reason() == "this rank's secret was refused");
    CHECK_FALSE(a.refused_for_good());
}

TEST_CASE("a rendezvous that does not know the secret cannot pretend", "[handshake]") {
    auto a = handshake::connecting(secret_of("right"), control_hello);
    auto b = handshake::accepting(secret_of("wrong"), {});
    CHECK(carry(a, b, 1000));
    CHECK(carry(b, a, 1000));
    static_cast<void>(take_out(a));
    std::vector<std::byte> welcome(33, std::byte{0});
    a.feed(welcome);
    CHECK(a.refused());
    CHECK(has(a.reason(), "does not know this rank's secret"));
    CHECK_FALSE(a.refused_for_good());
}

TEST_CASE("a proof sent back does not serve its receiver", "[handshake]") {
    auto a = handshake::connecting(secret_of("right"), data_hello);
    const auto greeting = take_out(a);
    // The mirror answers with the nonce and the proof that it was sent.
    std::vector<std::byte> challenge(greeting.begin(), greeting.begin() + 8);
    challenge.insert(challenge.end(), greeting.end() - 32, greeting.end());
    a.feed(challenge);
    auto proof = take_out(a);
    REQUIRE(proof.size() == 32);
    proof.insert(proof.begin(), std::byte{0});
    a.feed(proof);
    CHECK(a.refused());
}

TEST_CASE("what was recorded once does not open the door again", "[handshake]") {
    const secret s = secret_of("right");
    auto a = handshake::connecting(s, control_hello);
    auto b = handshake::accepting(s, {});
    const auto greeting = take_out(a);
    b.feed(greeting);
    a.feed(take_out(b));
    const auto proof = take_out(a);
    auto replayed = handshake::accepting(s, {});
    replayed.feed(greeting);
    static_cast<void>(take_out(replayed));
    replayed.feed(proof);
    CHECK(replayed.refused());
}

TEST_CASE("a hello changed on its way is refused", "[handshake]") {
    const secret s = secret_of("right");
    auto a = handshake::connecting(s, control_hello);
    auto b = handshake::accepting(s, {});
    auto greeting = take_out(a);
    greeting[13] ^= std::byte{1}; // the rank
    b.feed(greeting);
    a.feed(take_out(b));
    b.feed(take_out(a));
    CHECK(b.refused());
}

TEST_CASE("no byte of any message can be changed on its way: one side refuses at least", "[handshake]") {
    const secret s = secret_of("right");
    for (std::size_t changed = 0, carried = 1; changed < carried; ++changed) {
        auto a = handshake::connecting(s, data_hello);
        auto b = handshake::accepting(s, data_rules);
        carried = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (auto [from, to] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
                auto bytes = take_out(*from);
                if (changed >= carried && changed < carried + bytes.size()) bytes[changed - carried] ^= std::byte{1};
                carried += bytes.size();
                to->feed(bytes);
                moved |= !bytes.empty();
            }
        }
        CAPTURE(changed, carried);
        CHECK_FALSE((a.accepted() && b.accepted()));
    }
}

TEST_CASE("both sides get the same keys, one for each direction, which nobody else has", "[handshake]") {
    std::vector<digest> seen;
    for (const char* word : {"right", "right", "", ""}) {
        const secret s = secret_of(word);
        auto a = handshake::connecting(s, data_hello);
        auto b = handshake::accepting(s, data_rules);
        converse(a, b);
        REQUIRE(a.accepted());
        CHECK(a.keys().out == b.keys().in);
        CHECK(a.keys().in == b.keys().out);
        seen.push_back(a.keys().out);
        seen.push_back(a.keys().in);
    }
    std::sort(seen.begin(), seen.end());
    CHECK(std::unique(seen.begin(), seen.end()) == seen.end());
}

TEST_CASE("a place is the same however it is written", "[handshake]") {
    CHECK(place_of(*address::literal("10.0.0.1", 7)) == place_of(*address::literal("::ffff:10.0.0.1", 7)));
    CHECK(place_of(*address::literal("10.0.0.1", 7)) != place_of(*address::literal("10.0.0.1", 8)));
    CHECK(place_of(*address::literal("2001:db8::1", 7)).host[0] == 0x20);
}

TEST_CASE("a hello that does not fit is refused, and the guest learns why", "[handshake]") {
    const secret s = secret_of("right");
    hello h = data_hello;
    std::string expected;
    SECTION("another world") { h.world = 78, expected = "another world"; }
    SECTION("another size") { h.size = 5, expected = "size"; }
    SECTION("another rank wanted") { h.peer = 1, expected = "another rank"; }
    SECTION("a rank outside the world") { h.rank = 4, expected = "no sense"; }
    SECTION("itself") { h.rank = 0, expected = "no sense"; }
    SECTION("a lane that is not there") { h.lane = 2, expected = "no sense"; }
    SECTION("another purpose") { h.what = purpose::control, expected = "no sense"; }
    SECTION("another port than the one where it listens") { h.at.port = 6, expected = "somebody may stand between"; }
    SECTION("another address") { h.at.host[15] = 2, expected = "somebody may stand between"; }
    SECTION("it alone encrypts") { h.encrypted = true, expected = "only one of the two encrypts"; }
    auto a = handshake::connecting(s, h);
    auto b = handshake::accepting(s, data_rules);
    converse(a, b);
    CHECK(a.refused());
    CHECK(b.refused());
    CHECK(has(a.reason(), expected));
    CHECK(a.refused_for_good());
}

TEST_CASE("another wire version is named on both sides", "[handshake]") {
    const secret s = secret_of("right");
    auto b = handshake::accepting(s, {});
    auto a = handshake::connecting(s, control_hello);
    auto greeting = take_out(a);
    greeting[4] = std::byte{9};
    b.feed(std::span(greeting).first(8));
    CHECK(b.refused());
    CHECK(has(b.reason(), "wire version 9"));
    auto answer = take_out(b);
    REQUIRE(answer.size() >= 8);
    answer[4] = std::byte{9};
    a.feed(answer);
    CHECK(a.refused());
    CHECK(has(a.reason(), "wire version 9, this rank version " + std::to_string(wire_version)));
    CHECK_FALSE(a.refused_for_good());
}

TEST_CASE("garbage is refused after eight bytes, without a word", "[handshake]") {
    auto b = handshake::accepting(secret_of("right"), {});
    b.feed(std::as_bytes(std::span("GET / HTTP/1.1")));
    CHECK(b.refused());
    CHECK(b.outgoing().empty());
    CHECK(b.wanted() == 0);
}

TEST_CASE("whatever bytes come, nobody without the secret is accepted", "[handshake][fuzz]") {
    std::mt19937_64 random(std::random_device{}());
    const secret s = secret_of("right");
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    for (int round = 0; round < 100'000 && std::chrono::steady_clock::now() < until; ++round) {
        auto a = handshake::connecting(s, control_hello);
        auto b = handshake::accepting(s, {});
        auto bytes = take_out(a);
        const std::size_t extra = random() % 100;
        for (std::size_t i = 0; i < extra; ++i) bytes.push_back(std::byte(random()));
        if (random() % 2) bytes[random() % bytes.size()] = std::byte(random());
        bytes.resize(random() % bytes.size());
        b.feed(bytes);
        REQUIRE_FALSE(b.accepted());
        a.feed(bytes);
        REQUIRE_FALSE(a.accepted());
    }
}
