// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/join/offer.hpp>

#include "support/catch.hpp"
#include "support/connect_to.hpp"
#include "support/has.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

using namespace tutti;
using namespace tutti::transport::bootstrap;
using test::has;

namespace {

std::string objection_to_offer(const std::string& text) {
    try {
        static_cast<void>(offer::parse(text, "the invitation"));
    } catch (const error& e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("an offer written and read is the same", "[offer]") {
    for (const char* host : {"127.0.0.1", "fd00::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"})
        for (const auto& key : {std::string(), transport::bootstrap::drawn_key()}) {
            const offer made{{host, 65'535}, key};
            CHECK(made.text().size() <= offer::most_characters);
            CHECK(made.text().find_first_of(" =\"'\n") == std::string::npos);
            const auto again = offer::parse(made.text(), "it");
            CHECK(again.where == made.where);
            CHECK(again.key == made.key);
        }
    CHECK(transport::bootstrap::drawn_key() != transport::bootstrap::drawn_key());
    CHECK(transport::bootstrap::drawn_key().size() == 64);
}

TEST_CASE("text that is no offer is refused, and not quoted", "[offer]") {
    const std::string key = transport::bootstrap::drawn_key();
    CHECK(has(objection_to_offer(""), "none of this library"));
    CHECK(has(objection_to_offer("tutti-2:" + key + "@127.0.0.1:1"), "none of this library"));
    CHECK(has(objection_to_offer("tutti-1:" + key), "none of this library"));
    CHECK(has(objection_to_offer("tutti-1:" + key + "@127.0.0.1"), "no port"));
    CHECK(has(objection_to_offer("tutti-1:" + key + "@host:1"), "no literal address"));
    CHECK(has(objection_to_offer("tutti-1:" + key + std::string(200, 'x') + "@127.0.0.1:1"), "none of this library"));
    for (const auto& wrong : {"tutti-2:" + key + "@127.0.0.1:1", "tutti-1:" + key + "@127.0.0.1"})
        CHECK_FALSE(has(objection_to_offer(wrong), key));
}

TEST_CASE("a port is held until it is taken, once", "[offer]") {
    const auto where = transport::bootstrap::detail::hold_port(*address::literal("127.0.0.1", 0), {});
    CHECK(held_ports::list().holds(where));
    CHECK(connect_to(*address::literal(where.host, where.port),
                     std::chrono::steady_clock::now() + std::chrono::seconds(2)));
    const auto taken = held_ports::list().take(where);
    CHECK(taken);
    CHECK_FALSE(held_ports::list().holds(where));
    CHECK_FALSE(held_ports::list().take(where));
    CHECK_FALSE(held_ports::list().holds({"localhost", where.port}));
}

TEST_CASE("rank 0 listens, draws a secret and hands both on; what it was given itself stays with it", "[offer]") {
    std::string left;
    identity zero;
    zero.size = 2;
    zero.one_host = true;
    zero.exchange = [&](const std::string& offered, auto) { return left = offered; };
    exchange_offers(zero);
    CHECK(zero.rendezvous.host == "127.0.0.1");
    CHECK(zero.key.configured());
    CHECK_FALSE(zero.exchange);
    CHECK(held_ports::list().take(zero.rendezvous));

    identity one;
    one.rank = 1;
    one.size = 2;
    one.exchange = [&](const std::string& offered, auto) {
        CHECK(offered.empty());
        return left;
    };
    exchange_offers(one);
    CHECK(one.rendezvous == zero.rendezvous);
    CHECK(one.key.derive("it") == zero.key.derive("it"));

    zero.key = one.key = secret("a secret of sixteen bytes or more");
    zero.exchange = [&](const std::string& offered, auto) { return left = offered; };
    one.exchange = [&](const std::string&, auto) { return left; };
    exchange_offers(zero);
    exchange_offers(one);
    CHECK(has(left, "tutti-1:@127.0.0.1:"));
    CHECK(one.key.derive("it") == secret("a secret of sixteen bytes or more").derive("it"));
    CHECK(held_ports::list().take(zero.rendezvous));
}

TEST_CASE("what rank 0 left is judged", "[offer]") {
    identity one;
    one.rank = 1;
    one.size = 2;
    one.exchange = [&](const std::string&, auto) { return std::string("something else"); };
    CHECK_THROWS_AS(exchange_offers(one), error);
}

TEST_CASE("a world of one asks no launcher for anything", "[offer]") {
    identity me;
    me.one_host = true;
    me.exchange = [](const std::string&, std::chrono::steady_clock::time_point) -> std::string {
        throw std::runtime_error("was asked");
    };
    CHECK_NOTHROW(exchange_offers(me));
    CHECK(me.rendezvous == endpoint{});
}

TEST_CASE("the time that an exchange takes is not given twice", "[offer]") {
    identity me;
    me.rank = 1;
    me.size = 2;
    me.timeout = std::chrono::milliseconds(1000);
    me.exchange = [](const std::string&, std::chrono::steady_clock::time_point) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return offer{{"127.0.0.1", 1}, transport::bootstrap::drawn_key()}.text();
    };
    exchange_offers(me);
    CHECK(me.timeout <= std::chrono::milliseconds(950));
    CHECK(me.timeout >= std::chrono::milliseconds(1));
    CHECK(me.rendezvous == endpoint{"127.0.0.1", 1});
}
