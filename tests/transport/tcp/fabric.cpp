// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/fabrics/tcp/fabric.hpp>

#include "image.hpp"
#include "support/catch.hpp"
#include "support/effort.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <numeric>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

using namespace tutti;
using tcp_lanes = transport::detail::tcp::fabric;
using transport::detail::tcp::frame;
using transport::detail::tcp::standing;

namespace {

constexpr transport::context where{1, 0};
constexpr std::size_t part = 10;

/// Rank 1's fabric, and the other ends of its lanes to rank 0: this test is rank 0.
struct two_ranks {
    static constexpr int lanes = 3;

    transport::bootstrap::world_table table;
    tcp_lanes self{{.lanes = lanes}};
    std::map<int, transport::bootstrap::descriptor> peer; // by lane

    two_ranks() {
        table.members.resize(3);
        self.join({1, 0, table});
    }

    /// The lane is there for the test alone.
    void dial(int lane) { std::tie(peer[lane], dialled[lane]) = pair(); }
    /// And for rank 1.
    void connect(int lane) { self.connected({0, 0, lane, {std::move(dialled[lane]), {}}, {}}); }

    /// One part of the only message; its bytes are its number.
    void write(int lane, std::size_t number, std::size_t parts) {
        frame f;
        f.bytes = part;
        f.where = where;
        f.length = parts * part;
        f.offset = number * part;
        f.stands = number == 0 ? standing::first : standing::ahead;
        const auto head = test::image_of(f);
        const std::vector<std::byte> payload(part, static_cast<std::byte>(number));
        REQUIRE(::send(peer[lane].get(), head.data(), head.size(), 0) == static_cast<ssize_t>(head.size()));
        REQUIRE(::send(peer[lane].get(), payload.data(), part, 0) == static_cast<ssize_t>(part));
    }

    void receive(std::size_t parts) {
        into.resize(parts * part);
        x.to = into.data();
        x.bytes = into.size();
        self.receive(*self.open(where, 0), x);
    }
    /// From rank 2, which sends nothing: with so many lanes in use, rank 1 moves those that are ready alone.
    void wait_for_another() {
        std::tie(silent, dialled[0]) = pair();
        self.connected({0, 2, 0, {std::move(dialled[0]), {}}, {}});
        never.to = unused.data();
        never.bytes = part;
        self.receive(*self.open(where, 2), never);
    }
    [[nodiscard]] bool arrived(std::size_t parts) const {
        if (x.status != transport::transfer_status::done) return false;
        for (std::size_t i = 0; i < parts * part; ++i)
            if (into[i] != static_cast<std::byte>(i / part)) return false;
        return true;
    }

    /// Sleeps as a world does. False if nothing would have woken it.
    bool sleep() {
        bool woken = self.arm();
        pollfd p{self.descriptor(), POLLIN, 0};
        woken = woken || ::poll(&p, 1, 0) > 0;
        self.disarm();
        while (self.progress()) {
        }
        return woken;
    }

private:
    using descriptor = transport::bootstrap::descriptor;

    static std::pair<descriptor, descriptor> pair() {
        std::array<int, 2> ends{};
        REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
        return {descriptor(ends[0]), descriptor(ends[1])};
    }

    std::map<int, descriptor> dialled;
    descriptor silent;
    std::vector<std::byte> into;
    std::array<std::byte, part> unused{};
    transport::transfer_queue done;
    transport::transfer x{.owner = &done}, never{.owner = &done};
};

} // namespace

TEST_CASE("lanes that wait for each other go on when the last of them connects") {
    two_ranks w;
    for (int lane = 0; lane < 2; ++lane) w.dial(lane);
    w.write(0, 1, 3); // waits for what lane 1 brings first
    w.write(1, 0, 3);
    w.write(1, 2, 3); // waits for what lane 0 holds
    w.connect(0);
    w.receive(3);
    w.connect(1);
    CHECK(w.arrived(3));
}

TEST_CASE("what a peer sent before it left arrives, though its other lanes ended before this one was ready") {
    two_ranks w;
    w.dial(0);
    w.write(0, 0, 1);
    ::shutdown(w.peer[0].get(), SHUT_WR);
    for (int lane = 1; lane < two_ranks::lanes; ++lane) {
        w.dial(lane);
        ::shutdown(w.peer[lane].get(), SHUT_WR);
        w.connect(lane);
        w.sleep();
    }
    CHECK_FALSE(w.self.broken(0));
    w.receive(1);
    w.connect(0);
    while (w.sleep()) {
    }
    CHECK(w.arrived(1));
    CHECK(w.self.broken(0) == "closed the connection");
}

TEST_CASE("a lane that had to wait is watched again, though nobody waits for the peer any more") {
    two_ranks w;
    for (int lane = 0; lane < two_ranks::lanes; ++lane) {
        w.dial(lane);
        w.connect(lane);
    }
    w.receive(2);
    w.write(0, 1, 2);
    while (w.self.progress()) {
    }
    CHECK_FALSE(w.sleep()); // lane 0 waits, and is not watched
    w.write(1, 0, 2);
    while (w.self.progress()) {
    }
    REQUIRE(w.arrived(2));
    CHECK_FALSE(w.sleep());

    ::shutdown(w.peer[0].get(), SHUT_WR);
    CHECK(w.sleep());
    CHECK_FALSE(w.self.broken(0));
    ::shutdown(w.peer[1].get(), SHUT_WR);
    ::shutdown(w.peer[2].get(), SHUT_WR);
    CHECK(w.sleep());
    CHECK(w.self.broken(0) == "closed the connection");
}

TEST_CASE("however a message is spread over lanes, it arrives, and so does the end of each lane") {
    const bool others = GENERATE(false, true);
    for (unsigned seed = 0; seed < static_cast<unsigned>(test::effort(2000)); ++seed) {
        CAPTURE(others, seed);
        std::mt19937 random{seed};
        const auto draw = [&random](std::size_t choices) { return static_cast<int>(random() % choices); };
        two_ranks w;
        if (others) w.wait_for_another();
        const auto now_and_then = [&] {
            switch (draw(3)) {
            case 0: w.self.progress(); break;
            case 1: w.sleep(); break;
            default: break;
            }
        };

        // Lanes connect in any order; the parts of one lane come in order, those of several do not.
        const auto parts = static_cast<std::size_t>(1 + draw(12));
        std::vector<std::vector<std::size_t>> rest(two_ranks::lanes);
        for (std::size_t i = parts; i > 0; --i) rest[static_cast<std::size_t>(draw(two_ranks::lanes))].push_back(i - 1);
        std::vector<int> turns;
        for (int lane = 0; lane < two_ranks::lanes; ++lane)
            turns.insert(turns.end(), rest[static_cast<std::size_t>(lane)].size() + 1, lane);
        std::shuffle(turns.begin(), turns.end(), random);
        auto receives_at = draw(turns.size());
        for (const int lane : turns) {
            auto& mine = rest[static_cast<std::size_t>(lane)];
            if (!w.peer.contains(lane)) {
                w.dial(lane);
                w.connect(lane);
            } else {
                w.write(lane, mine.back(), parts);
                mine.pop_back();
            }
            if (receives_at-- == 0) w.receive(parts);
            now_and_then();
        }
        while (w.sleep()) {
        }
        REQUIRE(w.arrived(parts));

        std::vector<int> order(two_ranks::lanes);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        for (const int lane : order) {
            REQUIRE_FALSE(w.self.broken(0));
            ::shutdown(w.peer[lane].get(), SHUT_WR);
            now_and_then();
        }
        while (w.sleep()) {
        }
        REQUIRE(w.self.broken(0) == "closed the connection");
    }
}
