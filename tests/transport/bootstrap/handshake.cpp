// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/sockets/handshake.hpp>

#include "support/catch.hpp"
#include "support/free_talker.hpp"
#include "support/has.hpp"
#include "support/say.hpp"
#include "support/secret_of.hpp"

#include <openssl/x509.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <utility>

using namespace tutti::transport::bootstrap;

namespace {

const place here = place_of(*address::literal("127.0.0.1", 5));
const hello data_hello{purpose::data, 1, 2, 0, 4, 77, here, false};
const hello_rules data_rules{purpose::data, 0, 4, 77, 2, here, false};
const hello control_hello{purpose::control, 0, 3, 0, 4, 0};

using tutti::test::free_talker;
using tutti::test::has;
using tutti::test::say;
using tutti::test::secret_of;
using tutti::test::take_out;
using bytes = std::vector<std::byte>;

/// Carries bytes from one to the other in pieces; false when nothing was to be carried. What is not wanted stays where
/// it is, as in a socket.
struct pipe_to {
    handshake& to;
    bytes held{};
    bool carry(handshake& from, std::size_t piece) {
        const auto more = take_out(from);
        held.insert(held.end(), more.begin(), more.end());
        const auto n = std::min({piece, held.size(), to.wanted()});
        to.feed(std::span(held).first(n));
        if (to.knocks()) to.let_in();
        held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(n));
        return n > 0;
    }
};
void converse(handshake& a, handshake& b, std::size_t piece = 1000) {
    pipe_to to_a{a}, to_b{b};
    for (int i = 0; i < 10'000; ++i)
        if (!to_b.carry(a, piece) && !to_a.carry(b, piece)) {
            CHECK(to_a.held.empty());
            CHECK(to_b.held.empty());
            return;
        }
    FAIL("the handshake does not end");
}

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
    pipe_to to_a{a}, to_b{b};
    while (to_b.carry(a, 1) || (b.outgoing().size() != 29 && to_a.carry(b, 1))) {
    }
    CHECK_FALSE(b.accepted());
    CHECK_FALSE(a.accepted());
    b.sent(b.outgoing().size());
    CHECK(b.accepted());
    CHECK_FALSE(a.accepted()); // its own handshake looks finished
}

TEST_CASE("a wrong secret is refused on both sides, and each is told so by its own", "[handshake]") {
    const auto [mine, theirs] =
        GENERATE(table<const char*, const char*>({{"wrong", "right"}, {"", "right"}, {"x", ""}}));
    auto a = handshake::connecting(secret_of(mine), control_hello);
    auto b = handshake::accepting(secret_of(theirs), {});
    converse(a, b);
    CHECK(b.refused());
    CHECK(b.wrong_secret());
    CHECK(b.theirs().rank == 3);
    CHECK(a.refused());
    CHECK(a.reason() == "this rank's secret was refused");
    CHECK_FALSE(a.refused_for_good());
}

TEST_CASE("a server that any certificate would do for does not get in", "[handshake]") {
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> own(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    std::unique_ptr<X509, decltype(&X509_free)> of(X509_new(), &X509_free);
    X509_gmtime_adj(X509_getm_notBefore(of.get()), 0);
    X509_gmtime_adj(X509_getm_notAfter(of.get()), 1000);
    X509_set_pubkey(of.get(), own.get());
    REQUIRE(X509_sign(of.get(), own.get(), EVP_sha256()) > 0);
    auto a = handshake::connecting(secret_of("right"), data_hello);
    free_talker rogue(secret(), data_hello, false);
    SSL_set_psk_find_session_callback(rogue.s.get(), [](SSL*, const unsigned char*, std::size_t, SSL_SESSION** out) {
        *out = nullptr;
        return 1;
    });
    REQUIRE(SSL_use_certificate(rogue.s.get(), of.get()) == 1);
    REQUIRE(SSL_use_PrivateKey(rogue.s.get(), own.get()) == 1);
    rogue.in(take_out(a));
    static_cast<void>(rogue.shake(a));
    CHECK(a.refused());
    CHECK(a.reason() == "the other side does not know this rank's secret");
    CHECK_FALSE(a.refused_for_good());
}

TEST_CASE("a dial that is sent back to its sender, or on to another rank, is refused", "[handshake]") {
    const secret s = secret_of("right");
    for (const std::int32_t receiver : {2, 3}) {
        auto a = handshake::connecting(s, data_hello);
        auto rules = data_rules;
        rules.rank = receiver;
        auto b = handshake::accepting(s, rules);
        converse(a, b);
        CHECK_FALSE(b.accepted());
        CHECK_FALSE(a.accepted());
    }
    auto a = handshake::connecting(s, control_hello); // on to a port of data
    auto b = handshake::accepting(s, data_rules);
    converse(a, b);
    CHECK(b.refused());
}

TEST_CASE("what was recorded once does not open the door again", "[handshake]") {
    const secret s = secret_of("right");
    auto a = handshake::connecting(s, control_hello);
    auto b = handshake::accepting(s, {});
    bytes recorded;
    for (int i = 0; i < 10 && !b.accepted(); ++i) {
        const auto from_a = take_out(a);
        recorded.insert(recorded.end(), from_a.begin(), from_a.end());
        b.feed(from_a);
        if (b.knocks()) b.let_in();
        a.feed(take_out(b));
    }
    REQUIRE(b.accepted());
    auto replayed = handshake::accepting(s, {});
    while (replayed.wanted() > 0 && !recorded.empty()) {
        const auto n = std::min(replayed.wanted(), recorded.size());
        replayed.feed(std::span(recorded).first(n));
        recorded.erase(recorded.begin(), recorded.begin() + static_cast<std::ptrdiff_t>(n));
        if (replayed.knocks()) replayed.let_in();
    }
    CHECK(replayed.refused());
}

TEST_CASE("no bit of any message can be changed on its way, but for a number that means nothing", "[handshake]") {
    const secret s = secret_of("right");
    std::vector<std::size_t> meaningless;
    std::size_t hello_bytes = 0;
    for (std::size_t changed = 0, carried = 1; changed < carried; ++changed) {
        for (const unsigned bit : {1u, 128u}) {
            auto a = handshake::connecting(s, data_hello);
            auto b = handshake::accepting(s, data_rules);
            pipe_to to_a{a}, to_b{b};
            carried = 0;
            hello_bytes = a.outgoing().size();
            for (bool moved = true; moved;) {
                moved = false;
                for (auto [from, to] : {std::pair{&a, &to_b}, std::pair{&b, &to_a}}) {
                    auto more = take_out(*from);
                    if (changed >= carried && changed < carried + more.size())
                        more[changed - carried] ^= static_cast<std::byte>(bit);
                    carried += more.size();
                    to->held.insert(to->held.end(), more.begin(), more.end());
                    while (to->carry(*from, 1000)) moved = true;
                }
            }
            if (changed < carried && a.accepted() && b.accepted()) meaningless.push_back(changed);
        }
    }
    // The lower half of the version of each side's first record, which TLS 1.3 ignores.
    CHECK(meaningless == std::vector<std::size_t>{2, 2, hello_bytes + 2, hello_bytes + 2});
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
    bool proven = true;
    SECTION("another world") { h.world = 78, expected = "another world, rank or use", proven = false; }
    SECTION("another size") { h.size = 5, expected = "size"; }
    SECTION("another rank wanted") { h.peer = 1, expected = "another world, rank or use", proven = false; }
    SECTION("a rank outside the world") { h.rank = 4, expected = "no sense"; }
    SECTION("itself") { h.rank = 0, expected = "no sense"; }
    SECTION("a lane that is not there") { h.lane = 2, expected = "no sense"; }
    SECTION("another purpose") { h.what = purpose::control, expected = "another world, rank or use", proven = false; }
    SECTION("another port than the one where it listens") { h.at.port = 6, expected = "somebody may stand between"; }
    SECTION("another address") { h.at.host[15] = 2, expected = "somebody may stand between"; }
    SECTION("it alone encrypts") { h.encrypted = true, expected = "only one of the two encrypts"; }
    auto a = handshake::connecting(s, h);
    auto b = handshake::accepting(s, data_rules);
    converse(a, b);
    CHECK(a.refused());
    CHECK(b.refused());
    CHECK(has(a.reason(), expected));
    CHECK(a.refused_for_good() == proven);
}

TEST_CASE("another wire version is named on both sides", "[handshake]") {
    free_talker guest(secret_of("right"), control_hello);
    auto b = handshake::accepting(secret_of("right"), {});
    REQUIRE(guest.shake(b));
    auto greeting = tutti::transport::bootstrap::detail::encode_greeting(control_hello);
    greeting[4] = std::byte{9};
    REQUIRE(guest.say(greeting, b));
    CHECK(b.refused());
    CHECK(has(b.reason(), "wire version 9, this rank version " + std::to_string(wire_version)));
    const auto answer = guest.hear(b);
    REQUIRE(answer.size() == 7);
    CHECK(std::to_integer<int>(answer[4]) == wire_version);

    auto a = handshake::connecting(secret_of("right"), control_hello);
    free_talker host(secret_of("right"), control_hello, false);
    host.in(take_out(a));
    while (!a.refused() && !host.shake(a)) {
    }
    REQUIRE(host.say(bytes{answer[0], answer[1], answer[2], answer[3], std::byte{9}, std::byte{0}, std::byte{0}}, a));
    CHECK(a.refused());
    CHECK(has(a.reason(), "wire version 9, this rank version " + std::to_string(wire_version)));
}

TEST_CASE("whatever one says inside who knows the secret, it only ever ends in a refusal", "[handshake][fuzz]") {
    std::mt19937_64 random(std::random_device{}());
    for (int round = 0; round < 200; ++round) {
        free_talker guest(secret_of("right"), control_hello);
        auto b = handshake::accepting(secret_of("right"), {});
        REQUIRE(guest.shake(b));
        auto said = tutti::transport::bootstrap::detail::encode_greeting(control_hello);
        for (int i = 0; i < 3; ++i) said[random() % said.size()] ^= static_cast<std::byte>(1 + random() % 255);
        if (random() % 2) said.resize(1 + random() % said.size());
        if (random() % 4 == 0) said.resize(said.size() + random() % 2000);
        REQUIRE(guest.say(said, b));
        const auto answer = guest.hear(b);
        if (b.accepted()) continue; // it came to fields that control does not look at
        CHECK(b.refused());
        CHECK((answer.size() == 7 || said.size() > handshake::most_record_bytes - 100));
    }
}

TEST_CASE("garbage is refused at its first byte, without a word", "[handshake]") {
    auto b = handshake::accepting(secret_of("right"), {});
    b.feed(std::as_bytes(std::span("GET / HTTP/1.1")));
    CHECK(b.refused());
    CHECK(b.outgoing().empty());
    CHECK(b.wanted() == 0);
}

TEST_CASE("a first record is bounded, and is looked at before anything is made for it", "[handshake]") {
    auto b = handshake::accepting(secret_of("right"), {});
    const std::array<unsigned char, 5> long_one{22, 3, 1, 4, 1};
    b.feed(std::as_bytes(std::span(long_one)));
    CHECK(b.refused());
    auto a = handshake::connecting(secret_of("right"), control_hello);
    auto first = take_out(a);
    CHECK(first.size() < 400);
    auto c = handshake::accepting(secret_of("right"), {});
    for (std::size_t i = 0; i < first.size(); ++i) {
        CHECK_FALSE(c.greeted());
        c.feed(std::span(first).subspan(i, 1));
    }
    CHECK(c.greeted());
    CHECK(c.knocks());
    CHECK(c.wanted() == 0);
    CHECK(c.outgoing().empty());              // nothing is done for it yet
    first[first.size() - 45] ^= std::byte{1}; // the identity
    auto d = handshake::accepting(secret_of("right"), {});
    d.feed(first);
    CHECK(d.refused());
    CHECK_FALSE(d.greeted());
}

TEST_CASE("nobody without the key is accepted, whatever of a true conversation is changed", "[handshake][fuzz]") {
    std::mt19937_64 random(std::random_device{}());
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);
    auto other_world = data_hello, other_rank = data_hello;
    other_world.world = 78;
    other_rank.rank = 3;
    for (int round = 0; round < 10'000 && std::chrono::steady_clock::now() < until; ++round) {
        // The right identity with a key of another secret or conversation; at either end.
        const bool connects = random() % 2 != 0, knows = random() % 2 != 0;
        free_talker stranger(secret_of(knows ? "right" : "wrong"),
                             knows ? random() % 2 ? other_world : other_rank : data_hello, connects);
        stranger.key.identity = tls::conversation::of(data_hello).identity();
        if (!connects) // any identity will do
            SSL_set_psk_find_session_callback(stranger.s.get(),
                                              [](SSL* s, const unsigned char*, std::size_t, SSL_SESSION** out) {
                                                  const auto& k = *static_cast<tls::key_holder*>(SSL_get_app_data(s));
                                                  *out = tls::detail::session_of(s, k, k.mine);
                                                  return 1;
                                              });
        auto side = connects ? handshake::accepting(secret_of("right"), data_rules)
                             : handshake::connecting(secret_of("right"), data_hello);
        for (int i = 0; i < 5 && !side.refused(); ++i) {
            stranger.in(take_out(side));
            static_cast<void>(SSL_do_handshake(stranger.s.get()));
            auto said = stranger.out();
            if (!said.empty() && random() % 4 == 0) said[random() % said.size()] = std::byte(random());
            if (random() % 8 == 0) said.resize(random() % (said.size() + 1));
            while (!said.empty() && side.wanted() > 0) {
                const auto n = std::min(said.size(), side.wanted());
                side.feed(std::span(said).first(n));
                said.erase(said.begin(), said.begin() + static_cast<std::ptrdiff_t>(n));
                if (side.knocks()) side.let_in();
            }
            REQUIRE_FALSE(side.accepted());
            REQUIRE_FALSE(side.refused_for_good());
        }
    }
}

TEST_CASE("a key is for one conversation", "[handshake]") {
    auto changed = data_hello;
    SECTION("of a world") { changed.world = 78; }
    SECTION("of who dials") { changed.rank = 3; }
    SECTION("of who is dialled") { changed.peer = 2; }
    SECTION("of a use") { changed = control_hello, changed.rank = data_hello.rank; }
    free_talker guest(secret_of("right"), changed);
    guest.key.identity = tls::conversation::of(data_hello).identity();
    auto b = handshake::accepting(secret_of("right"), data_rules);
    CHECK_FALSE(guest.shake(b));
    CHECK(b.wrong_secret());
    CHECK(b.theirs().rank == data_hello.rank);
}

namespace {

/// Two ends of a connection that have proven themselves, inside TLS.
struct ends {
    explicit ends(std::size_t ahead = 0) {
        int both[2];
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, both) == 0);
        here = descriptor(both[0]), there = descriptor(both[1]);
        const secret s = secret_of("right");
        auto a = handshake::connecting(s, data_hello);
        auto b = handshake::accepting(s, data_rules);
        converse(a, b);
        one.emplace(a.release(), here.get(), ahead);
        two.emplace(b.release(), there.get(), ahead);
    }
    descriptor here, there;
    std::optional<tls::stream> one, two;
};

} // namespace

TEST_CASE("bytes go both ways inside, also where keys are renewed ten thousand times under load", "[handshake][tls]") {
    ends e(GENERATE(0u, 100u, 65'536u));
    e.one->renew_after(1);
    e.two->renew_after(1);
    std::mt19937_64 random(1);
    struct direction {
        tls::stream &from, &to;
        std::size_t sent = 0, got = 0;
        std::vector<std::byte> pending{};
    };
    std::array<direction, 2> all{direction{*e.one, *e.two}, direction{*e.two, *e.one}};
    constexpr std::size_t most = 16'000'000;
    const auto byte_at = [](std::size_t i) { return static_cast<std::byte>(i * 2'654'435'761u >> 16); };
    for (std::size_t turns = 0; (all[0].got < most || all[1].got < most) && turns < 10'000'000; ++turns) {
        auto& d = all[random() % 2];
        if (random() % 2) {
            if (d.pending.empty() && d.sent < most) {
                d.pending.resize(std::min(most - d.sent, 1 + random() % 3000));
                for (auto& b : d.pending) b = byte_at(d.sent++);
            }
            if (d.pending.empty()) d.from.flush();
            if (d.pending.empty()) continue;
            const auto r = say(d.from, d.pending);
            REQUIRE_FALSE(r.ended);
            d.pending.erase(d.pending.begin(), d.pending.begin() + static_cast<std::ptrdiff_t>(r.bytes));
        } else {
            std::array<std::byte, 5000> in;
            const auto r = d.to.read(in);
            REQUIRE_FALSE(r.ended);
            bool same = true;
            for (std::size_t i = 0; i < r.bytes; ++i) same = same && in[i] == byte_at(d.got++);
            REQUIRE(same);
        }
    }
    CHECK(all[0].got == most);
    CHECK(all[1].got == most);
}

TEST_CASE("who reads ahead never holds a part of a record, and so no more than it was to read", "[handshake][tls]") {
    constexpr std::size_t ahead = 65'536;
    ends e(ahead);
    constexpr int size = 1 << 20;
    ::setsockopt(e.here.get(), SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    bytes record(tls::stream::record_bytes);
    std::size_t sent = 0, got = 0;
    for (std::uint8_t i = 0; !e.one->wants_write() && i < 100; ++i) {
        std::ranges::fill(record, std::byte{i});
        sent += say(*e.one, record).bytes;
    }
    REQUIRE(sent > 3 * ahead);
    for (int turns = 0; got < sent && turns < 10'000; ++turns) {
        std::size_t once = 0;
        do {
            const auto r = e.two->read(record);
            if (r.bytes == 0) e.one->flush();
            CHECK(std::count(record.begin(), record.begin() + static_cast<std::ptrdiff_t>(r.bytes),
                             static_cast<std::byte>((got + once) / record.size())) ==
                  static_cast<std::ptrdiff_t>(r.bytes));
            once += r.bytes;
        } while (e.two->holds());
        REQUIRE(once <= ahead + record.size());
        got += once;
    }
    CHECK(got == sent);
    CHECK(e.two->read(record).bytes == 0);
    CHECK_FALSE(e.two->has_more());
}

TEST_CASE("a change on the way is found, and an end is told from it", "[handshake][tls]") {
    const std::size_t ahead = GENERATE(0u, 65'536u);
    ends e(ahead);
    const auto good = std::as_bytes(std::span("good"));
    REQUIRE(say(*e.two, good).bytes == good.size()); // the other way is no harm
    const auto text = std::as_bytes(std::span("a word"));
    REQUIRE(say(*e.one, text).bytes == text.size());
    std::array<std::byte, 100> in;
    const auto record = read_some(e.there.get(), in).bytes;
    REQUIRE(record > text.size());
    in[record - 3] ^= std::byte{1};
    REQUIRE(write_some(e.here.get(), std::span(in).first(record)).bytes == record);
    std::array<std::byte, 100> landing;
    CHECK(e.two->read(landing).ended);
    CHECK(e.two->forged());
    CHECK(e.two->read(landing).ended);

    ends f(ahead);
    CHECK_FALSE(f.two->read(landing).ended);
    f.one.reset();
    f.here.reset();
    const auto r = f.two->read(landing);
    CHECK(r.ended);
    CHECK(r.error == 0);
    CHECK_FALSE(f.two->forged());
    CHECK(say(*f.two, text).ended);
}

TEST_CASE("after the handshake both may leave TLS, and no plain byte is lost", "[handshake][tls]") {
    for (const std::size_t piece : {1u, 3u, 1000u}) {
        const secret s = secret_of("right");
        auto a = handshake::connecting(s, data_hello);
        auto b = handshake::accepting(s, data_rules);
        pipe_to to_a{a}, to_b{b};
        const auto plain = std::as_bytes(std::span("plain bytes"));
        bool said = false;
        while (to_b.carry(a, piece) || to_a.carry(b, piece)) {
            if (!b.accepted() || std::exchange(said, true)) continue; // right behind the answer
            to_a.held.insert(to_a.held.end(), plain.begin(), plain.end());
        }
        CHECK(a.accepted());
        CHECK(std::ranges::equal(to_a.held, plain));
        CHECK(to_b.held.empty());
    }
}
