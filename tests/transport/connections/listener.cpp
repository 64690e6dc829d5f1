// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/connections/listener.hpp>

#include <transport/connections/connector.hpp>

#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/connect_to.hpp"
#include "support/say.hpp"
#include "support/silent_strangers.hpp"

#include <sys/resource.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <thread>

using namespace tutti::transport;
using namespace tutti::transport::detail::connections;

namespace {

using connection = tutti::transport::detail::connections::socket;

const auto loopback = *bootstrap::address::literal("127.0.0.1", 0);

/// A connector, and what it came to.
class caller {
public:
    caller(bootstrap::asio::io_context& in, const bootstrap::address& where, bootstrap::secret key,
           const bootstrap::hello& mine)
        : it_(std::make_shared<call>(connector(in, where, std::move(key), mine))) {
        bootstrap::begin(in, made(it_));
    }
    [[nodiscard]] bool accepted() const { return it_->made.has_value(); }
    [[nodiscard]] bool failed() const { return !it_->dials.why().empty(); }
    [[nodiscard]] const connector& dials() const { return it_->dials; }
    [[nodiscard]] bootstrap::proven_socket release() { return std::move(*it_->made); }

private:
    struct call {
        connector dials;
        std::optional<bootstrap::proven_socket> made{};
    };
    static bootstrap::task<> made(std::shared_ptr<call> it) { it->made = co_await it->dials.connect(); }

    std::shared_ptr<call> it_; // the coroutine has it too
};

/// Rank 1 of a world of 3, whose data port is open.
struct host {
    explicit host(std::chrono::milliseconds timeout = std::chrono::seconds{5})
        : port(in, listener::open(loopback, {}), timeout) {
        port.begin(key, {bootstrap::purpose::data, 1, 3, 77, 4}, [this](auto&& s, const bootstrap::hello& h) {
            welcomed.push_back(h);
            inside.push_back(std::move(s.socket));
            proven.push_back(std::move(s.inside));
        });
    }
    bootstrap::asio::io_context in{1};
    listener port;
    bootstrap::secret key{"sixteen secret bytes"};
    std::deque<bootstrap::hello> welcomed;
    std::deque<connection> inside;
    std::deque<bootstrap::tls::state> proven;

    bool step() {
        in.restart();
        return in.poll() > 0;
    }
    bootstrap::address where() {
        auto at = loopback;
        at.set_port(port.port());
        return at;
    }

    bootstrap::hello valid_hello(std::uint16_t lane = 0) { return {bootstrap::purpose::data, lane, 0, 1, 3, 77}; }
    caller guest(std::uint16_t lane = 0) { return {in, where(), key, valid_hello(lane)}; }

    /// What a rank says first, as who has recorded it knows.
    std::vector<std::byte> first_record() {
        const auto talk = bootstrap::handshake::connecting(key, valid_hello());
        return {talk.outgoing().begin(), talk.outgoing().end()};
    }

    connection stranger() { return bootstrap::connect_to(where(), clock::now() + std::chrono::seconds{5}); }
    void step_for(std::chrono::milliseconds time) {
        for (const auto end = clock::now() + time; clock::now() < end;)
            if (!step()) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    /// Goes on until the caller has an outcome.
    void settle(const caller& c) {
        for (const auto end = clock::now() + std::chrono::seconds{30}; clock::now() < end;) {
            const bool moved = step();
            if (c.accepted() || c.failed()) return;
            if (!moved) std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
    }
};

bootstrap::io_result read_from(const connection& s) {
    std::array<std::byte, 256> in;
    return bootstrap::read_some(s.get(), in);
}

bool dropped(const connection& s) {
    for (int i = 0; i < 200; ++i) {
        const auto got = read_from(s);
        if (got.ended) return true;
        if (got.bytes == 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return false;
}

bool hears_nothing(const connection& s) {
    const auto got = read_from(s);
    return got.bytes == 0 && !got.ended;
}

void say(const connection& s, std::span<const std::uint8_t> what) {
    static_cast<void>(bootstrap::write_some(s.get(), std::as_bytes(what)));
}

/// Of a world of three.
constexpr std::size_t most_guests = listener::least_guests + 3;

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
    say(mine.socket, std::array<std::uint8_t, 5>{1, 2, 3, 4, 5}); // in plain bytes
    h.step_for(std::chrono::milliseconds{5});
    CHECK(read_from(h.inside[0]).bytes == 5);
    bootstrap::tls::stream one(std::move(mine.inside), mine.socket.get());
    bootstrap::tls::stream other(std::move(h.proven[0]), h.inside[0].get());
    REQUIRE(tutti::test::say(one, std::as_bytes(std::span("inside"))).bytes == 7);
    std::array<std::byte, 100> landing;
    CHECK(other.read(landing).bytes == 7);
}

TEST_CASE("who does not know the secret is refused, and told nothing more") {
    host h;
    caller c(h.in, h.where(), bootstrap::secret("another secret, as long"), h.valid_hello());
    h.settle(c); // some ten seconds
    CHECK(c.failed());
    CHECK(c.dials().why().find("secret") != std::string::npos);
    CHECK(h.welcomed.empty());
}

TEST_CASE("who wants another rank or world is refused") {
    host h;
    auto other = h.valid_hello();
    SECTION("rank") { other.peer = 2; }
    SECTION("world") { other.world = 78; }
    SECTION("itself") { other.rank = 1; }
    SECTION("lane") { other.lane = 4; }
    SECTION("purpose") { other.what = bootstrap::purpose::control; }
    caller c(h.in, h.where(), h.key, other);
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
        senseless.push_back(h.stranger());
        say(senseless.back(), garbage);
    }
    auto half_open = h.stranger();
    ::shutdown(half_open.get(), SHUT_WR);
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

TEST_CASE("guests that have proven nothing are bounded; the oldest of the silent makes room") {
    host h;
    std::deque<connection> silent;
    for (std::size_t i = 0; i < most_guests + 10; ++i) {
        silent.push_back(h.stranger());
        h.step();
    }
    h.step_for(std::chrono::milliseconds{50});
    for (std::size_t i = 0; i < 10; ++i) CHECK(dropped(silent[i]));
    for (std::size_t i = 10; i < silent.size(); ++i) CHECK(hears_nothing(silent[i]));
}

TEST_CASE("a flood of the silent pushes out nobody who has greeted") {
    host h;
    const auto greets = h.stranger();
    REQUIRE(bootstrap::write_some(greets.get(), h.first_record()).bytes > 0);
    h.step_for(std::chrono::milliseconds{5});
    std::deque<connection> flood;
    for (std::size_t i = 0; i < most_guests + 100; ++i) {
        flood.push_back(h.stranger());
        h.step();
    }
    h.step_for(std::chrono::milliseconds{5});
    CHECK(read_from(greets).bytes > 100);
    CHECK(hears_nothing(greets));
    CHECK(dropped(flood.front()));
}

TEST_CASE("a guest that was pushed out by strangers who greet comes again, at whichever step of its proof") {
    for (int turns = 1;; ++turns) {
        host h;
        const auto c = h.guest();
        h.in.restart();
        for (int i = 0; i < turns; ++i) h.in.poll_one();
        if (c.accepted()) {
            CHECK(turns > 3);
            break;
        }
        const auto greeting = h.first_record();
        std::deque<connection> flood;
        for (std::size_t i = 0; i < 3 * most_guests; ++i) {
            flood.push_back(h.stranger());
            static_cast<void>(bootstrap::write_some(flood.back().get(), greeting));
            h.step();
            if (flood.size() > most_guests) flood.pop_front();
        }
        h.settle(c);
        CHECK(c.accepted());
    }
}

TEST_CASE("hellos that are sent again by a crowd begin few handshakes at a time, and a rank is among them") {
    host h;
    const auto hello = h.first_record();
    std::deque<connection> crowd;
    const auto begin = clock::now();
    for (int i = 0; i < 300; ++i) {
        crowd.push_back(h.stranger());
        REQUIRE(bootstrap::write_some(crowd.back().get(), hello).bytes == hello.size());
    }
    const auto c = h.guest();
    h.step_for(std::chrono::milliseconds{30});
    const auto answered = std::ranges::count_if(crowd, [](const connection& s) { return read_from(s).bytes > 0; });
    const auto breaths = (clock::now() - begin) / bootstrap::handshake_limit::breath + 1;
    CHECK(answered > 0);
    CHECK(answered <= breaths * bootstrap::handshake_limit::at_once);
    h.settle(c);
    CHECK(c.accepted());
    auto all = answered;
    for (int i = 0; i < 400 && all < 300; ++i) {
        h.step_for(std::chrono::milliseconds{10});
        all += std::ranges::count_if(crowd, [](const connection& s) { return read_from(s).bytes > 0; });
    }
    CHECK(all == 300); // each had a turn
}

TEST_CASE("the first free port of a range is taken, and a range that is full is named") {
    std::deque<connection> taken;
    const auto free = static_cast<std::uint16_t>(20'000 + ::getpid() % 10'000); // below those that the system gives
    const bootstrap::port_range range{free, static_cast<std::uint16_t>(free + 2)};
    for (int i = 0; i < 3; ++i) {
        taken.push_back(listener::open(loopback, range));
        CHECK(bootstrap::local_address(taken.back().get()).port() >= range.first);
        CHECK(bootstrap::local_address(taken.back().get()).port() <= range.last);
    }
    try {
        const auto one_more = listener::open(loopback, range);
        FAIL("there is no port left");
    } catch (const tutti::error& e) {
        CHECK(std::string(e.what()).find("all ports of TUTTI_PORTS=" + range.text() + " are in use") !=
              std::string::npos);
        CHECK(e.facts().remedy.find("and each world it holds") != std::string::npos);
    }
}

TEST_CASE("a port that does not answer is given up after some seconds, with both addresses") {
    // The queue of this port is full, so that the system drops who still asks: as a firewall would.
    const auto dead = bootstrap::new_socket(loopback);
    REQUIRE(::bind(dead.get(), loopback.data(), loopback.length()) == 0);
    REQUIRE(::listen(dead.get(), 0) == 0);
    const auto where = bootstrap::local_address(dead.get());
    std::deque<connection> waiting;
    for (int i = 0; i < 2; ++i) {
        waiting.push_back(bootstrap::new_socket(where));
        static_cast<void>(::connect(waiting.back().get(), where.data(), where.length()));
    }
    host h;
    const caller c(h.in, where, {}, {});
    const auto begin = clock::now();
    h.step_for(std::chrono::seconds{1});
    CHECK_FALSE(c.failed());
    h.settle(c);
    CHECK(clock::now() - begin >= connector::unanswered_patience);
    REQUIRE(c.failed());
    CHECK_FALSE(c.dials().shortage());
    CHECK(c.dials().why().find("its data port " + where.text() + " does not answer 127.0.0.1") != std::string::npos);
    CHECK(c.dials().why().find("firewall") != std::string::npos);
}

TEST_CASE("strangers take no descriptor that the process needs itself, however long they come") {
    CHECK(bootstrap::keeps_descriptors_from_strangers(1000, [](const auto& tell) {
        host h;
        tell(h.where().port());
        std::size_t most = 0;
        for (const auto end = clock::now() + std::chrono::milliseconds{2500}; clock::now() < end;) {
            h.step_for(std::chrono::milliseconds{5});
            most = std::max(most, bootstrap::open_descriptors());
        }
        return most;
    }));
}

TEST_CASE("who has no descriptor left for a connection says so, with the limit, and accuses nobody") {
    // The hard limit cannot be raised again by everyone, so a child sets it.
    const auto ended = tutti::test::in_child([] {
        host h;
        h.step();
        const auto next = static_cast<rlim_t>(bootstrap::new_socket(loopback).get());
        const rlimit hard{next, next};
        ::setrlimit(RLIMIT_NOFILE, &hard);
        const auto c = h.guest();
        for (const auto end = clock::now() + std::chrono::seconds{20}; !c.dials().shortage() && clock::now() < end;)
            h.step_for(std::chrono::milliseconds{1});
        const auto said = "run out of file descriptors, of which it may have " + std::to_string(hard.rlim_cur);
        bool told = c.dials().shortage() && c.dials().shortage()->find(said) != std::string::npos && !c.failed();
        // With room again it goes on as if nothing had happened.
        ::close(STDIN_FILENO);
        for (const auto end = clock::now() + std::chrono::seconds{20}; c.dials().shortage() && clock::now() < end;)
            h.step_for(std::chrono::milliseconds{1});
        return told && !c.dials().shortage();
    });
    CHECK(ended == "");
}

TEST_CASE("the soft limit of descriptors is raised where it is reached") {
    const auto ended = tutti::test::in_child([] {
        const rlimit low{40, 200};
        ::setrlimit(RLIMIT_NOFILE, &low);
        std::deque<connection> all;
        while (all.size() < 100 && (all.empty() || all.back())) all.push_back(bootstrap::new_socket(loopback));
        return all.back() && bootstrap::descriptor_limit::now().soft == 200;
    });
    CHECK(ended == "");
}

TEST_CASE("a guest's time is limited") {
    host h(std::chrono::milliseconds{300});
    const auto begin = clock::now();
    auto silent = h.stranger();
    h.step_for(std::chrono::milliseconds{5});
    if (clock::now() - begin < std::chrono::milliseconds{250}) CHECK(hears_nothing(silent));
    h.step_for(std::chrono::milliseconds{400});
    CHECK(dropped(silent));
}

TEST_CASE("a port where nobody listens is given up soon") {
    const auto nobody = bootstrap::local_address(bootstrap::listen_on(loopback).get());
    host h;
    const caller c(h.in, nobody, {}, {});
    const auto begin = clock::now();
    h.settle(c);
    CHECK(c.failed());
    CHECK(clock::now() < begin + std::chrono::seconds{5});
}
