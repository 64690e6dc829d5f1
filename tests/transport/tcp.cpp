// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/tcp.hpp>

#include "contract/all.hpp"
#include "support/catch.hpp"
#include "support/loopback_six.hpp"
#include "tcp/world.hpp"

#include <string>

using namespace tutti;
using namespace tutti::test;

namespace {

/// Its settings are variables, so that the contract is compiled once for all of them.
struct tcp_fixture {
    using transport = tutti::transport::tcp;
    static constexpr std::size_t eager_limit = tutti::transport::tcp_limits{}.window_bytes;
    static inline std::string host;
    static inline tutti::transport::tcp_limits limits;
    static inline bool encrypt = false;

    static void run(int ranks, const std::function<void(transport&)>& body) {
        run_tcp(ranks, host, limits, body, encrypt);
    }
};

static_assert(contract_fixture<tcp_fixture>);
static_assert(std::movable<transport::tcp>);

void set(const std::string& host, const transport::tcp_limits& limits, bool encrypt = false) {
    tcp_fixture::host = host;
    tcp_fixture::limits = limits;
    tcp_fixture::encrypt = encrypt;
}

transport::tcp_limits awkward_limits(int lanes) {
    transport::tcp_limits limits;
    limits.lanes = lanes;
    limits.window_bytes = 20'001;
    limits.contexts_ahead = 7;
    limits.fragment_bytes = 7'777;
    limits.stripe_bytes = 10'000;
    limits.landing_bytes = 5'001;
    return limits;
}

} // namespace

TEST_CASE("tcp keeps the contract") {
    set("127.0.0.1", {});
    for (const auto& [sentence, check] : contract<tcp_fixture>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}

TEST_CASE("tcp keeps the contract on five lanes, with fragments that fit nothing") {
    set("127.0.0.1", awkward_limits(5));
    for (const auto& [sentence, check] : contract<tcp_fixture>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}

TEST_CASE("tcp keeps the contract with encrypted data") {
    set("127.0.0.1", {}, true);
    for (const auto& [sentence, check] : contract<tcp_fixture>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}

TEST_CASE("tcp keeps the contract with encrypted data on three lanes, with fragments that fit nothing") {
    set("127.0.0.1", awkward_limits(3), true);
    for (const auto& [sentence, check] : contract<tcp_fixture>()) {
        DYNAMIC_SECTION(sentence) { CHECK_NOTHROW(check()); }
    }
}

TEST_CASE("tcp connects all pairs of 16 ranks on several lanes") {
    set("127.0.0.1", awkward_limits(2));
    CHECK_NOTHROW(all_pairs_exchange<tcp_fixture>(16));
}

TEST_CASE("tcp speaks IPv6") {
    if (!has_loopback_six()) {
        WARN("this host has no ::1");
        return;
    }
    set("::1", {});
    CHECK_NOTHROW(ping_pong<tcp_fixture>());
    CHECK_NOTHROW(large_messages_cross<tcp_fixture>());
    CHECK_NOTHROW(ranks_are_distinct_and_named<tcp_fixture>());
}

TEST_CASE("tcp refuses limits that cannot work") {
    const reserved_port at;
    const auto me = identity(0, 1, at);
    CHECK_THROWS_AS(transport::tcp(me, {.lanes = 0}), error);
    CHECK_THROWS_AS(transport::tcp(me, {.lanes = 17}), error);
    CHECK_THROWS_AS(transport::tcp(me, {.fragment_bytes = 100}), error);
    CHECK_THROWS_AS(transport::tcp(me, {.window_bytes = 100}), error);
    CHECK_THROWS_AS(transport::tcp(me, {.contexts_ahead = 0}), error);
}

TEST_CASE("a tcp transport can be moved with its channels and transfers") {
    run_tcp(2, "127.0.0.1", {}, [](transport::tcp& t) {
        const auto out = pattern(3'000'000, 1);
        bytes in(out.size());
        courier before{t};
        const auto& sent = before.send({1, 0}, 1 - t.rank(), out);
        const auto& received = before.receive({1, 0}, 1 - t.rank(), in);
        transport::tcp moved{std::move(t)};
        courier after{moved};
        after.until([&] { return is_done(sent) && is_done(received); }, "transfers go on after a move");
        expect(in == out, "what crosses during a move is intact");
        t = std::move(moved);
    });
}
