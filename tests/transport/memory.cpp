// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/memory.hpp>

#include <transport/join/own_allotment.hpp>

#include "contract/all.hpp"
#include "support/bound.hpp"
#include "support/catch.hpp"
#include "support/milestone.hpp"
#include "support/run_ranks.hpp"

using namespace tutti;
using namespace tutti::test;
using transport::memory;
using transport::memory_world;

namespace {

class memory_fixture {
public:
    using transport = memory;
    static constexpr std::size_t eager_limit = 32 * 1024;
    static constexpr bool writes_answers = true;

    void run(int ranks, const std::function<void(memory&)>& body) {
        world_ = memory_world::create(ranks);
        run_ranks(ranks, [&](int rank) {
            memory t{world_, rank};
            body(t);
        });
    }
    void kill(int rank) { world_->kill(rank); }

private:
    std::shared_ptr<memory_world> world_;
};

static_assert(killing_fixture<memory_fixture>);
static_assert(std::movable<memory>);

transport::transfer message(const std::byte* from, std::byte* to, std::size_t size, transport::transfer_queue& owner) {
    transport::transfer x;
    x.from = from;
    x.to = to;
    x.bytes = size;
    x.owner = &owner;
    return x;
}

} // namespace

TEST_CASE("memory keeps the contract") {
    for (const auto& [sentence, check] : contract<memory_fixture>()) DYNAMIC_SECTION(sentence) {
            CHECK_NOTHROW(check());
        }
}

TEST_CASE("memory connects 33 ranks on any number of cores") { CHECK_NOTHROW(all_pairs_exchange<memory_fixture>(33)); }

TEST_CASE("a memory world refuses what it has no place for") {
    CHECK_THROWS_AS(memory_world::create(0), error);
    const auto world = memory_world::create(2);
    CHECK_THROWS_AS(memory(world, 2), error);
    CHECK_THROWS_AS(memory(world, -1), error);
    const memory first{world, 0};
    CHECK_THROWS_AS(memory(world, 0), error);
}

TEST_CASE("a memory transport can be moved with its channels and transfers") {
    const auto world = memory_world::create(2);
    memory before{world, 0};
    memory peer{world, 1};
    const auto out = pattern(100'000, 1);
    bytes in(out.size());
    transport::transfer_queue done;
    auto sent = message(out.data(), nullptr, out.size(), done);
    auto received = message(nullptr, in.data(), in.size(), done);
    before.send(before.open({1, 0}, 1), sent);
    memory after{std::move(before)};
    peer.receive(peer.open({1, 0}, 0), received);
    for (int i = 0; i < 10; ++i) {
        peer.progress();
        after.progress();
    }
    CHECK(is_done(sent));
    CHECK(is_done(received));
    CHECK(in == out);
}

TEST_CASE("a memory transport that is assigned to leaves its world first") {
    const auto first = memory_world::create(2);
    const auto second = memory_world::create(3);
    memory t{first, 0};
    memory witness{first, 1};
    t = memory{second, 2};
    CHECK(t.size() == 3);
    CHECK(t.rank() == 2);
    transport::notice n;
    REQUIRE(witness.fetch(n));
    CHECK(n.kind == transport::notice_kind::departed);
    CHECK(n.rank == 0);
}

TEST_CASE("a small send through memory is complete on return, a large one when it was read") {
    const auto world = memory_world::create(2);
    memory a{world, 0};
    memory b{world, 1};
    bytes data(2049);
    transport::transfer_queue done;
    auto small = message(data.data(), nullptr, 2048, done);
    auto large = message(data.data(), nullptr, 2049, done);
    a.send(a.open({1, 0}, 1), small);
    a.send(a.open({1, 0}, 1), large);
    CHECK(is_done(small));
    CHECK(is_pending(large));
    CHECK_FALSE(a.progress());

    bytes in(2049);
    auto first = message(nullptr, in.data(), 2048, done);
    auto second = message(nullptr, in.data(), 2049, done);
    b.receive(b.open({1, 0}, 0), first);
    b.receive(b.open({1, 0}, 0), second);
    CHECK(is_done(second));
    CHECK(a.progress());
    CHECK(is_done(large));
}

TEST_CASE("memory shows every message where it lies: in its slot, or with its sender") {
    const auto world = memory_world::create(2);
    memory a{world, 0};
    memory b{world, 1};
    for (const std::size_t size : {std::size_t{1}, std::size_t{2048}, std::size_t{2049}}) {
        const auto data = pattern(size, size);
        bytes stored(size);
        transport::transfer_queue done;
        auto sent = message(data.data(), nullptr, size, done);
        auto received = message(nullptr, stored.data(), size, done);
        received.may_view = true;
        a.send(a.open({1, 0}, 1), sent);
        auto& channel = b.open({1, 0}, 0);
        b.receive(channel, received);
        REQUIRE((is_done(received) && received.viewed));
        CHECK_FALSE(a.progress());
        const std::byte* const there = b.look(channel, received);
        CHECK((there == data.data()) == (size > 2048));
        CHECK(std::equal(data.begin(), data.end(), there));
        CHECK(b.release(channel, received));
        CHECK(stored == bytes(size));
        a.progress();
        CHECK(is_done(sent));
    }
}

TEST_CASE("what a killed rank had sent through memory arrives before its channel is broken") {
    const auto world = memory_world::create(2);
    memory victim{world, 0};
    memory survivor{world, 1};
    const auto out = pattern(8, 2);
    bytes in(8);
    transport::transfer_queue done;
    auto sent = message(out.data(), nullptr, 8, done);
    auto late = message(out.data(), nullptr, 8, done);
    auto received = message(nullptr, in.data(), 8, done);
    victim.send(victim.open({1, 0}, 1), sent);
    auto& channel = survivor.open({1, 0}, 0);
    world->kill(0);
    CHECK_FALSE(survivor.broken(0));

    std::byte nothing{};
    auto in_vain = message(nullptr, &nothing, 1, done);
    survivor.receive(survivor.open({2, 0}, 0), in_vain);
    CHECK(survivor.broken(0));
    survivor.close({2, 0});
    CHECK_FALSE(survivor.broken(0));

    survivor.receive(channel, received);
    CHECK(is_done(received));
    CHECK(in == out);
    CHECK(survivor.broken(0));
    CHECK(victim.broken(1));
    victim.send(victim.open({1, 0}, 1), late);
    CHECK(is_pending(late));
    CHECK_FALSE(victim.progress());
}

TEST_CASE("a killed memory rank that waits is woken") {
    const auto world = memory_world::create(2);
    milestone waiting;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        memory t{world, rank};
        if (rank == 0) {
            waiting.await("the victim waits");
            std::this_thread::sleep_for(std::chrono::milliseconds{20});
            return world->kill(1);
        }
        t.open({1, 0}, 0);
        waiting.reach();
        const auto deadline = transport::clock::now() + patience;
        while (!t.broken(0) && transport::clock::now() < deadline) t.wait(deadline);
        expect(transport::clock::now() < deadline, "death ends the wait of the dead");
    }));
}

TEST_CASE("a context closed on both sides of a memory channel can be used again") {
    const auto world = memory_world::create(2);
    memory a{world, 0};
    memory b{world, 1};
    transport::transfer_queue done;
    for (std::byte round{0}; round < std::byte{5}; round = static_cast<std::byte>(static_cast<int>(round) + 1)) {
        std::byte in{99};
        const std::byte unread{77};
        auto sent = message(&round, nullptr, 1, done);
        auto left_behind = message(&unread, nullptr, 1, done);
        auto received = message(nullptr, &in, 1, done);
        a.send(a.open({1, 0}, 1), sent);
        a.send(a.open({1, 0}, 1), left_behind);
        b.receive(b.open({1, 0}, 0), received);
        CHECK(in == round);
        a.close({1, 0});
        b.close({1, 0});
    }
}

TEST_CASE("no wake-up of a memory rank is lost when many ring at once") {
    constexpr int ringers = 4;
    constexpr int times = 500;
    const auto world = memory_world::create(1);
    memory t{world, 0};
    std::atomic<int> seen{0};
    std::atomic<int> turns{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < ringers; ++i)
        threads.emplace_back([&] {
            for (int n = 0; n < times; ++n) {
                ++turns;
                t.wake();
                if (n % 50 == 0) std::this_thread::sleep_for(std::chrono::milliseconds{1});
            }
        });
    const auto deadline = transport::clock::now() + patience;
    while (turns < ringers * times && transport::clock::now() < deadline) {
        t.wait(deadline);
        ++seen;
    }
    for (auto& thread : threads) thread.join();
    CHECK(transport::clock::now() < deadline);
    CHECK(seen > 0);
}

TEST_CASE("threads are crowded where they outnumber the processors that their process may run on", "[memory]") {
    const auto mine = transport::bootstrap::own_allotment();
    const auto crowded = [](std::size_t ranks) {
        return memory{memory_world::create(static_cast<int>(ranks)), 0}.crowded();
    };
    CHECK(crowded(mine.processors.count() + 1));
    if (mine.quota.thousandths == 0) CHECK_FALSE(crowded(mine.processors.count()));
    const bound here(mine.processors.first());
    CHECK(crowded(2));
}
