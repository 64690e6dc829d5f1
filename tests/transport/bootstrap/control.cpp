// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/control/control.hpp>

#include "meeting.hpp"
#include "support/catch.hpp"

#include <memory>

using namespace meeting;
using tutti::cause;

namespace {

notice said(notice_kind k, int peer, int members, std::string call = "barrier") {
    notice n;
    n.kind = k;
    n.communicator = 3;
    n.members = members;
    n.peer = peer;
    n.call = std::move(call);
    return n;
}

/// What a world of one rank is told at its start, and a notice right behind it.
std::vector<std::byte> table_of_one_and(const notice& n) {
    std::vector<std::byte> all, body;
    tutti::detail::byte_writer w(body);
    auto alone = at_port(1);
    alone.rank = 0;
    alone.size = 1;
    write_member(w, alone);
    append_frame(all, frame_type::member, body);
    body.clear();
    tutti::detail::byte_writer(body).integer(std::uint64_t{1});
    append_frame(all, frame_type::start, body);
    append_frame(all, frame_type::talk, encode(n));
    return all;
}

/// Goes through a handshake, as the side that was connected to.
void prove(const descriptor& with, handshake& h) {
    static_cast<void>(tutti::transport::bootstrap::detail::prove(with.get(), h, clock::now() + 2s));
}

} // namespace

TEST_CASE("a rank that is destroyed has left, and the others hear that", "[control]") {
    const rendezvous_thread place(3, loopback(), secret(), quick());
    auto ranks = join_all(0, 3, 3, place);
    ranks[1].reset();
    for (const int r : {0, 2}) {
        const auto n = await(*ranks[static_cast<std::size_t>(r)], notice_kind::departed);
        REQUIRE(n);
        CHECK(n->rank == 1);
    }
    CHECK_FALSE(await(*ranks[0], notice_kind::lost, 200ms));
}

TEST_CASE("a rank whose connection ends without a farewell is lost", "[control]") {
    const rendezvous_thread place(3, loopback(), secret(), quick());
    auto gone = std::make_unique<frame_stream>(bare_member(2, 3, place));
    auto ranks = join_all(0, 2, 3, place);
    gone.reset();
    for (auto& r : ranks) {
        const auto n = await(*r, notice_kind::lost);
        REQUIRE(n);
        CHECK(n->rank == 2);
    }
}

TEST_CASE("a timeout is asked about, answered and judged across the wire", "[control]") {
    const rendezvous_thread place(3, loopback(), secret(), quick());
    auto ranks = join_all(0, 3, 3, place);
    const auto begin = clock::now();
    ranks[0]->tell(said(notice_kind::timeout, 1, 3));
    const auto asked = await(*ranks[1], notice_kind::inquiry);
    REQUIRE(asked);
    CHECK(asked->communicator == 3);
    ranks[1]->tell(said(notice_kind::waiting, 2, 3));
    for (auto& r : ranks) {
        const auto v = await(*r, notice_kind::verdict);
        REQUIRE(v);
        CHECK(v->why == cause::timeout);
        CHECK(v->peer == 2);
        CHECK(has(v->text, "rank 2 has not joined the call"));
    }
    CHECK(clock::now() - begin < 2s);
    CHECK(ranks[0]->next_tick() == clock::time_point::max());
}

TEST_CASE("a mismatch is judged as soon as the other side has answered", "[control]") {
    const rendezvous_thread place(2, loopback(), secret(), quick());
    auto ranks = join_all(0, 2, 2, place);
    ranks[0]->tell(said(notice_kind::mismatch, 1, 2, "barrier"));
    REQUIRE(await(*ranks[1], notice_kind::inquiry));
    ranks[1]->tell(said(notice_kind::waiting, 0, 2, "broadcast"));
    const auto v = await(*ranks[0], notice_kind::verdict);
    REQUIRE(v);
    CHECK(v->text == "rank 0 called barrier, rank 1 called broadcast");
}

TEST_CASE("when the rendezvous goes away without a farewell, rank 0 is lost, once", "[control]") {
    auto how = quick();
    how.linger = 0ms;
    auto place = std::make_unique<rendezvous_thread>(2, loopback(), secret(), how);
    auto zero = bare_member(0, 2, *place);
    std::vector<std::unique_ptr<control>> ranks = join_all(1, 2, 2, *place);
    REQUIRE(ranks[1]);
    place.reset();
    const auto n = await(*ranks[1], notice_kind::lost);
    REQUIRE(n);
    CHECK(n->rank == 0);
    CHECK(ranks[1]->gone());
    CHECK_FALSE(await(*ranks[1], notice_kind::lost, 100ms));
    ranks[1]->tell(said(notice_kind::timeout, 0, 2));
}

TEST_CASE("what comes together with the table of ranks is heard without anything further", "[control]") {
    const auto port = listen_on(loopback()[0]);
    REQUIRE(port);
    identity me;
    me.rendezvous = {"127.0.0.1", local_address(port.get()).port()};
    me.timeout = 5s;
    outcome joined;
    std::optional<notice> heard;
    std::thread joiner([&] {
        joined = attempt([&] {
            control c(me);
            c.join(at_port(1));
            heard = await(c, notice_kind::verdict, 500ms);
        });
    });
    if (wait_ready(port.get(), POLLIN, clock::now() + 2s)) {
        auto caller = accept_from(port.get());
        auto talk = handshake::accepting(secret_of(""), {});
        prove(caller, talk);
        frame_stream all(proven_socket{std::move(caller), talk.release()});
        CHECK(all.send(share(table_of_one_and(said(notice_kind::verdict, 0, 1)))));
        joiner.join();
    } else {
        joiner.join();
    }
    CHECK(joined.value_or("") == "");
    CHECK(heard);
}

TEST_CASE("of several addresses a rank passes over those that refuse, are silent, or say nothing of use", "[control]") {
    const auto closed = local_address(listen_on(loopback()[0]).get());
    const auto silent = new_socket(loopback()[0]);
    REQUIRE(::bind(silent.get(), loopback()[0].data(), loopback()[0].length()) == 0);
    REQUIRE(::listen(silent.get(), 0) == 0);
    const auto full = local_address(silent.get());
    std::vector<descriptor> queue; // which takes no more
    for (int i = 0; i < 3; ++i) queue.push_back(connect_to(full, clock::now() + 100ms));
    const auto babbling = listen_on(loopback()[0]);
    std::thread babble([&] {
        if (!wait_ready(babbling.get(), POLLIN, clock::now() + 4s)) return;
        const auto caller = accept_from(babbling.get());
        static_cast<void>(write_some(caller.get(), std::as_bytes(std::span("HTTP/1.1 400 Bad Request\r\n\r\n"))));
    });
    const rendezvous_thread place(2, loopback(), secret(), quick());
    const auto me = rank_of(1, 2, place);
    const auto begin = clock::now();
    const auto why = attempt([&] {
        static_cast<void>(dialled(me, {closed, full, local_address(babbling.get()), place.bound()}));
    });
    babble.join();
    CHECK(why.value_or("") == "");
    CHECK(clock::now() - begin >= 1900ms); // of patience with the silent one
    CHECK(clock::now() - begin < 4s);
}

TEST_CASE("when rank 0 leaves first, the rendezvous serves until the others have left", "[control]") {
    auto place = std::make_unique<rendezvous_thread>(3, loopback(), secret(), quick());
    auto ranks = join_all(0, 3, 3, *place);
    ranks[0].reset();
    const auto begin = clock::now();
    clock::time_point ended;
    std::thread closing([&] {
        place.reset();
        ended = clock::now();
    });
    std::this_thread::sleep_for(300ms);
    auto n = said(notice_kind::abort, -1, 3);
    n.text = "still served";
    ranks[1]->tell(n);
    const auto v = await(*ranks[2], notice_kind::verdict);
    ranks[1].reset();
    ranks[2].reset();
    closing.join();
    REQUIRE(v);
    CHECK(v->text == "still served");
    CHECK(ended - begin >= 300ms);
    CHECK(ended - begin < 1900ms);
}

TEST_CASE("when rank 0 has left and lingered, the end of the connection means nothing", "[control]") {
    auto how = quick();
    how.linger = 200ms;
    auto place = std::make_unique<rendezvous_thread>(2, loopback(), secret(), how);
    auto ranks = join_all(0, 2, 2, *place);
    ranks[0].reset();
    const auto begin = clock::now();
    place.reset();
    CHECK(clock::now() - begin >= 200ms);
    REQUIRE(await(*ranks[1], notice_kind::departed));
    CHECK_FALSE(await(*ranks[1], notice_kind::lost, 100ms));
    CHECK(ranks[1]->gone());
}

TEST_CASE("when nobody answers, the error says where it looked and for how long", "[control]") {
    identity me;
    me.rank = 3;
    me.size = 4;
    {
        const rendezvous_thread place(1, loopback(), secret(), quick());
        me.rendezvous = {"127.0.0.1", place.bound().port()};
    }
    me.timeout = 300ms;
    const auto begin = clock::now();
    const auto o = attempt([&] { const control c(me); });
    CHECK(clock::now() - begin < 2s);
    REQUIRE(o);
    CHECK(has(*o, ", rank 0: rank 3 could not reach the rendezvous of rank 0 at " + me.rendezvous.text() +
                      " within 0.3 s"));
    CHECK(has(*o, "Connection refused"));
}

TEST_CASE("a port that accepts but does not answer ends in the same error", "[control]") {
    const auto mute = listen_on(loopback()[0]);
    REQUIRE(mute);
    identity me;
    me.rendezvous = {"127.0.0.1", local_address(mute.get()).port()};
    me.timeout = 300ms;
    const auto begin = clock::now();
    CHECK(has(attempt([&] { const control c(me); }).value_or(""), "accepts connections but does not answer"));
    CHECK(clock::now() - begin < 2s);
}

TEST_CASE("who holds the port for a moment and refuses everyone is outlasted", "[control]") {
    auto impostor = listen_on(loopback()[0]);
    REQUIRE(impostor);
    const auto where = local_address(impostor.get());
    identity me;
    me.rendezvous = {where.host(), where.port()};
    me.key = secret_of("right");
    me.timeout = 5s;
    outcome joined;
    std::thread joiner([&] {
        joined = attempt([&] {
            control c(me);
            c.join(at_port(1));
        });
    });
    bool refused = false;
    if (wait_ready(impostor.get(), POLLIN, clock::now() + 2s)) {
        const auto caller = accept_from(impostor.get());
        auto talk = handshake::accepting(secret_of("wrong"), {});
        prove(caller, talk);
        refused = talk.refused();
    }
    impostor.reset();
    std::optional<rendezvous_thread> place;
    const auto listening = attempt([&] { place.emplace(1, std::vector{where}, me.key, quick()); });
    joiner.join();
    CHECK(refused);
    CHECK(listening.value_or("") == "");
    CHECK(joined.value_or("") == "");
}

TEST_CASE("without a secret no rank is told to send data beyond loopback", "[control]") {
    const std::string address = GENERATE("192.0.2.1", "a-name");
    const rendezvous_thread place(2, loopback(), secret(), quick());
    const auto outcomes = in_threads(0, 2, [&](int r) {
        control c(rank_of(r, 2, place));
        auto m = at_port(1);
        if (r == 1) m.address = address;
        c.join(m);
    });
    CHECK(has(outcomes[0].value_or(""), "the data address \"" + address + "\" of rank 1 leads beyond this host"));
}

TEST_CASE("with a secret, or where insecure is allowed, data may go anywhere", "[control]") {
    const char* key = GENERATE("s", "");
    const rendezvous_thread place(1, loopback(), secret_of(key), quick());
    auto me = rank_of(0, 1, place, key);
    me.insecure = !me.key.configured();
    control c(me);
    auto m = at_port(1);
    m.address = "192.0.2.1";
    CHECK(c.join(m).members[0].address == "192.0.2.1");
}

TEST_CASE("without a secret no connection leaves loopback", "[control]") {
    identity me;
    me.rendezvous = {"192.0.2.1", 29500};
    me.timeout = 300ms;
    CHECK(has(attempt([&] { const control c(me); }).value_or(""),
              "the rendezvous address 192.0.2.1:29500 leads beyond this host, and there is no secret"));
}

TEST_CASE("a server that stops within its handshake is left in time", "[control]") {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0);
    const descriptor here(ends[0]), there(ends[1]);
    auto rank = handshake::connecting({}, {purpose::control, 0, 1, 0, 2, 0});
    auto server = handshake::accepting({}, {});
    server.feed(rank.outgoing());
    rank.sent(rank.outgoing().size());
    server.let_in();
    REQUIRE(write_some(there.get(), server.outgoing().first(server.outgoing().size() / 2)).bytes > 0);
    const auto begun = clock::now();
    CHECK(tutti::transport::bootstrap::detail::prove(here.get(), rank, begun + 200ms) ==
          "it accepts connections but does not answer");
    CHECK(clock::now() - begun >= 200ms);
    CHECK_FALSE(rank.accepted());
}
