// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/contract/processor_matching.hpp>
#include <transport/control/rendezvous_server.hpp>

#include "meeting.hpp"
#include "support/bound.hpp"
#include "support/catch.hpp"
#include "support/child.hpp"
#include "support/loopback_six.hpp"
#include "support/silent_strangers.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <memory>
#include <set>
#include <sstream>

using namespace meeting;
using tutti::error;
using tutti::test::in_child;

namespace {

/// Connections of the kind that a port on a network sees.
std::vector<descriptor> strays(const address& where, std::size_t count) {
    static const std::vector<std::string> sayings{"",
                                                  "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                                                  std::string("TUTI\x02\0", 6),
                                                  std::string("TUTI\x09\0\0\0", 8),
                                                  std::string(5000, 'x'),
                                                  std::string("TUTI\x02\0\0\0", 8) + std::string(72, 'y') +
                                                      std::string(32, 'z')};
    std::vector<descriptor> out;
    for (std::size_t i = 0; i < count; ++i) {
        auto fd = connect_to(where, clock::now() + 1s);
        if (!fd) continue;
        const auto& say = sayings[i % sayings.size()];
        if (!say.empty()) static_cast<void>(write_some(fd.get(), std::as_bytes(std::span(say))));
        if (i % 5 == 0) ::shutdown(fd.get(), SHUT_WR);
        out.push_back(std::move(fd));
    }
    return out;
}

using stage = rendezvous_connection::stage;

/// A rendezvous without a thread, and what it tells its user.
class desk {
    struct pipe_ends {
        pipe_ends() {
            int ends[2];
            REQUIRE(::pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
            front = descriptor(ends[0]), back = descriptor(ends[1]);
        }
        descriptor front, back;
    };
    pipe_ends voice_;

public:
    desk(int size, const char* key, const rendezvous_thread::settings& how)
        : server(size, secret_of(key), "10.0.0.1:7", how, stderr_writer(voice_.back.get())) {}
    rendezvous_server server;

    /// Goes on until that time.
    void poll_until(clock::time_point until) {
        do server.poll();
        while (clock::now() < until && (std::this_thread::sleep_for(1ms), true));
    }
    void poll_for(std::chrono::milliseconds time) { poll_until(clock::now() + time); }
    std::vector<std::string> news() {
        std::string all(4096, '\0');
        all.resize(read_some_of(voice_.front.get(), all));
        std::vector<std::string> out;
        std::istringstream lines(all);
        for (std::string line; std::getline(lines, line);) out.push_back(line);
        return out;
    }

private:
    static std::size_t read_some_of(int fd, std::string& into) {
        return static_cast<std::size_t>(std::max<ssize_t>(::read(fd, into.data(), into.size()), 0));
    }
};

/// Comes to the desk; the other end of the connection.
descriptor come(desk& to) {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    to.server.welcome(descriptor(ends[0]));
    return descriptor(ends[1]);
}

/// The other end of a rank's connection that has come and tried to prove itself.
struct caller {
    descriptor mine;
    handshake proof;
};

/// Comes as that rank of that many, with that secret; asks for nothing yet.
caller come_as(desk& to, const char* key, int rank, int size) {
    caller c{come(to), handshake::connecting(secret_of(key), {purpose::control, 0, rank, 0, size, 0})};
    for (int i = 0; i < 10 && !c.proof.accepted(); ++i) {
        if (const auto out = c.proof.outgoing(); !out.empty()) c.proof.sent(write_some(c.mine.get(), out).bytes);
        to.server.poll();
        std::array<std::byte, 128> landing;
        const auto in = std::span(landing).first(std::min(c.proof.wanted(), landing.size()));
        c.proof.feed(in.first(read_some(c.mine.get(), in).bytes));
    }
    return c;
}

/// The same, as rank 1 of two.
descriptor come_and_try(desk& to, const char* key) { return come_as(to, key, 1, 2).mine; }

/// Comes as that rank of that many, and asks to join.
frame_stream come_and_join(desk& to, int rank, int size) {
    auto c = come_as(to, "", rank, size);
    frame_stream s(proven_socket{std::move(c.mine), c.proof.release()});
    ask_to_join(s, rank, size);
    to.server.poll();
    return s;
}

bool is_dropped(const descriptor& mine) {
    std::byte landing[1];
    return read_some(mine.get(), landing).ended;
}

} // namespace

TEST_CASE("all ranks meet and get the same table", "[rendezvous]") {
    const int size = GENERATE(1, 2, 5, 16);
    const char* host = GENERATE("127.0.0.1", "::1");
    if (host == std::string("::1") && !tutti::test::has_loopback_six()) {
        WARN("this host has no ::1");
        return;
    }
    const rendezvous_thread place(size, loopback(host), secret_of("s"), quick());
    std::vector<world_table> tables(static_cast<std::size_t>(size));
    const auto outcomes = in_threads(0, size, [&](int r) {
        control c(rank_of(r, size, place, "s"));
        tables[static_cast<std::size_t>(r)] = c.join(at_port(1000 + r));
    });
    for (const auto& o : outcomes) CHECK(o.value_or("") == "");
    for (const auto& t : tables) {
        CHECK(t.world != 0);
        CHECK(t.world == tables[0].world);
        CHECK(t.members == tables[0].members);
    }
    REQUIRE(tables[0].members.size() == static_cast<std::size_t>(size));
    for (int r = 0; r < size; ++r) {
        const auto& m = tables[0].members[static_cast<std::size_t>(r)];
        CHECK(m.rank == r);
        CHECK(m.port == 1000 + r);
        CHECK(m.pid == ::getpid());
        CHECK(m.host_id == tables[0].members[0].host_id);
    }
    const std::vector all(static_cast<std::size_t>(size), own_allotment());
    CHECK(tables[0].crowded(0) == !share_out(all));
}

TEST_CASE("ranks are crowded when they are bound to the same processor, not when each has its own", "[rendezvous]") {
    const auto all = own_processors().numbers();
    const bool together = GENERATE(true, false);
    if (all.size() < 2 && !together) {
        WARN("this host has one processor");
        return;
    }
    const rendezvous_thread place(2, loopback(), secret(), quick());
    std::vector<world_table> tables(2);
    const auto outcomes = in_threads(0, 2, [&](int r) {
        const tutti::test::bound here(all[together ? 0 : static_cast<std::size_t>(r)]);
        control c(rank_of(r, 2, place));
        tables[static_cast<std::size_t>(r)] = c.join(at_port(r));
    });
    for (const auto& o : outcomes) CHECK(o.value_or("") == "");
    const auto quota = own_cpu_quota().thousandths;
    for (int r = 0; r < 2; ++r)
        CHECK(tables[static_cast<std::size_t>(r)].crowded(r) == (together || (quota > 0 && quota < 2000)));
}

TEST_CASE("worlds differ in their id", "[rendezvous]") {
    std::set<std::uint64_t> ids;
    for (int i = 0; i < 4; ++i) {
        const rendezvous_thread place(1, loopback(), secret(), quick());
        control c(rank_of(0, 1, place));
        ids.insert(c.join(at_port(1)).world);
    }
    CHECK(ids.size() == 4);
}

TEST_CASE("two ranks of one number end the start of all at once, and are named", "[rendezvous]") {
    const rendezvous_thread place(4, loopback(), secret(), quick());
    const auto begin = clock::now();
    const auto outcomes = in_threads(0, 3, [&](int r) {
        if (r == 2) std::this_thread::sleep_for(200ms);
        control c(rank_of(std::min(r, 1), 4, place));
        c.join(at_port(r));
    });
    CHECK(clock::now() - begin < 2s);
    for (const auto& o : outcomes) {
        CHECK(has(o.value_or(""), "bootstrap failed, rank 1: rank "));
        CHECK(has(o.value_or(""), " could not join the others: rank 1 has joined already, from "));
        CHECK(has(o.value_or(""), "; process " + std::to_string(::getpid()) + " on "));
    }
}

TEST_CASE("a rank that was told another size ends the start of all at once, with both sizes", "[rendezvous]") {
    const rendezvous_thread place(4, loopback(), secret(), quick());
    const auto begin = clock::now();
    const auto outcomes = in_threads(0, 3, [&](int r) {
        if (r == 2) std::this_thread::sleep_for(200ms);
        control c(rank_of(r, r == 2 ? 5 : 4, place));
        c.join(at_port(r));
    });
    CHECK(clock::now() - begin < 2s);
    for (const auto& o : outcomes) CHECK(has(o.value_or(""), "rank 2 was told of 5 ranks, rank 0 of 4"));
}

TEST_CASE("who comes a little after a refusal is told of it too", "[rendezvous]") {
    const rendezvous_thread place(3, loopback(), secret(), quick());
    const auto begin = clock::now();
    const auto outcomes = in_threads(0, 3, [&](int r) {
        if (r == 2) std::this_thread::sleep_for(400ms);
        control c(rank_of(r, r == 1 ? 7 : 3, place));
        c.join(at_port(r));
    });
    CHECK(clock::now() - begin < 2s);
    for (const auto& o : outcomes) CHECK(has(o.value_or(""), "rank 1 was told of 7 ranks, rank 0 of 3"));
}

TEST_CASE("rank 0 is told of a refusal last, since its process may end, also where it comes after that",
          "[rendezvous]") {
    const rendezvous_thread place(4, loopback(), secret(), quick());
    const auto begin = clock::now();
    clock::time_point zero_told;
    const auto outcomes = in_threads(0, 4, [&](int r) { // two of rank 1, then rank 0, then rank 2; rank 3 never comes
        const auto comes_after = r == 0 ? 150ms : r == 2 ? 400ms : 0ms;
        std::this_thread::sleep_for(comes_after);
        const auto told = attempt([&] {
            control c(rank_of(r == 3 ? 1 : r, 4, place));
            c.join(at_port(r));
        });
        if (r == 0) zero_told = clock::now();
        throw std::runtime_error(told.value_or("joined"));
    });
    for (const auto& o : outcomes) CHECK(has(o.value_or(""), "rank 1 has joined already, from "));
    CHECK(zero_told - begin >= 900ms); // the rendezvous waits a second for rank 3
}

TEST_CASE("a rank that gives up before it has joined is named to the others at once", "[rendezvous]") {
    const rendezvous_thread place(3, loopback(), secret(), quick());
    const bool says_why = GENERATE(true, false);
    const auto begin = clock::now();
    const auto outcomes = in_threads(0, 3, [&](int r) {
        if (r == 2) std::this_thread::sleep_for(200ms);
        control c(rank_of(r, 3, place));
        if (r < 2) c.join(at_port(r));
        if (r == 2 && says_why) c.give_up("it has no network");
    });
    CHECK(clock::now() - begin < 2s);
    CHECK_FALSE(outcomes[2]);
    for (const auto& o : {outcomes[0], outcomes[1]}) {
        CHECK(has(o.value_or(""), "bootstrap failed, rank 2: rank "));
        CHECK(has(o.value_or(""), "rank 2 gave up before it had joined: "));
        CHECK(has(o.value_or(""), says_why ? "it has no network" : "its own message says why"));
    }
}

TEST_CASE("when ranks never come, everyone who came is told which", "[rendezvous]") {
    auto how = quick();
    how.timeout = 700ms;
    const rendezvous_thread place(5, loopback(), secret(), how);
    const auto begin = clock::now();
    const auto outcomes = in_threads(0, 3, [&](int r) {
        control c(rank_of(r, 5, place));
        c.join(at_port(r));
    });
    CHECK(clock::now() - begin < 3s);
    for (const auto& o : outcomes) {
        REQUIRE(o);
        CHECK(has(*o, "ranks 3 and 4 never came to the rendezvous at " + place.bound().text()));
        CHECK(has(*o, "3 of 5 ranks came within "));
    }
}

TEST_CASE("the first joiner whose patience ends is told who is missing, and so is everyone", "[rendezvous]") {
    const rendezvous_thread place(3, loopback(), secret(), quick());
    const auto begin = clock::now();
    const auto outcomes = in_threads(0, 2, [&](int r) {
        auto me = rank_of(r, 3, place);
        if (r == 1) me.timeout = 500ms;
        control c(me);
        c.join(at_port(r));
    });
    CHECK(clock::now() - begin < 2s);
    for (const auto& o : outcomes) CHECK(has(o.value_or(""), "rank 2 never came"));
}

TEST_CASE("when rank 0 stops before all have come, the others are told", "[rendezvous]") {
    auto place = std::make_unique<rendezvous_thread>(2, loopback(), secret(), quick());
    const auto me = rank_of(1, 2, *place);
    outcome o;
    std::thread joiner([&] {
        o = attempt([&] {
            control c(me);
            c.join(at_port(1));
        });
    });
    std::this_thread::sleep_for(200ms);
    place.reset();
    joiner.join();
    CHECK(has(o.value_or(""), "rank 0 stopped before all ranks had come"));
}

TEST_CASE("a rank that went away before the world began may come again", "[rendezvous]") {
    const rendezvous_thread place(2, loopback(), secret(), quick());
    { const auto gone = bare_member(1, 2, place); }
    const auto outcomes = in_threads(0, 2, [&](int r) {
        control c(rank_of(r, 2, place));
        c.join(at_port(r));
    });
    for (const auto& o : outcomes) CHECK(o.value_or("") == "");
}

TEST_CASE("a rank with the wrong secret is told so when its time is up, and nobody else is disturbed", "[rendezvous]") {
    const rendezvous_thread place(2, loopback(), secret_of("right"), quick());
    const auto begin = clock::now();
    const auto try_with = [&](const char* key) {
        auto me = rank_of(1, 2, place, key);
        me.timeout = 800ms;
        return attempt([&] { const control c(me); });
    };
    const auto wrong = try_with("wrong");
    const auto none = try_with("");
    CHECK(clock::now() - begin < 3s);
    CHECK(has(wrong.value_or(""), "this rank's secret was refused"));
    CHECK(has(none.value_or(""), "this rank's secret was refused"));
    const auto outcomes = in_threads(0, 2, [&](int r) {
        control c(rank_of(r, 2, place, "right"));
        c.join(at_port(r));
    });
    for (const auto& o : outcomes) CHECK(o.value_or("") == "");
}

TEST_CASE("when a rank with the wrong secret is all that is missing, the others are told so in the end",
          "[rendezvous]") {
    auto how = quick();
    how.timeout = 1500ms;
    const rendezvous_thread place(2, loopback(), secret_of("right"), how);
    const auto outcomes = in_threads(0, 2, [&](int r) {
        auto me = rank_of(r, 2, place, r == 1 ? "wrong" : "right");
        if (r == 1) me.timeout = 800ms;
        control c(me);
        c.join(at_port(r));
    });
    CHECK(
        has(outcomes[0].value_or(""), "bootstrap failed, rank 1: rank 0 could not join the others: rank 1 never came"));
    CHECK(has(outcomes[0].value_or(""), "; who called itself rank 1 had another secret"));
}

TEST_CASE("silent, slow, half-open and talkative strangers keep nobody from meeting or talking", "[rendezvous]") {
    const int size = 3;
    const rendezvous_thread place(size, loopback(), secret_of("s"), quick());
    auto before = strays(place.bound(), 150);
    auto ranks = join_all(0, size, size, place, "s");
    for (const auto& r : ranks) REQUIRE(r);
    auto after = strays(place.bound(), 150);
    notice n;
    n.kind = notice_kind::abort;
    n.communicator = 5;
    n.text = "enough";
    ranks[2]->tell(n);
    for (auto& r : ranks) {
        const auto v = await(*r, notice_kind::verdict);
        REQUIRE(v);
        CHECK(v->text == "enough");
    }
}

TEST_CASE("a member that talks nonsense is lost, and nobody else is", "[rendezvous]") {
    const rendezvous_thread place(3, loopback(), secret(), quick());
    auto bad = bare_member(2, 3, place);
    auto ranks = join_all(0, 2, 3, place);
    REQUIRE(ranks[0]);
    REQUIRE(ranks[1]);
    const std::string nonsense(100, '\xff');
    const bool sealed = GENERATE(true, false);
    if (sealed)
        REQUIRE(bad.send(share({100, std::byte{0xff}})));
    else
        REQUIRE(write_some(bad.get(), std::as_bytes(std::span(nonsense))).bytes == nonsense.size());
    for (auto& r : ranks) {
        const auto n = await(*r, notice_kind::lost);
        REQUIRE(n);
        CHECK(n->rank == 2);
        CHECK(has(n->text, sealed ? "no frame" : "was changed on the way"));
    }
}

TEST_CASE("a member that does not read is given up once its share of memory is full", "[rendezvous]") {
    const rendezvous_thread place(2, loopback(), secret(), quick());
    const auto deaf = bare_member(1, 2, place);
    auto ranks = join_all(0, 1, 2, place);
    REQUIRE(ranks[0]);
    notice n;
    n.kind = notice_kind::abort;
    n.text.assign(coordinator::max_text, 'x');
    std::optional<notice> lost;
    for (std::uint64_t i = 0; i < 10'000 && !lost; ++i) {
        n.communicator = i;
        ranks[0]->tell(n);
        notice heard;
        while (!lost && ranks[0]->fetch(heard))
            if (heard.kind == notice_kind::lost) lost = heard;
    }
    if (!lost) lost = await(*ranks[0], notice_kind::lost);
    REQUIRE(lost);
    CHECK(lost->rank == 1);
    CHECK(has(lost->text, "does not read"));
}

TEST_CASE("another process that comes to a world that is complete is refused, and nobody else hears of it",
          "[rendezvous]") {
    const rendezvous_thread place(1, loopback(), secret(), quick());
    auto ranks = join_all(0, 1, 1, place);
    const auto ended = in_child([&] {
        const auto late = attempt([&] {
            control c(rank_of(0, 1, place));
            c.join(at_port(1));
        });
        return has(late.value_or(""), "rank 0 has joined already");
    });
    CHECK(ended == "");
    notice n;
    CHECK_FALSE(ranks[0]->fetch(n));
    CHECK_FALSE(ranks[0]->gone());
}

TEST_CASE("a process that has its part in a world already waits for rank 0 to begin another one", "[rendezvous]") {
    const rendezvous_thread place(2, loopback(), secret(), quick());
    auto ranks = join_all(0, 2, 2, place);
    auto again = rank_of(1, 2, place);
    again.timeout = 800ms;
    const auto begin = clock::now();
    const auto told = attempt([&] { const control c(again); });
    CHECK(clock::now() - begin >= 800ms);
    INFO(told.value_or("nothing"));
    CHECK(has(told.value_or(""), "this process has had its part in the world there, and rank 0 has not begun another"));
    CHECK(has(told.value_or(""), "make as many worlds on all ranks, in the same order"));
    notice n;
    CHECK_FALSE(ranks[0]->fetch(n));

    again.timeout = 5s;
    std::optional<rendezvous_thread> next;
    const auto outcomes = in_threads(0, 3, [&](int r) {
        if (r == 2) {
            std::this_thread::sleep_for(100ms);
            next.emplace(2, std::vector{place.bound()}, secret(), quick()); // beside the first one
            return;
        }
        control c(r == 1 ? again : rank_of(0, 2, place));
        c.join(at_port(r));
    });
    for (const auto& o : outcomes) CHECK(o.value_or("") == "");
}

TEST_CASE("who was told that there is no world waits for the next one", "[rendezvous]") {
    const rendezvous_thread place(3, loopback(), secret(), quick());
    auto me = rank_of(1, 3, place);
    CHECK(has(attempt([&] {
                  control c(rank_of(1, 7, place));
                  c.join(at_port(1));
              }).value_or(""),
              "rank 1 was told of 7 ranks, rank 0 of 3"));
    me.timeout = 700ms; // the rendezvous stays for a second, to tell the others
    const auto told = attempt([&] {
        control c(me);
        c.join(at_port(1));
    });
    CHECK(has(told.value_or(""), "this process has had its part in the world there"));
}

TEST_CASE("strangers take no descriptor that rank 0's process needs itself, however many come one after the other",
          "[rendezvous]") {
    CHECK(keeps_descriptors_from_strangers(700, [](const auto& tell) {
        const rendezvous_thread place(3, loopback(), secret(), quick());
        tell(place.bound().port());
        std::size_t most = 0;
        for (const auto end = clock::now() + 1500ms; clock::now() < end; std::this_thread::sleep_for(10ms))
            most = std::max(most, open_descriptors());
        const auto outcomes = in_threads(0, 3, [&](int r) {
            control c(rank_of(r, 3, place));
            c.join(at_port(r));
        });
        const bool all_joined = std::ranges::all_of(outcomes, [](const auto& o) { return o.value_or("").empty(); });
        return all_joined ? most : 0;
    }));
}

TEST_CASE("a world that does not fit into rank 0's descriptors ends at once, with what it takes", "[rendezvous]") {
    const auto ended = in_child([] {
        const rlimit few{64, 200};
        ::setrlimit(RLIMIT_NOFILE, &few);
        const rendezvous_thread place(185, loopback(), secret(), quick());
        const auto begin = clock::now();
        const auto outcomes = in_threads(0, 2, [&](int r) {
            control c(rank_of(r, 185, place));
            c.join(at_port(r));
        });
        bool good = clock::now() - begin < 2s;
        for (const auto& o : outcomes)
            good = good && has(o.value_or(""), "bootstrap failed, rank 0: rank ") &&
                   has(o.value_or(""), "rank 0 cannot let all 185 ranks in: it needs 201 file descriptors and may have "
                                       "200: raise the hard limit");
        return good;
    });
    CHECK(ended == "");
}

TEST_CASE("the soft limit of descriptors is raised for a world that needs it", "[rendezvous]") {
    const auto ended = in_child([] {
        const rlimit few{30, 300};
        ::setrlimit(RLIMIT_NOFILE, &few);
        const rendezvous_thread place(40, loopback(), secret(), quick());
        return descriptor_limit::now().soft == 300;
    });
    CHECK(ended == "");
}

TEST_CASE("port 0 is refused unless allowed, and a port in use is named", "[rendezvous]") {
    auto how = quick();
    const rendezvous_thread first(1, loopback(), secret(), how);
    how.any_port = false;
    CHECK(has(attempt([&] { const rendezvous_thread r(1, loopback(), secret(), how); }).value_or(""), "port 0"));
    const auto foreign = listen_on(loopback()[0]);
    const auto there = local_address(foreign.get());
    const auto taken = attempt([&] { const rendezvous_thread r(1, {there}, secret(), how); });
    CHECK(has(taken.value_or(""), "cannot listen at " + there.text() + ": Address already in use"));
}

TEST_CASE("rank 0 does without those of several addresses that its host has not, but not without all", "[rendezvous]") {
    const auto here = loopback()[0];
    const auto elsewhere = *address::literal("192.0.2.1", 0);
    const rendezvous_thread place(1, {elsewhere, here}, secret(), quick());
    CHECK(place.bound().host() == "127.0.0.1");
    const auto nowhere = attempt([&] { const rendezvous_thread r(1, {elsewhere, elsewhere}, secret(), quick()); });
    CHECK(has(nowhere.value_or(""), "rank 0 cannot listen at 192.0.2.1:0: "));
    const auto foreign = listen_on(here);
    const std::vector both{here, local_address(foreign.get())};
    const auto taken = attempt([&] { const rendezvous_thread r(1, both, secret(), quick()); });
    CHECK(has(taken.value_or(""), "Address already in use"));
}

TEST_CASE("strangers are bounded in number and in time", "[rendezvous_server]") {
    constexpr std::size_t most = rendezvous_server::max_strangers + 2; // in a world of two
    auto how = quick();
    how.stranger_time = 400ms;
    desk at(2, "", how);
    const auto begin = clock::now();
    std::vector<descriptor> others;
    for (std::size_t i = 0; i < most + 3; ++i) others.push_back(come(at));
    at.server.poll();
    CHECK(at.server.count(stage::proving) == most);
    CHECK(is_dropped(others[2]));
    CHECK_FALSE(is_dropped(others[3]));
    at.poll_for(20ms);
    if (clock::now() < begin + how.stranger_time) CHECK(at.server.count(stage::proving) == most);
    at.poll_until(begin + how.stranger_time + 200ms);
    CHECK(at.server.count(stage::proving) == 0);
    CHECK(is_dropped(others.back()));
}

TEST_CASE("of strangers who have said something wrong before they were let in nothing is kept", "[rendezvous_server]") {
    desk at(2, "", quick());
    const auto doors = rendezvous_thread::listen(loopback(), true);
    const auto others = strays(local_address(doors.front()->get()), 60);
    at.server.open(doors, {});
    at.poll_for(50ms);
    CHECK(at.server.count(stage::gone) == 0);
}

TEST_CASE("strangers do not push out a guest that has proven itself, until its time is up", "[rendezvous_server]") {
    constexpr std::size_t most = rendezvous_server::max_strangers + 2; // in a world of two
    auto how = quick();
    desk at(2, "s", how);
    const auto proven = come_and_try(at, "s");
    REQUIRE(at.server.count(stage::asking) == 1);
    std::vector<descriptor> others;
    for (std::size_t i = 0; i < most + 3; ++i) others.push_back(come(at));
    at.server.poll();
    CHECK(at.server.count(stage::proving) == most);
    CHECK(at.server.count(stage::asking) == 1);
    for (std::size_t i = 0; i < most; ++i) CHECK(at.server.drop_oldest());
    CHECK_FALSE(at.server.drop_oldest());

    how.stranger_time = 100ms;
    desk hasty(2, "s", how);
    const auto idle = come_and_try(hasty, "s");
    hasty.poll_for(300ms);
    CHECK(hasty.server.count(stage::asking) == 0);
    CHECK(is_dropped(idle));
}

TEST_CASE("guests that have proven themselves and ask for nothing are bounded too", "[rendezvous_server]") {
    desk at(2, "s", quick());
    std::vector<descriptor> others;
    for (std::size_t i = 0; i < rendezvous_server::max_strangers + 5; ++i) others.push_back(come_and_try(at, "s"));
    CHECK(at.server.count(stage::asking) == rendezvous_server::max_strangers + 2);
    CHECK(is_dropped(others[2]));
    CHECK_FALSE(is_dropped(others[3]));
}

TEST_CASE("the user hears after a while for whom all wait, and again each time that the wait has doubled",
          "[rendezvous_server]") {
    CHECK(rendezvous_thread::settings{}.first_word == 5s);
    auto how = quick();
    how.first_word = 600ms;
    desk at(20, "", how);
    const auto begin = clock::now();
    std::vector<double> told_after;
    while (clock::now() < begin + 3s) {
        at.poll_for(1ms);
        for (const auto& sentence : at.news()) {
            told_after.push_back(std::chrono::duration<double>(clock::now() - begin).count());
            const std::string before =
                "tutti: waiting for ranks 0, 1, 2, 3, 4, 5, 6, 7 and 12 others of 20 at 10.0.0.1:7, for ";
            REQUIRE(sentence.starts_with(before));
            CHECK(std::abs(std::stod(sentence.substr(before.size())) - told_after.back()) < 0.8); // in whole seconds
            CHECK(sentence.ends_with(" s so far"));
        }
    }
    REQUIRE(told_after.size() == 3);
    CHECK(told_after[0] >= 0.6);
    for (const std::size_t i : {0u, 1u}) CHECK(told_after[i + 1] >= 1.9 * told_after[i]);
}

TEST_CASE("the user hears once of who claims a rank with another secret, and all do when the time is up",
          "[rendezvous_server]") {
    desk at(2, "right", quick());
    std::vector<descriptor> others;
    for (const char* key : {"wrong", "right", "wrong", ""}) others.push_back(come_and_try(at, key));
    const auto news = at.news();
    REQUIRE(news.size() == 1);
    CHECK(has(news[0], "a process that calls itself rank 1 was refused at 10.0.0.1:7: it has another secret"));
    CHECK(at.server.count(stage::proving) == 0);
    CHECK(at.server.count(stage::asking) == 1);
    CHECK(at.server.assembling());
}

TEST_CASE("who answered while rank 0 was held up is not taken for silent", "[rendezvous_server]") {
    desk at(4, "", quick());
    std::vector<frame_stream> ranks;
    for (int r = 0; r < 4; ++r) ranks.push_back(come_and_join(at, r, 4));
    REQUIRE(at.server.count(stage::member) == 4);
    const auto say = [&](std::size_t rank, notice_kind k, int peer) {
        notice n;
        n.kind = k;
        n.communicator = 3;
        n.members = 4;
        n.rank = static_cast<int>(rank);
        n.peer = peer;
        n.call = "barrier";
        ranks[rank].send(frame_type::talk, encode(n));
    };
    say(0, notice_kind::timeout, 1);
    at.poll_for(5ms);
    std::this_thread::sleep_for(1s); // longer than any answer is waited for
    say(0, notice_kind::state, 0);   // is read first, and asks for no decision
    say(1, notice_kind::waiting, 2);
    say(2, notice_kind::waiting, 3);
    at.server.poll();
    std::optional<notice> verdict;
    while (ranks[0].read()) {
    }
    while (const auto f = ranks[0].next())
        if (const auto n = f->type == frame_type::talk ? decode_notice(f->body) : std::nullopt)
            if (n->kind == notice_kind::verdict) verdict = n;
    REQUIRE(verdict);
    CHECK(verdict->peer == 3);
    CHECK(has(verdict->text, "rank 3 has not joined the call"));
}
