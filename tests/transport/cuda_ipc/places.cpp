// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "exchange.hpp"

#include <transport/fabrics/cuda_ipc/fabric.hpp>

#include "support/catch.hpp"
#include "support/effort.hpp"
#include "support/identity.hpp"
#include "support/run_ranks.hpp"
#include "support/world.hpp"

#include <thread>

using namespace tutti;
using namespace tutti::test;

TEST_CASE("messages go from any place to any place, between threads") {
    const unsigned seed = threads_watched ? 1u : GENERATE(1u, 2u, 3u, 4u);
    const int ranks = 2 + static_cast<int>(seed % 2);
    const reserved_port at;
    const auto all = any_messages(ranks, 150, seed);
    CHECK_NOTHROW(run_ranks(ranks, [&](int rank) {
        fake_ipc t{identity(rank, ranks, at)};
        exchange(t, all, seed);
    }));
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("a message in the slab is copied once, by its receiver; one that lies elsewhere twice, unless registered") {
    const reserved_port at;
    milestone counted;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        const placed_bytes own({}, place::device, 3 << 20); // two parts of the slab
        fake_ipc t{identity(rank, 2, at)};
        const auto memory = t.allocate(own.size());
        int reached = 0;
        const auto copies_of = [&](std::byte* from) {
            const long before = fake_cuda::copies();
            courier c{t};
            counted.reach();
            c.meet(counted, reached += 2, "both have counted");
            rank == 0 ? c.send({1, 0}, 1, from, own.size()) : c.receive({1, 0}, 0, memory.get(), own.size());
            c.finish("the message arrives");
            counted.reach();
            c.meet(counted, reached += 2, "the message has arrived");
            return fake_cuda::copies() - before;
        };
        expect(copies_of(memory.get()) == 1, "in the slab");
        expect(copies_of(own.data()) == 4, "elsewhere");
        t.register_memory(own.data() + 5, 1000);
        t.register_memory(own.data(), own.size());
        expect(copies_of(own.data()) == 1, "registered");
    }));
    CHECK(fake_cuda::allocations() == 0);
}

TEST_CASE("only memory of a GPU can be registered, within one allocation") {
    const reserved_port at;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        const placed_bytes own({}, place::device, 1000);
        const fake_ipc t{identity(rank, 2, at)};
        std::array<std::byte, 10> of_host{};
        const auto refused = [&](std::byte* p, std::size_t bytes, const std::string& why) {
            expect(fault_of([&] { t.register_memory(p, bytes); }).detail.find(why) != std::string::npos, why);
        };
        refused(of_host.data(), of_host.size(), "the memory is not a GPU's");
        refused(own.data() + 1, own.size(), "reaches beyond the allocation");
        t.register_memory(nullptr, 0);
    }));
}

TEST_CASE("mismatches in device memory are caught, and what follows arrives") {
    const reserved_port at;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        fake_ipc t{identity(rank, 2, at)};
        const auto slab = [&](std::size_t size) { return t.allocate(size); };
        for (const place where : all_places) {
            courier c{t};
            const std::size_t size = 5 << 20; // several parts, where it is copied to the slab
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
    }));
}

TEST_CASE("closing takes device memory back") {
    constexpr std::uint32_t times = 12;
    const reserved_port at;
    std::array<milestone, times> offered, taken_back;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        fake_ipc t{identity(rank, 2, at)};
        const auto slab = [&](std::size_t size) { return t.allocate(size); };
        const std::size_t size = 6 << 20;
        for (std::uint32_t i = 0; i < times; ++i) {
            courier c{t};
            const placed_bytes data(slab, all_places[i % 3], size);
            if (rank == 0) {
                std::fill_n(data.there(), size, std::byte{9});
                c.send({1, i}, 1, data.data(), size);
                offered[i].reach();
                c.linger(std::chrono::microseconds{i * 100});
                t.close({1, i});
                std::fill_n(data.there(), size, std::byte{0xff});
                taken_back[i].reach();
                continue;
            }
            std::fill_n(data.there(), size, std::byte{0});
            c.meet(offered[i], 1, "a message is offered");
            const auto& x = c.receive({1, i}, 0, data.data(), size);
            c.meet(taken_back[i], 1, "its memory is taken back");
            c.linger(std::chrono::milliseconds{1});
            const auto* const end = data.there() + size;
            expect(is_pending(x) || std::find_if(data.there(), const_cast<std::byte*>(end),
                                                 [](std::byte b) { return b != std::byte{9}; }) == end,
                   "what has arrived is whole");
            t.close({1, i});
        }
    }));
}

TEST_CASE("any number of messages in the slab that nobody receives hold up no other channel") {
    const reserved_port at;
    milestone checked;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        fake_ipc t{identity(rank, 2, at)};
        const auto slab = [&](std::size_t size) { return t.allocate(size); };
        const placed_bytes data(slab, place::slab, 1);
        courier c{t};
        static_cast<void>(t.open({1, 0}, 1 - rank));
        if (rank == 0)
            for (int i = 0; i < effort(40'000); ++i) c.send({1, 0}, 1, data.data(), 1);
        const auto& x = rank == 0 ? c.send({2, 0}, 1, data.data(), 1) : c.receive({2, 0}, 0, data.data(), 1);
        c.finish(x, "another channel is free");
        checked.reach();
        c.meet(checked, 2, "both have looked");
        t.close({1, 0});
    }));
}

TEST_CASE("many messages of one channel come in order, though few are lent at a time") {
    const reserved_port at;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        fake_ipc t{identity(rank, 2, at)};
        const auto slab = [&](std::size_t size) { return t.allocate(size); };
        constexpr std::size_t count = 500;
        const placed_bytes data(slab, place::slab, count);
        for (std::size_t i = 0; i < count; ++i) data.there()[i] = static_cast<std::byte>(rank == 0 ? i : 0);
        courier c{t};
        for (std::size_t i = 0; i < count; ++i)
            rank == 0 ? c.send({1, 0}, 1, data.data() + i, 1) : c.receive({1, 0}, 0, data.data() + i, 1);
        c.finish("all come");
        for (std::size_t i = 0; i < count; ++i) expect(data.there()[i] == static_cast<std::byte>(i), "in order");
    }));
}

TEST_CASE("a world of device memory may be driven by one thread after the other") {
    const reserved_port at;
    CHECK_NOTHROW(run_ranks(2, [&](int rank) {
        fake_ipc t{identity(rank, 2, at)};
        const auto slab = [&](std::size_t size) { return t.allocate(size); };
        for (const place where : {place::slab, place::device, place::device}) {
            const placed_bytes data(slab, where, 3 << 20);
            std::thread([&] {
                courier c{t};
                rank == 0 ? c.send({1, 0}, 1, data.data(), data.size())
                          : c.receive({1, 0}, 0, data.data(), data.size());
                c.finish("the message arrives");
            }).join();
        }
        fake_cuda(-1).use();
    }));
}

TEST_CASE("what is registered is found; what lies where it was takes its place, and small allocations are left out") {
    using slab_type = transport::detail::cuda::slab<fake_cuda>;
    const fake_cuda runtime(-1), other(1);
    runtime.use();
    const auto memory = std::make_shared<slab_type>(runtime);
    constexpr std::size_t size = slab_type::unit;
    std::byte* const own = runtime.allocate(size);
    memory->add(own + 7, 1);
    const auto region = memory->find(own + 5, 10)->region;
    CHECK(memory->find(own + 5, 10)->start == own);
    CHECK(memory->find(own + 5, 10)->offset == 5);
    memory->add(own, size);
    CHECK(memory->find(own, size)->region == region);
    runtime.free(own);
    std::byte* const next = runtime.allocate(2 * size);
    memory->add(next, 1);
    CHECK(memory->find(next, 2 * size)->region != region);
    const auto more = memory->allocate(size); // lies elsewhere
    CHECK(memory->find(next, 1));
    std::byte* const small = runtime.allocate(size - 1);
    memory->add(small, 1);
    CHECK(!memory->find(small, 1));
    memory->add(more.get(), 1);
    CHECK(memory->find(more.get(), 1)->region != memory->find(next, 1)->region);
    other.use();
    std::byte* const far = other.allocate(size);
    CHECK_THROWS_WITH(memory->add(far, 1), Catch::Contains("another device"));
    other.free(far);
    runtime.free(small);
    runtime.free(next);
}

TEST_CASE("regions are used again, shared by nobody who uses them, and found by any address in them") {
    using slab_type = transport::detail::cuda::slab<fake_cuda>;
    const auto memory = std::make_shared<slab_type>(fake_cuda(-1));
    auto first = memory->allocate(100);
    const auto second = memory->allocate(slab_type::unit + 1);
    CHECK(memory->find(first.get(), 0)->region != memory->find(second.get(), 0)->region);
    CHECK(memory->find(second.get() + slab_type::unit, slab_type::unit)->offset == slab_type::unit);
    CHECK(!memory->find(second.get() + slab_type::unit, slab_type::unit + 1));
    auto* const was = first.get();
    CHECK(*fake_cuda::reach(was + 99, 1) == std::byte{0});
    *fake_cuda::reach(was + 99, 1) = std::byte{1};
    first.reset();
    const auto third = memory->allocate(slab_type::unit);
    CHECK(third.get() == was);
    CHECK(*fake_cuda::reach(was + 99, 1) == std::byte{0});
    CHECK(fake_cuda::allocations() == 2);
}
