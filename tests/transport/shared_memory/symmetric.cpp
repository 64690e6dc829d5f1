// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/shared_memory.hpp>

#include <collectives/collectives.hpp>
#include <transport/fabrics/shared_memory/rooms.hpp>

#include "../contract/courier.hpp"
#include "support/catch.hpp"
#include "support/identity.hpp"
#include "support/milestone.hpp"
#include "support/run_ranks.hpp"

using namespace tutti;
using namespace tutti::test;
using transport::shared_memory;

namespace {

void run_shared(int ranks, const std::function<void(shared_memory&)>& body) {
    const reserved_port at;
    run_ranks(ranks, [&](int rank) {
        shared_memory t{identity(rank, ranks, at)};
        body(t);
    });
}

/// Where the receiver's reducer found what came in.
struct seen_at {
    const std::byte* incoming = nullptr;
};

static_assert(transport::allocating_transport<shared_memory>);

void look(std::byte* to, const std::byte* left, const std::byte* right, std::size_t count, const void* state) {
    auto& seen = **static_cast<seen_at* const*>(state);
    if (!seen.incoming) seen.incoming = left;
    for (std::size_t i = 0; i < count; ++i) to[i] = left[i] ^ right[i];
}

} // namespace

TEST_CASE("a message in symmetric memory is reduced where it lies, without a copy") {
    CHECK_NOTHROW(run_shared(2, [](shared_memory& t) {
        constexpr std::size_t size = 300'000;
        courier c{t};
        const auto mine = t.allocate(size);
        if (t.rank() == 0) {
            std::fill_n(mine.get(), size, std::byte{5});
            const auto& sent = c.send({1, 0}, 1, mine.get(), size);
            c.finish(sent, "the message is taken");
            std::byte answer{};
            c.receive({1, 0}, 1, &answer, 1);
            c.finish("the receiver has looked");
            // The receiver's view is another mapping of the same pages: what it writes there shows here.
            expect(mine.get()[0] == std::byte{77}, "the incoming operand is the sender's own memory");
            return;
        }
        seen_at seen;
        seen_at* const state = &seen;
        const reducer op{look, &state, 1};
        bytes local(size, std::byte{1}), to(size);
        c.reduce({1, 0}, 0, to, local, op, true);
        c.finish("the message is reduced");
        expect(to == bytes(size, std::byte{4}), "it is reduced rightly");
        *const_cast<std::byte*>(seen.incoming) = std::byte{77};
        const std::byte answer{};
        c.send({1, 0}, 0, &answer, 1);
        c.finish("the sender hears that");
    }));
}

TEST_CASE("what lies in symmetric memory or in one slot is viewed there, the rest is stored") {
    CHECK_NOTHROW(run_shared(2, [](shared_memory& t) {
        constexpr std::size_t most = 300'000, part = transport::detail::shm::room::most_bytes;
        courier c{t};
        const auto mine = t.allocate(most);
        const bytes plain(most, std::byte{5});
        std::fill_n(mine.get(), most, std::byte{5});
        for (const bool symmetric : {true, false})
            for (const std::size_t size : {std::size_t{1}, std::size_t{217}, part, part + 1, most}) {
                c.send({1, 0}, 1 - t.rank(), symmetric ? mine.get() : plain.data(), size);
                bytes stored(size);
                const auto& x = c.view({1, 0}, 1 - t.rank(), stored);
                c.finish(x, "the message is there");
                expect(x.viewed == (symmetric || size <= part), "it is viewed where that can be");
                expect(stored == (x.viewed ? bytes(size) : bytes(size, std::byte{5})), "and stored where not");
                if (!x.viewed) continue;
                auto& h = t.open({1, 0}, 1 - t.rank());
                const std::byte* const there = t.look(h, x);
                expect(std::equal(there, there + size, plain.begin()), "it is intact");
                expect(t.release(h, x), "and valid");
            }
        c.finish("all sends are taken");
    }));
}

TEST_CASE("symmetric memory that is taken back while it waits to be read is not read any more") {
    milestone shown, taken_back;
    CHECK_NOTHROW(run_shared(2, [&](shared_memory& t) {
        courier c{t};
        auto mine = t.allocate(100'000);
        if (t.rank() == 0) {
            c.send({1, 0}, 1, mine.get(), 100'000);
            c.meet(shown, 1, "the receiver could read it");
            t.close({1, 0});
            mine.reset();
            return taken_back.reach();
        }
        bytes stored(100'000);
        const auto& x = c.view({1, 0}, 0, stored);
        c.finish(x, "the message is there");
        expect(x.viewed, "to be viewed");
        shown.reach();
        c.meet(taken_back, 1, "its sender takes it back");
        auto& h = t.open({1, 0}, 0);
        expect(!t.look(h, x), "there is nothing to see");
        expect(!t.release(h, x), "and nothing is valid");
    }));
}

TEST_CASE("symmetric memory comes zeroed, in any number, goes when it likes, and may outlive its transport") {
    std::shared_ptr<std::byte> survivor;
    CHECK_NOTHROW(run_shared(2, [&](shared_memory& t) {
        courier c{t};
        const int peer = 1 - t.rank();
        for (int round = 0; round < 600; ++round) { // more than a table holds
            const std::size_t size = 10'000 + static_cast<std::size_t>(round);
            const auto from = t.allocate(size), to = t.allocate(size);
            expect(std::all_of(from.get(), from.get() + size, [](std::byte b) { return b == std::byte{0}; }),
                   "it comes zeroed");
            std::fill_n(from.get(), size, static_cast<std::byte>(round));
            c.send({1, 0}, peer, from.get(), size);
            c.receive({1, 0}, peer, to.get(), size);
            c.finish("a message crosses");
            expect(to.get()[size - 1] == static_cast<std::byte>(round), "it is intact");
        }
        std::vector<std::shared_ptr<std::byte>> many;
        for (int i = 0; i < 300; ++i) many.push_back(t.allocate(20'000));
        std::fill_n(many.back().get(), 20'000, std::byte{9});
        bytes in(20'000);
        c.send({1, 0}, peer, many.back().get(), in.size());
        c.receive({1, 0}, peer, in);
        c.finish("beyond the table's places it is memory as any other");
        expect(in == bytes(in.size(), std::byte{9}), "and what it held is intact");
        if (t.rank() == 0) survivor = t.allocate(100);
    }));
    REQUIRE(survivor);
    survivor.get()[99] = std::byte{1};
    survivor.reset();
}

TEST_CASE("a message may lie partly outside of symmetric memory") {
    CHECK_NOTHROW(run_shared(2, [](shared_memory& t) {
        courier c{t};
        const auto mine = t.allocate(65'536);
        std::fill_n(mine.get(), 65'536, std::byte{3});
        bytes in(65'536 - 7);
        c.send({1, 0}, 1 - t.rank(), mine.get() + 7, in.size());
        c.receive({1, 0}, 1 - t.rank(), in);
        c.finish("any part of it can be sent");
        expect(in == bytes(in.size(), std::byte{3}), "any part of it arrives");
    }));
}

TEST_CASE("buffers from a communicator work in any mixture of symmetric and plain") {
    const reserved_port at;
    CHECK_NOTHROW(run_ranks(3, [&](int rank) {
        const communicator world{shared_memory{identity(rank, 3, at)}};
        for (const std::size_t n : {std::size_t{0}, std::size_t{5}, std::size_t{3000}, std::size_t{100'003}})
            for (int symmetric = 0; symmetric < 8; ++symmetric) {
                const bool mine = (symmetric >> rank & 1) != 0;
                auto a = world.allocate<float>(n);
                std::vector<float> b(n);
                const std::span<float> data = mine ? std::span<float>(a) : std::span<float>(b);
                for (std::size_t i = 0; i < n; ++i) data[i] = static_cast<float>(i % 1000);
                world.allreduce(data, sum);
                for (std::size_t i = 0; i < n; ++i)
                    expect(data[i] == 3 * static_cast<float>(i % 1000), "the sum is right, whoever's memory it was");
                for (float& x : data) x = static_cast<float>(rank);
                world.allreduce(data, sum, algorithm::direct{}); // results lie there already, or are brought
                for (const float x : data) expect(x == 3, "so it is however the result comes");
            }
    }));
}

TEST_CASE("symmetric memory on some ranks only is a mismatch that names both calls, and says what to do") {
    for (const bool by_span : {false, true}) {
        const reserved_port at;
        CHECK_NOTHROW(run_ranks(3, [&](int rank) {
            const communicator world{shared_memory{identity(rank, 3, at)}};
            auto x = world.allocate<float>(100'000);
            std::vector<float> y(100'000, 1);
            const std::span<float> other = by_span ? std::span(x.begin(), x.end()) : std::span(y);
            std::string message;
            try {
                rank == 0 ? world.allreduce(x, sum) : world.allreduce(other, sum);
            } catch (const error& e) {
                expect(e.why() == cause::mismatch, "the algorithms differ");
                message = e.what();
            }
            for (const char* part : {"allreduce(direct) of 100000 float32, sum, symmetric memory",
                                     "allreduce(ring) of 100000 float32, sum", "a span of it counts as plain memory"})
                expect(message.find(part) != std::string::npos, "\"" + std::string(part) + "\" in: " + message);
        }));
    }
}

TEST_CASE("of an answer the piece that is being written when its message is taken back does not show any more") {
    constexpr std::size_t piece = transport::detail::shm::slot::answered_bytes, at = 5 * piece, size = 100'000;
    milestone written, taken_back, rewritten;
    CHECK_NOTHROW(run_shared(2, [&](shared_memory& t) {
        courier c{t};
        if (t.rank() == 0) {
            const auto mine = t.allocate(size);
            std::fill_n(mine.get(), size, std::byte{5});
            c.send({1, 0}, 1, mine.get(), size, decltype(c)::usual_signature, 1);
            c.meet(written, 1, "a part is written");
            expect(std::count(mine.get(), mine.get() + size, std::byte{6}) == at + piece, "which shows");
            t.close({1, 0});
            expect(std::count(mine.get(), mine.get() + size, std::byte{6}) == at + piece, "and stays");
            std::fill_n(mine.get(), size, std::byte{7});
            taken_back.reach();
            c.meet(rewritten, 1, "the writer goes on");
            expect(std::count(mine.get(), mine.get() + size, std::byte{7}) == size, "what it writes does not show");
            courier later{t};
            // What lies around that piece is still read where it lies; the piece is sent as any other memory.
            for (const std::size_t from : {std::size_t{0}, at + 2 * piece})
                later.send({2, 0}, 1, mine.get() + from, 20'000);
            later.send({2, 0}, 1, mine.get(), size);
            return later.finish("all is sent");
        }
        bytes in(size);
        const auto& x = c.view({1, 0}, 0, in);
        c.finish(x, "the message is there");
        expect(x.answer == 1, "its sender awaits an answer");
        auto& h = t.open({1, 0}, 0);
        auto* const there = const_cast<std::byte*>(t.look(h, x));
        expect(there, "it can be seen");
        const bytes answer(size, std::byte{6});
        expect(t.answer(h, 0, answer.data(), at + piece), "a part is written");
        written.reach();
        c.meet(taken_back, 1, "the message is taken back");
        std::fill_n(there + at, piece, std::byte{8}); // as if it had been stopped there
        expect(!t.answer(h, at + piece, answer.data(), piece), "no more may be written");
        expect(!t.release(h, x), "and nothing is valid");
        rewritten.reach();
        for (const bool is_there : {true, true, false}) {
            bytes stored(is_there ? 20'000 : size);
            const auto& y = c.view({2, 0}, 0, stored);
            c.finish(y, "a message comes");
            expect(y.viewed == is_there, "from where it lies, where that can be");
            if (y.viewed) {
                const std::byte* const seen = t.look(t.open({2, 0}, 0), y);
                stored.assign(seen, seen + stored.size());
                expect(t.release(t.open({2, 0}, 0), y), "and is valid");
            }
            expect(stored == bytes(stored.size(), std::byte{7}), "with what the owner wrote");
        }
    }));
}
