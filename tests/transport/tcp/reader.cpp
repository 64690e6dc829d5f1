// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/fabrics/tcp/reader.hpp>

#include "end.hpp"
#include "image.hpp"
#include "support/catch.hpp"

#include <deque>
#include <random>

using namespace tutti::transport;
using tutti::test::end;
using tutti::test::image_of;
using namespace tutti::transport::detail::tcp;

namespace {

using bytes = std::vector<std::byte>;
using generator = std::mt19937;

constexpr int lanes = end::lanes;

tcp_limits small_limits() {
    tcp_limits limits;
    limits.window_bytes = 20'000;
    limits.fragment_bytes = 5000;
    limits.stripe_bytes = 8000;
    return limits;
}

bytes random_bytes(generator& random, std::size_t size) {
    bytes data(size);
    for (auto& b : data) b = static_cast<std::byte>(random());
    return data;
}

struct message {
    context where;
    bytes data;
    bytes arrived;
    transfer sent;
    transfer received;
};

} // namespace

TEST_CASE("messages of many contexts cross on several lanes, however reads and writes fall") {
    generator random{5};
    for (int round = 0; round < 20; ++round) {
        const auto limits = small_limits();
        end a{limits};
        end b{limits};
        std::deque<message> mail;
        for (int i = 0; i < 60; ++i) {
            const std::size_t size = random() % 4 == 0 ? random() % 60'000 : random() % 300;
            auto& m = mail.emplace_back();
            m.where = {random() % 2, static_cast<std::uint32_t>(random() % 3)};
            m.data = random_bytes(random, size);
            m.arrived.resize(size);
            m.sent.from = m.data.data();
            m.received.to = m.arrived.data();
            m.sent.bytes = m.received.bytes = size;
            a.send(m.where, m.sent);
        }
        std::size_t posted = 0;
        for (int step = 0; step < 200'000 && mail.back().received.status == transfer_status::pending; ++step) {
            if (posted < mail.size() && random() % 20 == 0) {
                b.receive(mail[posted].where, mail[posted].received);
                ++posted;
            }
            const std::size_t lane = random() % lanes;
            a.write(b, lane, random() % 10'000);
            b.read(lane, random() % 10'000);
            b.write(a, lane, random() % 10'000);
            a.read(lane, random() % 10'000);
        }
        for (int i = 0; i < 2000; ++i)
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                a.write(b, lane, 10'000);
                b.read(lane, 10'000);
                b.write(a, lane, 10'000);
                a.read(lane, 10'000);
            }
        for (auto& m : mail) {
            REQUIRE(m.sent.status == transfer_status::done);
            REQUIRE(m.received.status == transfer_status::done);
            REQUIRE(m.data == m.arrived);
        }
        REQUIRE(a.board.waiting().transfers == 0);
        REQUIRE(b.board.waiting().transfers == 0);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            REQUIRE_FALSE(a.in[lane].senseless());
            REQUIRE_FALSE(b.in[lane].senseless());
        }
    }
}

TEST_CASE("a context closed in the midst of everything leaves the stream whole") {
    generator random{6};
    for (int round = 0; round < 200; ++round) {
        end a{small_limits()};
        end b{small_limits()};
        const context closing{1, 0};
        const context staying{1, 1};
        const auto data = random_bytes(random, 30'000);
        bytes lost(data.size());
        bytes arrived(data.size());
        transfer sends[2];
        transfer receives[2];
        for (int i = 0; i < 2; ++i) {
            sends[i].from = data.data();
            receives[i].to = i == 0 ? lost.data() : arrived.data();
            sends[i].bytes = receives[i].bytes = data.size();
            a.send(i == 0 ? closing : staying, sends[i]);
            b.receive(i == 0 ? closing : staying, receives[i]);
        }
        const auto move = [&](int steps) {
            for (int i = 0; i < steps; ++i) {
                const std::size_t lane = random() % lanes;
                b.write(a, lane, random() % 2000);
                a.read(lane, random() % 2000);
                a.write(b, lane, random() % 2000);
                b.read(lane, random() % 2000);
            }
        };
        move(static_cast<int>(random() % 30));
        const bool sender_first = random() % 2 == 0;
        (sender_first ? a : b).close(closing);
        if (!sender_first) lost.clear();
        lost.shrink_to_fit();
        move(static_cast<int>(random() % 30));
        if (!sender_first) a.close(closing);
        move(2000);
        REQUIRE(receives[1].status == transfer_status::done);
        REQUIRE(arrived == data);
        if (sender_first && receives[0].status == transfer_status::done) REQUIRE(lost == data);
        for (std::size_t lane = 0; lane < lanes; ++lane) REQUIRE_FALSE(b.in[lane].senseless());
    }
}

TEST_CASE("frames for a closed context are thrown away") {
    end e{{}};
    const context k{9, 9};
    e.closed.add(k);
    const bytes data(100);
    frame f{frame_kind::data, 100, k, 17, 1000, 1, 500};
    e.in[0].take(image_of(f));
    e.in[0].take(data);
    f = {frame_kind::credit, 0, k, 0, 12, 0, 0};
    e.in[0].take(image_of(f));
    CHECK_FALSE(e.in[0].senseless());
    CHECK(e.board.find(k) == nullptr);
}

TEST_CASE("a peer cannot make channels without end") {
    end e{{}};
    const auto most = static_cast<std::uint32_t>(e.limits.contexts_ahead);
    for (std::uint32_t slot = 0; slot < 3 * most; ++slot) {
        e.in[0].take(image_of({frame_kind::credit, 0, {1, slot}, 0, 12, 0, 0}));
        e.in[0].take(image_of({frame_kind::data, 0, {2, slot}, 0, 0, 0, 0}));
        REQUIRE(e.board.find({1, slot}) == nullptr);
        REQUIRE(e.board.find({2, slot}) == nullptr);
    }
    CHECK_FALSE(e.in[0].senseless());
    for (std::uint32_t slot = 0; slot < most; ++slot)
        e.in[0].take(image_of({frame_kind::data, 0, {1, slot}, 0, 0, 0, 0, standing::first}));
    CHECK_FALSE(e.in[0].senseless());
    e.in[0].take(image_of({frame_kind::data, 0, {1, most}, 0, 0, 0, 0, standing::first}));
    CHECK(e.in[0].senseless());
}

TEST_CASE("a senseless stream delivers nothing more") {
    end e{{}};
    bytes to(8);
    transfer x;
    x.to = to.data();
    x.bytes = 8;
    e.receive({1, 0}, x);
    e.in[0].take(bytes(frame_bytes, std::byte{0xaa}));
    REQUIRE(e.in[0].senseless());
    e.in[0].take(image_of({frame_kind::data, 8, {1, 0}, 0, 8, 0, 0}));
    e.in[0].take(bytes(8, std::byte{1}));
    CHECK(x.status == transfer_status::pending);
    CHECK(to == bytes(8));
}

TEST_CASE("garbage never does more than end its stream") {
    generator random{8};
    int senseless = 0;
    int delivered = 0;
    for (int round = 0; round < 3000; ++round) {
        end a{small_limits()};
        end b{small_limits()};
        std::deque<message> mail;
        for (int i = 0; i < 5; ++i) {
            auto& m = mail.emplace_back();
            m.where = {1, static_cast<std::uint32_t>(random() % 2)};
            m.data = random_bytes(random, random() % 3 == 0 ? 9000 : 50);
            m.arrived.resize(m.data.size());
            m.sent.from = m.data.data();
            m.received.to = m.arrived.data();
            m.sent.bytes = m.received.bytes = m.data.size();
            a.send(m.where, m.sent);
            if (random() % 2 == 0) b.receive(m.where, m.received);
        }
        for (int i = 0; i < 40; ++i) {
            const std::size_t lane = random() % lanes;
            a.write(b, lane, 10'000);
            bytes& wire = b.wires[lane];
            if (!wire.empty() && random() % 4 == 0)
                wire[random() % std::min<std::size_t>(wire.size(), 64)] ^= std::byte{0x10};
            if (!wire.empty() && random() % 16 == 0) wire.erase(wire.begin());
            b.read(lane, 10'000);
        }
        for (std::size_t lane = 0; lane < lanes; ++lane) senseless += b.in[lane].senseless();
        for (auto& m : mail) delivered += m.received.status == transfer_status::done;
    }
    CHECK(senseless > 0);
    CHECK(delivered > 0);
}
