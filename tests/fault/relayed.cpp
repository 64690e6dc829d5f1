// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "detour.hpp"
#include "ranks.hpp"
#include "support/relay.hpp"

#include <transport/sockets/handshake.hpp>

#include <algorithm>

using namespace tutti;
using namespace tutti::test;

namespace {

/// What the side that connects says in a handshake.
std::uint64_t handshake_forth() {
    auto one = bootstrap::handshake::connecting({}, {bootstrap::purpose::control, 0, 1, 0, 2, 0});
    auto other = bootstrap::handshake::accepting({}, {});
    std::uint64_t all = 0;
    while (!one.accepted()) {
        all += one.outgoing().size();
        other.feed(one.outgoing());
        if (other.knocks()) other.let_in();
        one.sent(one.outgoing().size());
        one.feed(other.outgoing());
        other.sent(other.outgoing().size());
    }
    return all;
}

/// Flips a bit of the byte at that place behind the handshake.
relay::meddle flip(std::uint64_t place) {
    return [at = handshake_forth() + place](relay::direction way, std::uint64_t offset, std::span<std::byte> piece) {
        if (way == relay::direction::forth && at >= offset && at < offset + piece.size())
            piece[at - offset] ^= std::byte{64};
    };
}

/// A sum whose operands are on two ranks; false if it is wrong.
bool sums_right(const world_of_processes& world) {
    std::vector<int> data(1000, world.rank() + 1);
    world.allreduce(data, sum, algorithm::ring{});
    return std::count(data.begin(), data.end(), 3) == 1000;
}

} // namespace

namespace {

/// Sums over a data connection that passes a relay, until one fails; what the account then has is why.
void sum_over(const relay& data, const reserved_port& at, int rank, account& mine, bool encrypt) {
    auto me = identity(rank, 2, at);
    me.encrypt = encrypt;
    transport::tcp t{me};
    const auto own = t.name_of(1).address; // whom rank 0 calls
    mine.note = own.substr(own.rfind(':') + 1);
    detour::way = {data.port(), at.port()};
    mine.stage.store(1, std::memory_order_release);
    while (mine.stage.load(std::memory_order_acquire) < 2) std::this_thread::sleep_for(1ms);
    world_of_processes world{std::move(t)};
    world.default_deadline(deadline);
    for (int i = 0; i < 20; ++i)
        if (fails(mine, [&] { expect(sums_right(world), "a sum is never wrong"); })) return;
}

void lead(relay& data, processes& ranks) {
    ranks.await_stage(1);
    data.lead_to(static_cast<std::uint16_t>(std::stoi(ranks.of(0).note.str())));
    data.start();
    for (int r = 0; r < 2; ++r) ranks.of(r).stage.store(2, std::memory_order_release);
}

} // namespace

TEST_CASE("encrypted data pass a relay that does nothing to them") {
    const reserved_port at;
    relay data([](relay::direction, std::uint64_t, std::span<std::byte>) {});
    processes ranks(2, [&](int rank, account& mine) { sum_over(data, at, rank, mine, true); });
    lead(data, ranks);
    check_ended(ranks);
    for (int r = 0; r < 2; ++r) CHECK(ranks.of(r).calls.load() == 20);
}

TEST_CASE("a bit of encrypted data that is changed on the way is a lost peer, never a wrong sum") {
    // In the kind, version and length of the first record, in its text, in a later one. One whose length grows waits
    // for the next: the rank that it belongs to sends one.
    for (const std::uint64_t place : {0u, 1u, 3u, 4u, 30u, 200u, 2017u, 9000u}) {
        CAPTURE(place);
        const reserved_port at;
        relay data(flip(place));
        processes ranks(2, [&](int rank, account& mine) { sum_over(data, at, rank, mine, true); });
        lead(data, ranks);
        check_ended(ranks);
        for (int r = 0; r < 2; ++r) {
            const int blamed = ranks.of(r).error[0].peer; // either end of the link, as far as anybody can know
            check_blames(ranks.of(r), cause::lost_peer, blamed == 0 ? 0 : 1);
        }
        const bool told = ranks.of(0).error[0].message.str().find("changed on the way") != std::string::npos ||
                          ranks.of(1).error[0].message.str().find("changed on the way") != std::string::npos;
        CHECK(told);
    }
}

TEST_CASE("who stands between a rank and the rendezvous can change nothing that they say") {
    const reserved_port at;
    relay control(flip(20)); // in what the rank says of itself
    control.lead_to(at.port());
    processes ranks(2, [&](int rank, account& mine) {
        auto me = identity(rank, 2, at);
        me.timeout = 5s;
        if (rank == 1) me.rendezvous.port = control.port();
        const bool failed = fails(mine, [&] {
            const world_of_processes world{transport::tcp{me}};
            expect(sums_right(world), "a sum is never wrong");
        });
        expect(failed, "a relay is found out");
    });
    control.start();
    check_ended(ranks);
    for (int r = 0; r < 2; ++r) {
        const auto& e = ranks.of(r).error[0];
        const auto text = e.message.str();
        CAPTURE(r, text);
        CHECK(e.why == cause::bootstrap);
        CHECK(e.peer == 1 - r); // the other end
        CHECK(text.find("changed on the way") != std::string::npos);
        CHECK(e.told - e.called <= 1s + beyond);
    }
}

TEST_CASE("who only passes on what ranks and rendezvous say is no harm") {
    const reserved_port at;
    relay control([](relay::direction, std::uint64_t, std::span<std::byte>) {});
    control.lead_to(at.port());
    processes ranks(2, [&](int rank, account&) {
        auto me = identity(rank, 2, at);
        if (rank == 1) me.rendezvous.port = control.port();
        const world_of_processes world{transport::tcp{me}};
        expect(sums_right(world), "a sum is right");
    });
    control.start();
    check_ended(ranks);
}
