// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "worlds.hpp"

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/run_ranks.hpp"
#include "transport/cuda_ipc/exchange.hpp"

#include <thread>

using namespace tutti;
using namespace tutti::test;

namespace {

constexpr std::size_t piece = transport::detail::staged::piece_bytes;
constexpr long most_staged = transport::detail::staged::most_staged;

/// Two ranks over staged TCP; each gets its transport, a courier, and the way to device memory.
template <class Body>
void run_two(Body body) {
    const reserved_port at;
    run_ranks(2, [&](int rank) {
        auto t = on_two_hosts<fake_staged>(rank, 2, at);
        courier c{t};
        body(t, c, [&t](std::size_t size) { return t.allocate(size); });
    });
}

template <class World, class... Limits>
void exchange_between_threads(unsigned seed, int ranks, const Limits&... how) {
    const reserved_port at;
    const auto all = any_messages(ranks, effort(std::size_t{150}), seed);
    run_ranks(ranks, [&](int rank) {
        World t{identity_on(2 * rank / ranks, rank, ranks, at), how...};
        exchange(t, all, seed);
    });
}

void fill(const placed_bytes& data, int with) { std::fill_n(data.there(), data.size(), static_cast<std::byte>(with)); }
bool holds(const placed_bytes& data, int what) {
    return std::all_of(data.there(), data.there() + data.size(), [=](std::byte b) { return b == std::byte(what); });
}

} // namespace

TEST_CASE("over staged TCP, messages go from any place to any place, and no copy makes the host wait") {
    const unsigned seed = threads_watched ? 1u : GENERATE(1u, 2u, 3u);
    const long waited_for = fake_cuda::pageable_copies();
    CHECK_NOTHROW(exchange_between_threads<fake_staged>(
        seed, 2 + static_cast<int>(seed % 2),
        transport::staged_limits<transport::tcp_fabric>{.inner = {.lanes = 1 + static_cast<int>(seed % 2)}}));
    CHECK(fake_cuda::pageable_copies() == waited_for);
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("over CUDA IPC and staged TCP, messages go from any place to any place") {
    const unsigned seed = threads_watched ? 4u : GENERATE(4u, 5u);
    CHECK_NOTHROW(exchange_between_threads<fake_routed>(seed, 4));
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("over a fabric of one's own, messages go from any place to any place by staging") {
    CHECK_NOTHROW(exchange_between_threads<fake_staged_pairs>(6, 3));
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("pieces are copied ahead of the sending, and no more of them than there are buffers") {
    milestone looked;
    CHECK_NOTHROW(run_two([&](auto& t, auto& c, const auto& slab) {
        const placed_bytes data(slab, t.rank() == 0 ? place::device : place::host, 8 * piece);
        if (t.rank() == 1) {
            t.open({1, 0}, 0);
            c.meet(looked, 1, "the sender has looked");
            c.receive({1, 0}, 0, data.data(), data.size());
            c.finish("the message arrives");
            return expect(holds(data, 3), "and is whole");
        }
        fill(data, 3);
        const long before = fake_cuda::copies();
        c.send({1, 0}, 1, data.data(), data.size());
        c.linger(std::chrono::milliseconds{100}); // nobody receives
        expect(fake_cuda::copies() - before == most_staged, "the host copies ahead, and not too far");
        looked.reach();
        c.finish("the message goes");
        expect(fake_cuda::copies() - before == 8, "each piece is copied once");
    }));
}

TEST_CASE("messages of the host are not copied on their way to the inner fabric") {
    CHECK_NOTHROW(run_two([&](auto& t, auto& c, const auto& slab) {
        const placed_bytes data(slab, place::host, 3 * piece + 1);
        fill(data, 5 - t.rank());
        const long before = fake_cuda::copies();
        t.rank() == 0 ? c.send({1, 0}, 1, data.data(), data.size()) : c.receive({1, 0}, 0, data.data(), data.size());
        c.finish("the message arrives");
        expect(holds(data, 5) && fake_cuda::copies() == before, "and no device was asked");
    }));
}

TEST_CASE("over staged TCP, mismatches are caught before anything is delivered, and what follows arrives") {
    struct lengths {
        std::size_t sent, awaited;
    };
    constexpr std::array<lengths, 6> cases{
        {{5 * piece, 5 * piece}, {40 * piece + 1, 10}, {10, 3 * piece}, {5 * piece, 2 * piece}, {0, 9}, {4081, 0}}};
    CHECK_NOTHROW(run_two([&](auto& t, auto& c, const auto& slab) {
        for (const place where : all_places)
            for (const auto& [sent, awaited] : cases) {
                const placed_bytes wrong(slab, where, t.rank() == 0 ? sent : awaited), right(slab, where, 2 * piece);
                fill(wrong, t.rank());
                fill(right, 5 + t.rank());
                if (t.rank() == 0) {
                    c.send({1, 0}, 1, wrong.data(), sent, 7);
                    c.send({1, 0}, 1, right.data(), right.size());
                    c.finish("all is taken");
                    continue;
                }
                const auto& refused = c.receive({1, 0}, 0, wrong.data(), awaited, sent == awaited ? 8 : 7);
                c.receive({1, 0}, 0, right.data(), right.size());
                c.finish("both receives end");
                expect(refused.status == transport::transfer_status::mismatched, "the first is refused");
                expect(refused.moved == sent, "and tells how long the message was");
                expect(holds(wrong, 1), "nothing of it is delivered");
                expect(holds(right, 5), "the second is delivered");
            }
    }));
}

TEST_CASE("over staged TCP, closing takes device memory back") {
    constexpr std::uint32_t times = 12;
    std::array<milestone, times> offered, taken_back;
    CHECK_NOTHROW(run_two([&](auto& t, auto&, const auto& slab) {
        for (std::uint32_t i = 0; i < times; ++i) {
            courier c{t};
            const placed_bytes data(slab, all_places[i % 3], 5 * piece);
            if (t.rank() == 0) {
                fill(data, 9);
                c.send({1, i}, 1, data.data(), data.size());
                offered[i].reach();
                c.linger(std::chrono::microseconds{i * 100});
                t.close({1, i});
                fill(data, 0xff);
                taken_back[i].reach();
                continue;
            }
            fill(data, 0);
            c.meet(offered[i], 1, "a message is offered");
            const auto& x = c.receive({1, i}, 0, data.data(), data.size());
            c.meet(taken_back[i], 1, "its memory is taken back");
            c.linger(std::chrono::milliseconds{1});
            expect(is_pending(x) || holds(data, 9), "what has arrived is whole");
            t.close({1, i});
            fill(data, 1); // no copy writes there any more
            c.linger(std::chrono::microseconds{300});
            expect(holds(data, 1), "a closed context touches no memory");
        }
    }));
}

TEST_CASE("what a rank had sent before it left is staged to the device of a receive that comes later") {
    constexpr std::array<std::size_t, 3> sizes{100, 5000, 150'000}; // together within TCP's window
    const reserved_port at;
    milestone gone;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        auto t = std::make_unique<fake_staged>(identity(rank, 2, at));
        courier c{*t};
        const auto slab = [&](std::size_t size) { return t->allocate(size); };
        t->open({1, 0}, 1 - rank);
        std::vector<placed_bytes> all;
        for (const std::size_t size : sizes) fill(all.emplace_back(slab, place::device, size), rank);
        if (rank == 1) {
            for (const auto& data : all) c.send({1, 0}, 0, data.data(), data.size());
            c.finish("the messages go ahead of their receives");
            t.reset();
            return gone.reach();
        }
        c.meet(gone, 1, "the sender leaves");
        c.until([&] { return t->broken(1).has_value(); }, "its end shows");
        for (const auto& data : all) c.receive({1, 0}, 1, data.data(), data.size());
        c.finish("what had come is delivered");
        for (const auto& data : all) expect(holds(data, 1), "whole");
    }));
}

TEST_CASE("a world of staged TCP may be driven by one thread after the other") {
    CHECK_NOTHROW(run_two([&](auto& t, auto&, const auto& slab) {
        for (const place where : {place::slab, place::device}) {
            const placed_bytes data(slab, where, 3 << 20);
            std::thread([&] {
                courier c{t};
                t.rank() == 0 ? c.send({1, 0}, 1, data.data(), data.size())
                              : c.receive({1, 0}, 0, data.data(), data.size());
                c.finish("the message arrives");
            }).join();
        }
    }));
}
