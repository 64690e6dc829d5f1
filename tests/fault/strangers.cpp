// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "strangers.hpp"
#include "ranks.hpp"

#include <sstream>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr int members = 3;

/// Where the peers of a rank listen for data, for the account's note: "port port ".
std::string ports_of(const transport::tcp& t) {
    std::string all;
    for (int r = 0; r < t.size(); ++r) {
        const auto where = t.name_of(r).address;
        all += where.substr(where.rfind(':') + 1) + " ";
    }
    return all;
}

void expect_right_results(const world_of_processes& world, std::size_t count, const algorithm::any& how) {
    std::vector<int> data(count), wanted(count);
    for (std::size_t i = 0; i < count; ++i) {
        data[i] = static_cast<int>(i) * (world.rank() + 1);
        wanted[i] = static_cast<int>(i) * 6;
    }
    world.allreduce(data, sum, how);
    expect(data == wanted, "results stay right");
}

/// Waits outside until the test says stage 2, then works until it has said stage 3 to rank 0.
void work(int rank, const reserved_port& at, account& mine) {
    transport::tcp t{identity(rank, members, at)};
    mine.note = ports_of(t);
    mine.stage.store(1, std::memory_order_release);
    while (mine.stage.load(std::memory_order_acquire) < 2) std::this_thread::sleep_for(1ms);
    world_of_processes world{std::move(t)};
    world.default_deadline(deadline);
    for (int enough = 0; enough == 0;) {
        expect_right_results(world, 100'000, algorithm::ring{});
        expect_right_results(world, 10, algorithm::one_shot{});
        const int told = mine.stage.load(std::memory_order_acquire) == 3;
        world.allreduce(std::span(&told, 1), std::span(&enough, 1), maximum);
        mine.calls.fetch_add(1, std::memory_order_release);
    }
}

std::vector<std::uint16_t> data_ports(const account& a) {
    std::istringstream text(a.note.str());
    std::vector<std::uint16_t> ports;
    for (std::uint16_t p = 0; text >> p;) ports.push_back(p);
    return ports;
}

/// So many come to every port, while those who are there go on.
void crowd(strangers& them, const std::vector<std::uint16_t>& ports, int count) {
    for (int i = 0; i < count; ++i) {
        for (const auto p : ports) them.come(p, 1);
        them.mumble();
        std::this_thread::sleep_for(1ms);
    }
}

} // namespace

TEST_CASE("hundreds of strangers at all ports, at all times, change nothing") {
    const reserved_port at;
    strangers them(7);
    processes ranks;
    const auto body = [&](int rank, account& mine) { work(rank, at, mine); };
    ranks.start(body);
    const auto patient = std::chrono::steady_clock::now() + patience;
    while (!them.come(at.port(), 1)) REQUIRE(std::chrono::steady_clock::now() < patient);
    crowd(them, {at.port()}, 200); // before the others have come
    for (int r = 1; r < members; ++r) {
        ranks.start(body);
        crowd(them, {at.port()}, 50);
    }
    ranks.await_stage(1);
    auto ports = data_ports(ranks.of(0));
    REQUIRE(ports.size() == members);
    crowd(them, ports, 100); // before any rank has come to another's port
    for (int r = 0; r < members; ++r) ranks.of(r).stage.store(2, std::memory_order_release);
    ports.push_back(at.port());
    crowd(them, ports, 100); // while they connect and work
    const int calls = ranks.of(0).calls.load(std::memory_order_acquire);
    crowd(them, ports, 100);
    ranks.await(0, "calls go on",
                [&](const account& a) { return a.calls.load(std::memory_order_acquire) > calls + 1; });
    ranks.of(0).stage.store(3, std::memory_order_release);
    check_ended(ranks);
}

TEST_CASE("who has another secret is refused in plain words, and missed by the others") {
    const reserved_port at;
    processes ranks(members, [&](int rank, account& mine) {
        auto me = identity(rank, members, at);
        me.timeout = 800ms;
        if (rank == 1) me.key = transport::bootstrap::secret("not the secret of all the others");
        expect(fails(mine, [&] { transport::tcp{me}; }), "there is no world of ranks with unlike secrets");
    });
    check_ended(ranks);
    for (int r = 0; r < members; ++r) {
        const auto& e = ranks.of(r).error[0];
        const auto text = e.message.str();
        CAPTURE(r, text);
        CHECK(e.why == cause::bootstrap);
        CHECK(e.told - e.called <= 800ms + beyond);
        CHECK(text.find(r == 1 ? "secret" : "rank 1 never came") != std::string::npos);
    }
}

TEST_CASE("a second process that claims a rank is refused, and disturbs nobody") {
    const reserved_port at;
    processes ranks(members, [&](int rank, account& mine) { work(rank, at, mine); });
    ranks.await_stage(1);
    for (int r = 0; r < members; ++r) ranks.of(r).stage.store(2, std::memory_order_release);
    ranks.start([&](int, account& mine) {
        auto me = identity(1, members, at);
        me.timeout = 800ms;
        expect(fails(mine, [&] { transport::tcp{me}; }), "a rank cannot be taken twice");
    });
    CHECK(ranks.end(members) == "");
    const auto text = ranks.of(members).error[0].message.str();
    CAPTURE(text);
    CHECK(ranks.of(members).error[0].why == cause::bootstrap);
    CHECK(text.find("rank 1 has joined already") != std::string::npos);
    ranks.of(0).stage.store(3, std::memory_order_release);
    check_ended(ranks);
}
