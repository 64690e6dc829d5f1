// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/control/session.hpp>

#include "meeting.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/loopback_six.hpp"
#include "support/reserved_port.hpp"

#include <csignal>
#include <memory>

using namespace meeting;
using tutti::test::child;
using tutti::test::reserved_port;

namespace {

identity someone(int rank, int size, const reserved_port& at, const char* host = "127.0.0.1") {
    identity me;
    me.rank = rank;
    me.size = size;
    me.rendezvous = {host, at.port()};
    me.key = secret_of("s");
    me.timeout = 5s;
    return me;
}

/// A rank in a process of its own, that joins and then sleeps.
child rank_process(const identity& me) {
    return child([&] {
        session s(me);
        s.join(s.data_address());
        std::this_thread::sleep_for(10s);
    });
}

} // namespace

// Processes are forked before this one has any thread, so these come first.
TEST_CASE("a rank that is killed is lost to the others within a moment", "[session][process]") {
    const reserved_port at;
    const auto one = rank_process(someone(1, 2, at));
    session zero(someone(0, 2, at));
    CHECK(zero.join(zero.data_address()).members[1].pid != ::getpid());
    ::kill(one.pid(), SIGKILL);
    const auto n = await(zero.plane(), notice_kind::lost, 2s);
    REQUIRE(n);
    CHECK(n->rank == 1);
}

TEST_CASE("losing rank 0 is losing a rank", "[session][process]") {
    const reserved_port at;
    const auto zero = rank_process(someone(0, 2, at));
    session one(someone(1, 2, at));
    one.join(one.data_address());
    ::kill(zero.pid(), SIGKILL);
    const auto n = await(one.plane(), notice_kind::lost, 2s);
    REQUIRE(n);
    CHECK(n->rank == 0);
}

TEST_CASE("a stopped rank 0 is found out within a second of a report", "[session][process]") {
    const reserved_port at;
    const auto zero = rank_process(someone(0, 2, at));
    session one(someone(1, 2, at));
    one.join(one.data_address());
    ::kill(zero.pid(), SIGSTOP);
    CHECK_FALSE(await(one.plane(), notice_kind::lost, 100ms));
    notice n;
    n.kind = notice_kind::timeout;
    n.members = 2;
    n.peer = 0;
    one.plane().tell(n);
    CHECK(one.plane().next_tick() <= clock::now() + control::silence);
    const auto lost = await(one.plane(), notice_kind::lost, 2s);
    REQUIRE(lost);
    CHECK(lost->rank == 0);
    CHECK(has(lost->text, "does not answer"));
    CHECK_FALSE(await(one.plane(), notice_kind::lost, 100ms));
}

TEST_CASE("who comes after rank 0 has given up hears why, though rank 0's process ends at once", "[session][process]") {
    const reserved_port at;
    child zero([&] {
        auto me = someone(0, 2, at);
        me.interface = "nowhere0";
        session s(me);
        static_cast<void>(attempt([&] { static_cast<void>(s.data_address()); }));
    });
    std::this_thread::sleep_for(200ms);
    const auto begin = clock::now();
    const auto why = attempt([&] {
        session one(someone(1, 2, at));
        one.join(one.data_address());
    });
    CHECK(zero.end() == "");
    CHECK(has(why.value_or(""), "rank 0 gave up before it had joined: no network interface fits"));
    CHECK(clock::now() - begin < 3s);
}

TEST_CASE("ranks that start in any order meet, by number and by name, IPv4 and IPv6", "[session]") {
    const char* host = GENERATE("127.0.0.1", "::1", "localhost");
    const bool six = host == std::string("::1");
    if (six && !tutti::test::has_loopback_six()) {
        WARN("this host has no ::1");
        return;
    }
    const int size = 3;
    const reserved_port at(six ? "::1" : "127.0.0.1");
    std::vector<std::string> data(size);
    const auto outcomes = in_threads(0, size, [&](int r) {
        if (r == 0) std::this_thread::sleep_for(200ms);
        session s(someone(r, size, at, host));
        auto where = s.data_address();
        data[static_cast<std::size_t>(r)] = where.host();
        where.set_port(static_cast<std::uint16_t>(2000 + r));
        const auto& t = s.join(where);
        for (int i = 0; i < size; ++i)
            if (t.members[static_cast<std::size_t>(i)].port != 2000 + i) throw std::runtime_error("wrong port");
    });
    for (const auto& o : outcomes) CHECK(o.value_or("") == "");
    for (const auto& d : data) CHECK(address::literal(d, 0)->loopback());
}

TEST_CASE("without a secret rank 0 listens on loopback only", "[session]") {
    const reserved_port at;
    auto me = someone(0, 2, at, "0.0.0.0");
    me.key = secret();
    CHECK(has(attempt([&] { const session s(me); }).value_or(""), "there is no secret to keep strangers out"));
}

TEST_CASE("data cannot be encrypted without a secret", "[session]") {
    const reserved_port at;
    auto me = someone(0, 2, at);
    me.key = secret();
    me.encrypt = true;
    CHECK(has(attempt([&] { const session s(me); }).value_or(""), "there is no secret to make keys of"));
}

TEST_CASE("a rank that does not encrypt as rank 0 does ends the start of all at once, and is named", "[session]") {
    const bool zero = GENERATE(true, false);
    const reserved_port at;
    const auto begin = clock::now();
    const auto outcomes = in_threads(0, 3, [&](int r) {
        auto me = someone(r, 3, at);
        me.encrypt = (r == 2) != zero;
        session s(me);
        s.join(s.data_address());
    });
    CHECK(clock::now() - begin < 3s);
    for (const auto& o : outcomes) {
        CHECK(has(o.value_or(""), "bootstrap failed, rank 2: rank "));
        CHECK(has(o.value_or(""), zero ? "rank 0 encrypts its data, rank 2 does not: set TUTTI_ENCRYPT alike"
                                       : "rank 2 encrypts its data, rank 0 does not: set TUTTI_ENCRYPT alike"));
    }
}

TEST_CASE("all ranks learn that data are encrypted", "[session]") {
    const bool encrypted = GENERATE(true, false);
    const reserved_port at;
    auto me = someone(0, 1, at);
    me.encrypt = encrypted;
    session s(me);
    CHECK(s.join(s.data_address()).encrypted == encrypted);
}

TEST_CASE("without a secret the data port may not be forced beyond loopback either", "[session]") {
    const auto all = list_interfaces();
    const auto outer = std::find_if(all.begin(), all.end(), [](const auto& i) { return !i.where.loopback(); });
    if (outer == all.end()) return;
    const reserved_port at;
    auto me = someone(0, 2, at);
    me.key = secret();
    me.interface = outer->name;
    session s(me);
    CHECK(has(attempt([&] { static_cast<void>(s.data_address()); }).value_or(""), "TUTTI_INTERFACE=" + outer->name));
}

TEST_CASE("rank 0 cannot listen at another host's address, and says so", "[session]") {
    const reserved_port at;
    const auto o = attempt([&] { session s(someone(0, 2, at, "192.0.2.1")); });
    CHECK(has(o.value_or(""), "rank 0 cannot listen at 192.0.2.1:" + std::to_string(at.port())));
}

TEST_CASE("worlds are made one after the other, and each rank may be early", "[session]") {
    const reserved_port at;
    const int size = 3, worlds = 100;
    std::vector<std::vector<std::uint64_t>> ids(size);
    const auto outcomes = in_threads(0, size, [&](int r) {
        for (int i = 0; i < worlds; ++i) {
            session s(someone(r, size, at));
            ids[static_cast<std::size_t>(r)].push_back(s.join(s.data_address()).world);
        }
    });
    for (const auto& o : outcomes) CHECK(o.value_or("") == "");
    CHECK(ids[0].size() == worlds);
    CHECK(ids[1] == ids[0]);
    CHECK(ids[2] == ids[0]);
}

TEST_CASE("worlds that are there at once share a rendezvous", "[session]") {
    const reserved_port at;
    std::vector<std::vector<std::uint64_t>> ids(3);
    const auto outcomes = in_threads(0, 3, [&](int r) {
        std::vector<std::unique_ptr<session>> held;
        for (int i = 0; i < 8; ++i) {
            auto& s = *held.emplace_back(std::make_unique<session>(someone(r, 3, at)));
            ids[static_cast<std::size_t>(r)].push_back(s.join(s.data_address()).world);
            if (i % 3 == 2) held.erase(held.begin());
        }
    });
    for (const auto& o : outcomes) CHECK(o.value_or("") == "");
    CHECK(ids[0].size() == 8);
    CHECK(ids[1] == ids[0]);
    CHECK(ids[2] == ids[0]);
}

TEST_CASE("threads of a process that make worlds at once get one each", "[session]") {
    const reserved_port at;
    std::vector<std::uint64_t> ids(6);
    const auto outcomes = in_threads(0, 6, [&](int t) {
        session s(someone(t / 2, 3, at)); // two threads a rank
        ids[static_cast<std::size_t>(t)] = s.join(s.data_address()).world;
    });
    for (const auto& o : outcomes) CHECK(o.value_or("") == "");
    for (std::size_t r = 0; r < 6; r += 2) {
        CHECK(ids[r] != ids[r + 1]);
        CHECK(std::minmax(ids[r], ids[r + 1]) == std::minmax(ids[0], ids[1]));
    }
}

TEST_CASE("a world of one rank needs no address, no name and no secret", "[session]") {
    identity me;
    me.rendezvous = {"no.such.host.invalid", 1};
    me.encrypt = true;
    me.interface = "no-such-interface";
    me.timeout = 2s;
    session s(me);
    const auto where = s.data_address();
    CHECK(where.loopback());
    CHECK(s.join(where).members.size() == 1);
    CHECK(s.node(0) == 0);
}
