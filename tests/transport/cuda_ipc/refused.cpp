// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "device_results.hpp"
#include "exchange.hpp"

#include <transport/fabrics/cuda_ipc/fabric.hpp>
#include <transport/fabrics/tcp/fabric.hpp>

#include "fault/victims.hpp"

using namespace tutti;
using namespace tutti::test;

/// Processes whose devices do not reach each other's memory, or do so and read other bytes.
namespace {

using peers_memory = fake_cuda::access;

/// Which ranks cannot copy from which.
enum class apart { none, one_direction, all };

/// Of the calling process, before it enters the world.
void set_apart(int rank, apart who, peers_memory how) {
    fake_cuda::label() = rank;
    for (int peer = 0; peer < 16; ++peer)
        if (who == apart::all || (who == apart::one_direction && rank == 0 && peer == 1))
            fake_cuda::access_to(peer) = how;
}

fake_communicator enter_apart(int rank, int ranks, const reserved_port& at, apart who, peers_memory how) {
    set_apart(rank, who, how);
    fake_communicator world{fake_ipc{identity(rank, ranks, at)}};
    world.default_deadline(deadline);
    return world;
}

constexpr const char* staged = "through pinned host memory";

template <class World>
bool is_staged(const World& t, int peer) {
    return t.way_to(peer).find(staged) != std::string::npos;
}

} // namespace

TEST_CASE("messages arrive in order and whole where devices do not reach each other's memory, or read other bytes") {
    const auto how = GENERATE(peers_memory::refused, peers_memory::failing, peers_memory::wrong);
    const auto who = GENERATE(apart::one_direction, apart::all);
    const int ranks = GENERATE(2, 3);
    const unsigned seed = 20 + static_cast<unsigned>(ranks);
    CAPTURE(static_cast<int>(how), static_cast<int>(who), ranks);
    const reserved_port at;
    const auto all = any_messages(ranks, 120, seed);
    processes each(ranks, [&](int rank, account&) {
        {
            set_apart(rank, who, how);
            fake_ipc t{identity(rank, ranks, at)};
            exchange(t, all, seed);
            for (int peer = 0; peer < ranks; ++peer)
                if (peer != rank)
                    expect(is_staged(t, peer) == (who == apart::all || (rank == 1 && peer == 0)),
                           "way_to tells how data go to rank " + std::to_string(peer));
        }
        expect(fake_cuda::allocations() == 0, "all device memory is given back");
    });
    check_ended(each);
}

TEST_CASE("collectives give the same bits whichever devices reach each other's memory") {
    const int ranks = GENERATE(2, 3, 4);
    const auto who = GENERATE(apart::none, apart::one_direction, apart::all);
    const auto how = who == apart::none ? peers_memory::right : GENERATE(peers_memory::refused, peers_memory::wrong);
    CAPTURE(ranks, static_cast<int>(how), static_cast<int>(who));
    const reserved_port at;
    processes each(ranks, [&](int rank, account&) {
        {
            auto world = enter_apart(rank, ranks, at, who, how);
            world.default_deadline(60s);
            fake_executor e(fake_cuda(-1), world);
            for (const auto& a : algorithm::all(2)) expect_as_on_the_host<float>(world, e, a, 100, sum, {false});
            expect_as_on_the_host<std::int32_t>(world, e, algorithm::ring{}, 20'003, maximum);
            expect_as_on_the_host<float>(world, e, algorithm::butterfly{}, 300'001, average, {true});
            if (who == apart::all) expect(is_staged(world, (rank + 1) % ranks), "to the next rank of a ring");
            if (who == apart::none)
                for (int peer = 0; peer < ranks; ++peer) expect(!is_staged(world, peer), "nothing is staged");
        }
        expect(fake_cuda::allocations() == 0, "all device memory is given back");
    });
    check_ended(each);
}

TEST_CASE("mismatches are caught in device memory that goes through the host's, and what follows arrives") {
    const reserved_port at;
    processes each(2, [&](int rank, account&) {
        set_apart(rank, apart::all, peers_memory::refused);
        fake_ipc t{identity(rank, 2, at)};
        const auto slab = [&](std::size_t size) { return t.allocate(size); };
        for (const place where : all_places) {
            courier c{t};
            const std::size_t size = 5 << 20;
            const placed_bytes wrong(slab, where, size), right(slab, where, size);
            std::fill_n(wrong.there(), size, static_cast<std::byte>(rank));
            std::fill_n(right.there(), size, static_cast<std::byte>(5 + rank));
            if (rank == 0) {
                c.send({1, 0}, 1, wrong.data(), size, 7);
                c.send({1, 0}, 1, right.data(), size);
                c.finish("all is taken");
                continue;
            }
            const auto& refused = c.receive({1, 0}, 0, wrong.data(), size, 8);
            c.receive({1, 0}, 0, right.data(), size);
            c.finish("both receives end");
            expect(refused.status == transport::transfer_status::mismatched, "the first is refused");
            expect(wrong.there()[size - 1] == std::byte{1}, "and nothing of it delivered");
            expect(right.there()[size - 1] == std::byte{5}, "the second is delivered");
        }
    });
    check_ended(each);
}

TEST_CASE("messages of device memory that go through the host's are reduced on arrival, though parts cut elements") {
    struct element {
        std::array<std::uint32_t, 3> words; // 12 bytes: no part has a whole number of them
    };
    static constexpr auto add = [](std::byte* to, const std::byte* a, const std::byte* b, std::size_t n, const void*) {
        for (std::size_t i = 0; i < 3 * n; ++i) {
            std::uint32_t x = 0, y = 0;
            std::memcpy(&x, a + 4 * i, 4);
            std::memcpy(&y, b + 4 * i, 4);
            x += y;
            std::memcpy(to + 4 * i, &x, 4);
        }
    };
    const reserved_port at;
    processes each(2, [&](int rank, account&) {
        set_apart(rank, apart::all, peers_memory::wrong);
        fake_ipc t{identity(rank, 2, at)};
        const auto slab = [&](std::size_t size) { return t.allocate(size); };
        const std::size_t count = 100'000, size = count * sizeof(element);
        auto own = pattern(size, 1), sums = own;
        const auto incoming = pattern(size, 0);
        courier c{t};
        if (rank == 0) {
            const placed_bytes data(slab, place::slab, size);
            std::copy(incoming.begin(), incoming.end(), data.there());
            c.send({1, 0}, 1, data.data(), size);
            return c.finish("the message is taken");
        }
        reducer r{};
        r.element_bytes = sizeof(element);
        r.combine = add;
        c.reduce({1, 0}, 0, sums, own, r, false);
        c.finish("the message is reduced");
        add(own.data(), own.data(), incoming.data(), count, nullptr);
        expect(sums == own, "to the right sums");
    });
    check_ended(each);
}

TEST_CASE("a context is closed by its sender or its receiver while a question is open, and others go on") {
    constexpr std::size_t size = 3 << 20;
    const bool receiver_closes = GENERATE(false, true);
    const auto then = GENERATE(peers_memory::right, peers_memory::wrong);
    CAPTURE(receiver_closes, static_cast<int>(then));
    const reserved_port at;
    processes each(2, [&](int rank, account& mine) {
        {
            set_apart(rank, apart::all, peers_memory::endless);
            fake_ipc t{identity(rank, 2, at)};
            const auto slab = [&](std::size_t bytes) { return t.allocate(bytes); };
            const placed_bytes data(slab, place::slab, size);
            std::fill_n(data.there(), size, static_cast<std::byte>(7 + rank));
            courier c{t};
            if (rank == 0)
                c.send({1, 0}, 1, data.data(), size);
            else
                c.receive({1, 0}, 0, data.data(), size);
            c.linger(50ms); // the trial does not end
            std::byte word{};
            const auto tell = [&] { c.finish(c.send({9, 0}, 1 - rank, &word, 1), "a word is told"); };
            const auto hear = [&] { c.finish(c.receive({9, 0}, 1 - rank, &word, 1), "a word is heard"); };
            const bool closes_first = (rank == 1) == receiver_closes;
            if (!closes_first) hear();
            t.close({1, 0});
            if (closes_first) tell();
            fake_cuda::access_to(1 - rank) = then == peers_memory::wrong ? peers_memory::endless : peers_memory::right;
            if (rank == 0)
                c.finish(c.send({2, 0}, 1, data.data(), size), "the message is taken");
            else
                c.finish(c.receive({2, 0}, 0, data.data(), size), "the message arrives");
            expect(data.there()[size - 1] == std::byte{7}, "and whole");
            expect(rank == 1 || is_staged(t, 1) == (then == peers_memory::wrong), "as the receiver can");
            mine.stage.store(1, std::memory_order_release);
            if (then == peers_memory::wrong) ::_exit(0); // with the thread of a copy that does not end
        }
        expect(fake_cuda::allocations() == 0, "all device memory is given back");
    });
    check_ended(each);
}

TEST_CASE("a rank that is stopped before it answers, and goes on when the question is taken back, does no harm") {
    constexpr std::size_t size = 3 << 20;
    const reserved_port at;
    processes each(2, [&](int rank, account& mine) {
        {
            set_apart(rank, apart::all, peers_memory::endless);
            fake_ipc t{identity(rank, 2, at)};
            const auto slab = [&](std::size_t bytes) { return t.allocate(bytes); };
            const placed_bytes data(slab, place::slab, size);
            std::fill_n(data.there(), size, static_cast<std::byte>(7 + rank));
            courier c{t};
            const auto await = [&](int stage) {
                while (mine.stage.load(std::memory_order_acquire) < stage) c.linger(1ms);
            };
            if (rank == 0)
                c.send({1, 0}, 1, data.data(), size);
            else
                c.receive({1, 0}, 0, data.data(), size);
            c.linger(50ms);
            mine.stage.store(1, std::memory_order_release);
            await(2);
            if (rank == 0) {
                t.close({1, 0});
                const auto& x = c.send({2, 0}, 1, data.data(), size); // in the same record
                mine.stage.store(3, std::memory_order_release);
                c.finish(x, "the message is taken");
            } else {
                fake_cuda::access_to(0) = peers_memory::right;
                c.linger(20ms);
                c.finish(c.receive({2, 0}, 0, data.data(), size), "the message arrives");
                expect(data.there()[size - 1] == std::byte{7}, "and whole");
            }
            t.close({1, 0});
        }
        expect(fake_cuda::allocations() == 0, "all device memory is given back");
    });
    each.await_stage(1);
    each.send(1, SIGSTOP);
    each.of(0).stage.store(2, std::memory_order_release);
    each.await_stage(0, 3);
    each.of(1).stage.store(2, std::memory_order_release);
    each.send(1, SIGCONT);
    check_ended(each);
}

TEST_CASE("memory that cannot be opened later, though others could be, breaks the channel in plain words") {
    const reserved_port at;
    processes each(2, [&](int rank, account&) {
        set_apart(rank, apart::none, peers_memory::right);
        fake_ipc t{identity(rank, 2, at)};
        const auto slab = [&](std::size_t bytes) { return t.allocate(bytes); };
        const placed_bytes first(slab, place::slab, 1000), second(slab, place::slab, 1000);
        courier c{t};
        std::byte word{};
        if (rank == 0) {
            c.finish(c.send({1, 0}, 1, first.data(), 1000), "the first is taken");
            c.send({1, 0}, 1, second.data(), 1000);
            c.finish(c.receive({2, 0}, 1, &word, 1), "the other has seen it");
            return;
        }
        c.finish(c.receive({1, 0}, 0, first.data(), 1000), "the first arrives");
        fake_cuda::access_to(0) = peers_memory::refused;
        const auto& x = c.receive({1, 0}, 0, second.data(), 1000);
        const auto until = std::chrono::steady_clock::now() + 10s;
        while (!t.broken(0) && std::chrono::steady_clock::now() < until) t.progress();
        const auto why = t.broken(0);
        expect(why && why->find("cannot be opened") != std::string::npos && is_pending(x), "it is told");
        c.finish(c.send({2, 0}, 0, &word, 1), "the other is told");
        t.close({1, 0});
    });
    check_ended(each);
}

TEST_CASE("a rank that is killed is named by all others where data go through the host's memory") {
    std::mt19937 random(7);
    for (int i = 0; i < 6; ++i) {
        const int victim = i % 3;
        const auto who = i % 2 == 0 ? apart::all : apart::one_direction;
        const auto how = i < 3 ? peers_memory::refused : peers_memory::wrong;
        const auto pause = std::chrono::microseconds(random() % 30'000);
        CAPTURE(victim, pause.count());
        const reserved_port at;
        processes ranks(3, [&](int rank, account& mine) {
            const auto world = enter_apart(rank, 3, at, who, how);
            fake_executor e(fake_cuda(-1), world);
            const auto handle = world.with_executor(e);
            const placed_elements<float> data(world, i % 2 == 0 ? place::slab : place::device, 1 << 20);
            mine.stage.store(1, std::memory_order_release);
            call_until_error(mine, [&] { handle.allreduce(data.seen(), sum, algorithm::ring{}); });
        });
        ranks.await_stage(1);
        std::this_thread::sleep_for(pause);
        const moment killed = ranks.send(victim, SIGKILL);
        CHECK(ranks.end(victim) == "signal 9");
        check_ended(ranks, victim);
        for (int r = 0; r < 3; ++r) {
            if (r == victim) continue;
            INFO("rank " << r);
            check_blames(ranks.of(r), cause::lost_peer, victim);
            CHECK(ranks.of(r).error[0].told - killed <= deadline + beyond);
        }
    }
}
