// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/control/frame_stream.hpp>

#include "support/catch.hpp"
#include "support/proven_pair.hpp"

#include <sys/socket.h>

#include <fcntl.h>

#include <chrono>

using namespace tutti::transport::bootstrap;

namespace {

/// Two streams that are connected to each other.
struct connected {
    frame_stream here, there;
    static connected make() {
        auto ends = tutti::test::proven_pair();
        return {frame_stream{std::move(ends[0])}, frame_stream{std::move(ends[1])}};
    }
    /// The next frame that comes, within ten seconds.
    frame arrived() {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (std::chrono::steady_clock::now() < end) {
            if (auto f = there.next()) return *f;
            here.flush();
            there.read();
        }
        throw std::runtime_error("no frame came");
    }
};

using bytes = std::vector<std::byte>;

/// Frames that are far longer than what a socket holds.
bytes many_frames(int number) {
    bytes all;
    for (int i = 0; i < number; ++i) append_frame(all, frame_type::member, bytes(50'000, static_cast<std::byte>(i)));
    return all;
}

} // namespace

TEST_CASE("frames that go to many are not copied by the streams, and go before what is said later") {
    constexpr int frames = 40, streams = 10;
    const auto for_all = share(many_frames(frames));
    const bytes later(10, std::byte{99});
    std::vector<connected> pairs;
    for (int i = 0; i < streams; ++i) {
        pairs.push_back(connected::make());
        CHECK(pairs.back().here.send(for_all));
        CHECK(pairs.back().here.wants_write());
        CHECK(pairs.back().here.send(frame_type::talk, later));
    }
    CHECK(for_all.use_count() == 1 + streams); // each has only a share in it
    for (auto& p : pairs) {
        for (int i = 0; i < frames; ++i) {
            const frame f = p.arrived();
            CHECK((f.type == frame_type::member && f.body == bytes(50'000, static_cast<std::byte>(i))));
        }
        CHECK(p.arrived().body == later);
        CHECK_FALSE(p.here.wants_write());
    }
    CHECK(for_all.use_count() == 1);
}

TEST_CASE("a stream takes no more than its bound, shared or not, and drops what nobody will read") {
    auto pair = connected::make();
    CHECK_FALSE(pair.here.send(share(bytes(frame_stream::max_unsent_bytes + 1))));
    CHECK_FALSE(pair.here.wants_write());
    const auto much = share(bytes(frame_stream::max_unsent_bytes / 4 * 3));
    CHECK(pair.here.send(much));
    int told = 0;
    const bytes word(60'000);
    while (told < 100 && pair.here.send(frame_type::talk, word)) ++told;
    CHECK(told < 100);
    pair.there = frame_stream{descriptor{}};
    pair.here.flush();
    CHECK_FALSE(pair.here.wants_write());
    CHECK(much.use_count() == 1);
    CHECK(pair.here.send(much)); // to one that has gone, nothing
    CHECK(much.use_count() == 1);
}
