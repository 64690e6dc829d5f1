// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/tcp/listener.hpp>

#include <transport/tcp/connector.hpp>

#include "support/catch.hpp"

#include <boost/asio/write.hpp>

#include <deque>
#include <random>
#include <thread>

using namespace tutti::transport;
using namespace tutti::transport::detail::tcp;

namespace {

using connection = tutti::transport::detail::tcp::socket;

const auto loopback = asio::ip::make_address("127.0.0.1");

/// Rank 1 of a world of 3, whose data port is open.
struct host {
    asio::io_context io;
    listener port{io, loopback};
    bootstrap::secret key{"sixteen secret bytes"};
    std::deque<bootstrap::hello> welcomed;
    std::deque<connection> inside;

    bool step(clock::time_point now = clock::now()) {
        const bootstrap::guest_rules rules{bootstrap::purpose::data, 1, 3, 77, 4};
        return port.step(key, rules, now, [&](connection&& s, const bootstrap::hello& h) {
            welcomed.push_back(h);
            inside.push_back(std::move(s));
        });
    }
    asio::ip::tcp::endpoint where() { return {loopback, port.port()}; }

    bootstrap::hello guest_hello(std::uint16_t lane = 0) { return {bootstrap::purpose::data, lane, 0, 1, 3, 77}; }
    connector guest(std::uint16_t lane = 0) { return {io, where(), key, guest_hello(lane)}; }

    connection stranger() {
        connection s(io);
        s.connect(where());
        s.non_blocking(true);
        return s;
    }
    void step_for(std::chrono::milliseconds time) {
        for (const auto end = clock::now() + time; clock::now() < end;)
            if (!step()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    /// Lets both go on until the connector has an outcome; its pauses pass at once if it is to `hurry`.
    void settle(connector& c, bool hurry = false) {
        for (const auto end = clock::now() + std::chrono::seconds{20}; clock::now() < end;) {
            const bool pauses = c.due() != clock::time_point::max();
            const auto now = hurry && pauses ? std::max(clock::now(), c.due()) : clock::now();
            const bool moved = static_cast<int>(step()) + static_cast<int>(c.step(now)) > 0;
            if (c.accepted() || c.failed()) return;
            if (!moved) std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }
};

bool dropped(connection& s) {
    for (int i = 0; i < 200; ++i) {
        std::array<std::byte, 256> in;
        error_code ec;
        s.read_some(asio::buffer(in.data(), in.size()), ec);
        if (ec && !not_now(ec)) return true;
        if (ec) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return false;
}

} // namespace

TEST_CASE("who knows the secret is let in, with its rank and lane") {
    host h;
    auto c = h.guest(2);
    h.settle(c);
    REQUIRE(c.accepted());
    h.step();
    REQUIRE(h.welcomed.size() == 1);
    CHECK(h.welcomed[0].rank == 0);
    CHECK(h.welcomed[0].lane == 2);
    auto mine = c.release();
    asio::write(mine, asio::buffer("hello", 5));
    h.step_for(std::chrono::milliseconds{5});
    std::array<char, 8> in{};
    error_code ec;
    CHECK(h.inside[0].read_some(asio::buffer(in), ec) == 5);
}

TEST_CASE("who does not know the secret is refused, and told nothing more") {
    host h;
    connector c(h.io, h.where(), bootstrap::secret("another secret, as long"), h.guest_hello());
    h.settle(c, true);
    CHECK(c.failed());
    CHECK(c.why().find("secret") != std::string::npos);
    CHECK(h.welcomed.empty());
}

TEST_CASE("who wants another rank or world is refused") {
    host h;
    auto other = h.guest_hello();
    SECTION("rank") { other.peer = 2; }
    SECTION("world") { other.world = 78; }
    SECTION("itself") { other.rank = 1; }
    SECTION("lane") { other.lane = 4; }
    SECTION("purpose") { other.what = bootstrap::purpose::control; }
    connector c(h.io, h.where(), h.key, other);
    h.settle(c);
    CHECK(c.failed());
    CHECK(h.welcomed.empty());
}

TEST_CASE("strangers that are silent, slow or senseless keep nobody out") {
    host h;
    std::deque<connection> silent;
    for (int i = 0; i < 30; ++i) silent.push_back(h.stranger());
    std::mt19937 random{9};
    std::deque<connection> senseless;
    for (int i = 0; i < 30; ++i) {
        std::vector<std::uint8_t> garbage(1 + random() % 500);
        for (auto& b : garbage) b = static_cast<std::uint8_t>(random());
        error_code ec;
        senseless.push_back(h.stranger());
        asio::write(senseless.back(), asio::buffer(garbage), ec);
    }
    auto half_open = h.stranger();
    half_open.shutdown(connection::shutdown_send);
    auto c = h.guest();
    h.settle(c);
    CHECK(c.accepted());
    h.step_for(std::chrono::milliseconds{5});
    CHECK(h.welcomed.size() == 1);
    CHECK(dropped(half_open));
    int refused = 0;
    for (auto& s : senseless) refused += dropped(s);
    CHECK(refused >= 29); // one byte of garbage may still become a greeting
}

TEST_CASE("guests that have proven nothing are bounded; the oldest makes room") {
    host h;
    std::deque<connection> silent;
    for (std::size_t i = 0; i < listener::max_guests + 10; ++i) {
        silent.push_back(h.stranger());
        h.step();
    }
    h.step_for(std::chrono::milliseconds{5});
    for (std::size_t i = 0; i < 10; ++i) CHECK(dropped(silent[i]));
    std::array<std::byte, 1> in;
    for (std::size_t i = 10; i < silent.size(); ++i) {
        error_code ec;
        silent[i].read_some(asio::buffer(in.data(), 1), ec);
        CHECK(not_now(ec));
    }
}

TEST_CASE("a guest that was pushed out by strangers comes again") {
    host h;
    auto c = h.guest();
    c.step(clock::now());
    h.step_for(std::chrono::milliseconds{5});
    std::deque<connection> flood;
    for (std::size_t i = 0; i < listener::max_guests; ++i) flood.push_back(h.stranger());
    h.step_for(std::chrono::milliseconds{5});
    h.settle(c);
    CHECK(c.accepted());
}

TEST_CASE("a guest's time is limited") {
    host h;
    auto silent = h.stranger();
    h.step_for(std::chrono::milliseconds{5});
    const auto now = clock::now();
    CHECK(h.port.due(now) > now);
    CHECK(h.port.due(now) <= now + listener::patience);
    h.step(now + listener::patience - std::chrono::seconds{1});
    error_code ec;
    std::array<std::byte, 1> in;
    silent.read_some(asio::buffer(in.data(), 1), ec);
    CHECK(not_now(ec));
    h.step(now + listener::patience);
    CHECK(dropped(silent));
    CHECK(h.port.due(now) == clock::time_point::max());
}

TEST_CASE("a port where nobody listens is given up soon") {
    asio::io_context io;
    asio::ip::tcp::endpoint nobody;
    { nobody = asio::ip::tcp::acceptor(io, {loopback, 0}).local_endpoint(); }
    connector c(io, nobody, {}, {});
    const auto begin = clock::now();
    while (!c.failed() && clock::now() < begin + std::chrono::seconds{10}) {
        c.step(clock::now());
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    CHECK(c.failed());
    CHECK(c.descriptor() == -1);
    CHECK(clock::now() < begin + std::chrono::seconds{5});
}
