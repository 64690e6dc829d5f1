// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

// Channels that only one side has opened. One end alone, told by hand what the peer says; and two ends on wires.

#include <transport/flow/multiplexer.hpp>

#include "end.hpp"
#include "image.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <random>

using namespace tutti::transport;
using namespace tutti::transport::detail::tcp;

namespace {

using tutti::test::end;
using generator = std::mt19937;

constexpr int places = 3;

tcp_limits few_places(std::size_t count = places) {
    tcp_limits limits;
    limits.window_bytes = 20'000;
    limits.fragment_bytes = 5000;
    limits.stripe_bytes = 8000;
    limits.contexts_ahead = count;
    return limits;
}

/// One end whose peer is the test.
struct one_end : end {
    explicit one_end(std::size_t count = places) : end(few_places(count)) {}

    std::deque<transfer> sent;
    void send_empty(context k) { send(k, sent.emplace_back()); }

    /// All that goes out now, as "data first 3, announce 4": kinds, standings and slots.
    std::string goes_out() {
        static constexpr std::array names{"?", "data", "credit", "announce", "recall", "places"};
        std::string all;
        while (const auto f = board.next(true)) {
            const frame& h = f->head;
            const auto of = h.kind == frame_kind::places ? h.length : h.where.slot;
            all += (all.empty() ? "" : ", ") + std::string(names[static_cast<std::size_t>(h.kind)]) +
                   (h.stands == standing::open    ? " "
                    : h.stands == standing::first ? " first "
                                                  : " ahead ") +
                   std::to_string(of);
        }
        return all;
    }
    void comes(frame_kind kind, std::uint32_t slot, std::uint64_t length = 0) {
        CHECK(board.take({.kind = kind, .where = {kind == frame_kind::places ? 0u : 1u, slot}, .length = length}));
    }
    void data_comes(std::uint32_t slot, standing stands) {
        const frame f{.where = {1, slot}, .stands = stands};
        bool sane = true;
        channel* const c = board.route(f, sane);
        REQUIRE(sane);
        if (!c) return;
        REQUIRE(c->in.begin(f) == inbox::turn::now);
        board.schedule_receive(*c);
    }
};

/// A message between two ends, on a channel of its own.
struct parcel {
    context where;
    bool to_b;
    std::vector<std::byte> data, arrived;
    transfer out, in;
};

/// Moves bytes between two ends until all is quiet.
void settle(end& a, end& b, generator& random, std::size_t most) {
    for (int quiet = 0; quiet < 40;) { // each lane has had its turns then
        const auto lane = static_cast<std::size_t>(random() % end::lanes);
        const auto before = a.board.waiting().transfers + b.board.waiting().transfers;
        a.write(b, lane, most);
        b.read(lane, most);
        b.write(a, lane, most);
        a.read(lane, most);
        const auto wires = [](const end& e) {
            return std::any_of(e.wires.begin(), e.wires.end(), [](const auto& w) { return !w.empty(); });
        };
        const bool still = before == a.board.waiting().transfers + b.board.waiting().transfers && !wires(a) &&
                           !wires(b) && a.board.idle() && b.board.idle();
        quiet = still ? quiet + 1 : 0;
    }
}

} // namespace

TEST_CASE("a rank sends on as many channels as there are places, and announces the others") {
    one_end e;
    for (std::uint32_t slot = 0; slot < 5; ++slot) e.send_empty({1, slot});
    CHECK(e.goes_out() == "announce 3, announce 4, data first 0, data first 1, data first 2");
    SECTION("a credit answers an announcement") {
        e.comes(frame_kind::credit, 4, 20'000);
        CHECK(e.goes_out() == "data 4");
        e.comes(frame_kind::credit, 4, 20'000);
        CHECK(e.goes_out() == "");
    }
    SECTION("so does a message") {
        e.data_comes(3, standing::open);
        CHECK(e.goes_out() == "data 3");
    }
    SECTION("places that come back are for further channels") {
        e.comes(frame_kind::places, 0, places + 1);
        e.send_empty({1, 5});
        e.send_empty({1, 6});
        CHECK(e.goes_out() == "announce 6, data first 5");
    }
    SECTION("an announced channel that is closed is recalled") {
        e.close({1, 3});
        CHECK(e.goes_out() == "recall 3");
        e.comes(frame_kind::credit, 4, 20'000);
        static_cast<void>(e.goes_out());
        e.close({1, 4});
        CHECK(e.goes_out() == "");
    }
    SECTION("after the end nothing is told") {
        e.board.end();
        e.close({1, 3});
        e.send_empty({1, 7});
        CHECK(e.board.idle());
    }
}

TEST_CASE("a channel that is closed before it was announced is not, and opened again it is, after its recall") {
    one_end e{1};
    for (std::uint32_t slot = 0; slot < 3; ++slot) e.send_empty({1, slot});
    e.close({1, 1});
    CHECK(e.goes_out() == "announce 2, data first 0");
    e.close({1, 2});
    e.send_empty({1, 2});
    CHECK(e.goes_out() == "recall 2, announce 2");
}

TEST_CASE("a channel on which something came needs no place") {
    one_end e;
    for (std::uint32_t slot = 0; slot < 3; ++slot) e.send_empty({1, slot});
    e.opens({1, 7});
    e.data_comes(7, standing::open);
    e.send_empty({1, 7});
    CHECK(e.goes_out() == "data first 0, data first 1, data first 2, data 7");
}

TEST_CASE("a place of which nothing went out comes back when its channel is closed, or heard of") {
    one_end e;
    for (std::uint32_t slot = 0; slot < 3; ++slot) e.send_empty({1, slot});
    e.close({1, 0});
    e.data_comes(1, standing::open);
    for (std::uint32_t slot = 3; slot < 6; ++slot) e.send_empty({1, slot});
    CHECK(e.goes_out() == "announce 5, data 1, data first 2, data first 3, data first 4");
}

TEST_CASE("a peer's places are free again when its channels are opened, closed, or are so already") {
    one_end e{4};
    for (std::uint32_t slot = 0; slot < 4; ++slot) e.data_comes(slot, standing::first);
    e.opens({1, 2});
    CHECK(e.board.idle());
    e.opens({1, 2});
    CHECK(e.board.idle());
    e.close({1, 3});
    CHECK(e.goes_out() == "places 6");
    e.opens({1, 9});
    e.data_comes(9, standing::first);
    e.data_comes(3, standing::first); // was closed
    CHECK(e.board.find({1, 3}) == nullptr);
    CHECK(e.goes_out() == "places 8");
}

TEST_CASE("an announcement is answered when its channel is opened, or at once if it is open") {
    one_end e;
    e.comes(frame_kind::announce, 0);
    e.comes(frame_kind::announce, 1);
    e.comes(frame_kind::announce, 2);
    CHECK(e.board.idle());
    e.opens({1, 1});
    CHECK(e.goes_out() == "credit 1");
    e.opens({1, 5});
    CHECK(e.board.idle());
    e.comes(frame_kind::announce, 5);
    CHECK(e.goes_out() == "credit 5");
    e.comes(frame_kind::recall, 0);
    e.opens({1, 0});
    CHECK(e.board.idle());
    e.close({1, 2});
    e.closed.reopen({1, 2});
    e.opens({1, 2});
    CHECK(e.board.idle());
}

TEST_CASE("a credit takes a place, too, or waits until something has come") {
    one_end e{1};
    std::array<std::vector<std::byte>, 2> memory;
    std::array<transfer, 2> x;
    for (std::uint32_t slot = 0; slot < 2; ++slot) {
        memory[slot].resize(100'000);
        x[slot].to = memory[slot].data();
        x[slot].bytes = memory[slot].size();
        e.receive({1, slot}, x[slot]);
    }
    CHECK(e.goes_out() == "credit first 0");
    e.send_empty({1, 0});
    e.send_empty({1, 1});
    CHECK(e.goes_out() == "announce 1, data ahead 0");
    e.comes(frame_kind::credit, 1, 20'000);
    CHECK(e.goes_out() == "credit 1, data 1");
    e.comes(frame_kind::credit, 0, 20'000);
    e.send_empty({1, 0});
    CHECK(e.goes_out() == "data 0");
}

TEST_CASE("what takes a place may come by another lane than what it was taken for") {
    one_end e{4};
    e.data_comes(1, standing::ahead);
    e.close({1, 1});
    e.data_comes(0, standing::ahead);
    e.opens({1, 0});
    CHECK(e.board.idle());
    const frame credit{.kind = frame_kind::credit, .where = {1, 0}, .length = 20'000, .stands = standing::first};
    CHECK(e.board.take(credit));
    CHECK(e.board.idle());
    e.comes(frame_kind::credit, 1);
    CHECK(e.board.idle());
    CHECK(e.board.take({.kind = frame_kind::credit, .where = {1, 1}, .length = 20'000, .stands = standing::first}));
    CHECK(e.goes_out() == "places 6");
}

TEST_CASE("a frame of a context that was closed too long ago to be remembered is thrown away") {
    one_end e;
    e.data_comes(0, standing::open);
    CHECK(e.board.find({1, 0}) == nullptr);
    e.limits.lanes = 1;
    e.data_comes(1, standing::ahead);
    CHECK(e.board.find({1, 1}) == nullptr);
    e.in[0].take(
        tutti::test::image_of({.bytes = 9, .where = {1, 2}, .sequence = 7, .length = 9, .stands = standing::ahead}));
    CHECK_FALSE(e.in[0].paused());
}

TEST_CASE("channels without places are as few as there are places") {
    one_end e{2};
    e.data_comes(0, standing::ahead);
    e.data_comes(1, standing::ahead);
    e.close({1, 1});
    e.data_comes(2, standing::ahead);
    bool sane = true;
    static_cast<void>(e.board.route({.where = {1, 3}, .stands = standing::ahead}, sane));
    CHECK_FALSE(sane);
}

TEST_CASE("two ranks may open their channels in any orders, ahead of each other as they like") {
    generator random{11};
    for (int round = 0; round < 60; ++round) {
        CAPTURE(round);
        end a{few_places(1 + random() % 6)}, b{a.limits};
        std::deque<parcel> all;
        for (std::uint32_t i = 0; i < 80; ++i) {
            auto& p = all.emplace_back();
            p.where = {1, i};
            p.to_b = random() % 4 != 0;
            p.data.resize(random() % 5 == 0 ? random() % 60'000 : random() % 50);
            for (auto& byte : p.data) byte = static_cast<std::byte>(random());
            p.arrived.resize(p.data.size());
            p.out.from = p.data.data();
            p.in.to = p.arrived.data();
            p.out.bytes = p.in.bytes = p.data.size();
        }
        std::array<std::vector<std::size_t>, 2> order;
        for (auto& mine : order) {
            mine.resize(all.size());
            std::iota(mine.begin(), mine.end(), 0);
            if (random() % 2 == 0) std::shuffle(mine.begin(), mine.end(), random);
        }
        std::array<std::size_t, 2> next{};
        const std::size_t haste = 1 + random() % 30; // how far one is ahead
        for (int step = 0; step < 100'000 && next[0] + next[1] < 2 * all.size(); ++step) {
            const std::size_t who = random() % (haste + 1) == 0;
            if (next[who] < all.size() && random() % 4 == 0) {
                parcel& p = all[order[who][next[who]++]];
                end& self = who == 0 ? a : b;
                p.to_b == (who == 0) ? self.send(p.where, p.out) : self.receive(p.where, p.in);
            }
            const auto lane = static_cast<std::size_t>(random() % end::lanes);
            a.write(b, lane, random() % 20'000);
            b.read(lane, random() % 20'000);
            b.write(a, lane, random() % 20'000);
            a.read(lane, random() % 20'000);
        }
        settle(a, b, random, 100'000);
        REQUIRE((a.makes_sense() && b.makes_sense()));
        for (const parcel& p : all) {
            REQUIRE(p.out.status == transfer_status::done);
            REQUIRE(p.in.status == transfer_status::done);
            REQUIRE(p.data == p.arrived);
        }
    }
}

TEST_CASE("however channels end, no place is lost for good") {
    generator random{12};
    for (int round = 0; round < 60; ++round) {
        CAPTURE(round);
        const std::size_t count = 2 + 2 * (random() % 4);
        end a{few_places(count)}, b{a.limits};
        std::deque<parcel> all;
        std::array<std::vector<context>, 2> open;
        for (std::uint32_t step = 0; step < 400; ++step) {
            const std::size_t who = random() % 3 == 0;
            end& self = who == 0 ? a : b;
            if (random() % 3 == 0) {
                auto& p = all.emplace_back();
                p.where = {1, static_cast<std::uint32_t>(random() % (step + 10))};
                if (self.closed.contain(p.where)) continue;
                p.data.resize(random() % 8 == 0 ? 30'000 : 30);
                p.out.from = p.data.data();
                p.out.bytes = p.data.size();
                self.send(p.where, p.out);
                open[who].push_back(p.where);
            } else if (!open[who].empty() && random() % 3 == 0) {
                const std::size_t which = random() % open[who].size();
                self.close(open[who][which]);
                std::erase(open[who], context{open[who][which]});
            }
            const auto lane = static_cast<std::size_t>(random() % end::lanes);
            a.write(b, lane, random() % 3000);
            b.read(lane, random() % 3000);
            b.write(a, lane, random() % 3000);
            a.read(lane, random() % 3000);
        }
        for (std::uint32_t slot = 0; slot < 500; ++slot) a.close({1, slot}), b.close({1, slot});
        settle(a, b, random, 100'000);
        REQUIRE((a.makes_sense() && b.makes_sense()));
        // All places are free: so many channels are begun, and no more. What half of the places leave untold is taken.
        for (auto* const from : {&a, &b}) {
            end& to = from == &a ? b : a;
            const std::uint32_t most = static_cast<std::uint32_t>(count);
            for (std::uint32_t slot = 0; slot < most; ++slot) {
                auto& p = all.emplace_back();
                from->send({2, slot}, p.out);
                settle(a, b, random, 100'000);
                to.opens({2, slot});
                settle(a, b, random, 100'000);
            }
            std::uint32_t announced = 0;
            for (std::uint32_t slot = 0; slot < most; ++slot) {
                auto& p = all.emplace_back();
                from->send({3, slot}, p.out);
                announced += from->board.open({3, slot}).announced;
            }
            CHECK(announced < most / 2 + 1);
            settle(a, b, random, 100'000);
            for (std::uint32_t slot = 0; slot < most; ++slot) to.opens({3, slot});
            settle(a, b, random, 100'000);
        }
        REQUIRE((a.makes_sense() && b.makes_sense()));
    }
}

TEST_CASE("traffic both ways over several lanes loses no place, when frames overtake the one that takes it") {
    generator random{13};
    for (int round = 0; round < 60; ++round) {
        CAPTURE(round);
        const std::size_t count = 1 + random() % 6;
        end a{few_places(count)}, b{a.limits};
        const end* slow = nullptr; // on its first lane, which has what takes places
        const auto move = [&](end& from, end& to) {
            const auto lane = static_cast<std::size_t>(random() % end::lanes);
            from.write(to, lane, random() % 20'000);
            if (lane == 0 && slow == &from && random() % 60 != 0) return;
            to.read(lane, random() % 20'000);
        };
        for (std::uint32_t slot = 0; slot < 40; ++slot) {
            const context k{1, slot};
            slow = random() % 2 == 0 ? &a : &b;
            std::array<parcel, 4> all;
            for (parcel& p : all) {
                p.to_b = random() % 2 == 0;
                p.data.resize(random() % 3 == 0 ? random() % 50'000 : random() % 60);
                p.arrived.resize(p.data.size());
                p.out.from = p.data.data();
                p.in.to = p.arrived.data();
                p.out.bytes = p.in.bytes = p.data.size();
                p.to_b ? a.send(k, p.out) : b.send(k, p.out);
                for (int i = 0; i < 20; ++i) move(a, b), move(b, a);
                p.to_b ? b.receive(k, p.in) : a.receive(k, p.in);
            }
            settle(a, b, random, 100'000);
            for (const parcel& p : all) REQUIRE(p.in.status == transfer_status::done);
            a.close(k), b.close(k);
            a.done.clear(), b.done.clear(); // whose transfers go now
        }
        settle(a, b, random, 100'000);
        REQUIRE((a.makes_sense() && b.makes_sense()));
        // What less than half of the places leaves untold is taken.
        for (end* const from : {&a, &b}) {
            std::deque<transfer> sent;
            std::size_t begun = 0;
            for (std::uint32_t slot = 0; slot < count; ++slot) {
                from->send({2, slot}, sent.emplace_back());
                begun += !from->board.find({2, slot})->announced;
            }
            CHECK(begun + (count + 1) / 2 - 1 >= count);
            for (std::uint32_t slot = 0; slot < count; ++slot) from->close({2, slot});
        }
    }
}
