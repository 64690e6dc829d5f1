// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/control/notice_codec.hpp>

#include <transport/control/control_frames.hpp>
#include <transport/control/member_codec.hpp>

#include "support/catch.hpp"

#include <chrono>
#include <limits>
#include <random>

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::bootstrap;

namespace {

notice full_notice() {
    notice n;
    n.kind = notice_kind::verdict;
    n.why = cause::mismatch;
    n.communicator = 0xfedcba9876543210;
    n.members = 1024;
    n.rank = -1;
    n.peer = std::numeric_limits<std::int32_t>::min();
    n.request = 99;
    n.step = -1;
    n.bytes = std::numeric_limits<std::uint64_t>::max();
    n.call = "allreduce(ring) of 1000 float32, sum";
    n.text = "rank 0 called X, rank 1 called Y";
    n.calls = {{1, 2, 0xfedcba9876543210, "barrier"}, {1, 3, 5, ""}};
    n.waits = {{1, 4, true, {7, -1}, "barrier"}, {0xfedcba9876543210, 0, false, {}, ""}};
    return n;
}

} // namespace

TEST_CASE("a notice survives the wire", "[notice_codec]") {
    CHECK(decode_notice(encode(full_notice())) == full_notice());
    CHECK(decode_notice(encode(notice{})) == notice{});
}

TEST_CASE("integers are little endian", "[notice_codec]") {
    std::vector<std::byte> out;
    tutti::detail::byte_writer(out).integer(std::uint32_t{0x01020304});
    CHECK(out == std::vector<std::byte>{std::byte{4}, std::byte{3}, std::byte{2}, std::byte{1}});
    CHECK(tutti::detail::byte_reader(out).integer<std::uint32_t>() == 0x01020304);
}

TEST_CASE("long strings are cut, so that a notice always fits a frame", "[notice_codec]") {
    auto n = full_notice();
    n.call.assign(200'000, 'c');
    n.text.assign(200'000, 't');
    n.calls.assign(1000, {1, 2, 3, std::string(10'000, 'p')});
    n.waits.assign(1000, {1, 2, true, std::vector(1000, 3), std::string(10'000, 'w')});
    const auto body = encode(n);
    CHECK(body.size() < max_frame_bytes - 2);
    const auto back = decode_notice(body);
    REQUIRE(back);
    CHECK(back->call == std::string(max_call_bytes, 'c'));
    CHECK(back->text == std::string(max_text_bytes, 't'));
    CHECK(back->calls.size() == most_past_calls);
    CHECK(back->calls.back().call == std::string(max_past_call_bytes, 'p'));
    CHECK(back->waits.size() == most_waiting_calls);
    CHECK(back->waits.back().peers == std::vector(most_peers, 3));
    CHECK(back->waits.back().call == std::string(max_past_call_bytes, 'w'));
}

TEST_CASE("every truncation of a notice, and every lengthening, is refused", "[notice_codec]") {
    auto body = encode(full_notice());
    for (std::size_t n = 0; n < body.size(); ++n) CHECK_FALSE(decode_notice(std::span(body).first(n)));
    body.push_back(std::byte{0});
    CHECK_FALSE(decode_notice(body));
}

TEST_CASE("another version, kind or cause than there is is refused", "[notice_codec]") {
    for (const std::size_t at : {0u, 1u, 2u}) {
        auto body = encode(full_notice());
        body[at] = std::byte{200};
        CHECK_FALSE(decode_notice(body));
    }
}

TEST_CASE("frames are cut out of a stream however it arrives", "[frame]") {
    std::vector<std::byte> wire;
    for (std::size_t i = 0; i < 20; ++i) append_frame(wire, frame_type::talk, std::vector(i, std::byte(i)));
    for (const std::size_t piece : {1u, 7u, 1000u}) {
        frame_cutter cutter;
        std::size_t seen = 0;
        for (std::size_t at = 0; at < wire.size(); at += piece) {
            cutter.feed(std::span(wire).subspan(at, std::min(piece, wire.size() - at)));
            for (auto f = cutter.next(); f; f = cutter.next(), ++seen)
                CHECK(f->body == std::vector(seen, std::byte(seen)));
        }
        CHECK(seen == 20);
        CHECK_FALSE(cutter.broken());
    }
}

TEST_CASE("a frame too long, too short, or of another version breaks the stream for good", "[frame]") {
    std::vector<std::byte> good;
    append_frame(good, frame_type::talk, {});
    const auto breaks = [&](std::size_t at, int value) {
        auto wire = good;
        wire[at] = std::byte(value);
        frame_cutter cutter;
        cutter.feed(wire);
        const bool nothing = !cutter.next();
        cutter.feed(good);
        return nothing && cutter.broken() && !cutter.next();
    };
    CHECK(breaks(0, 1));   // too short to hold version and type
    CHECK(breaks(2, 2));   // longer than allowed
    CHECK(breaks(3, 255)); // much longer
    CHECK(breaks(4, 9));   // version
    CHECK(breaks(5, 77));  // type
}

TEST_CASE("a member survives the wire", "[member]") {
    const fabric_card card{"shared memory", {std::byte{1}, std::byte{2}}};
    const member m{3, 4, "::1", 29500, "node", "boot/node", {{0, 70}, {1500, 3, 4}}, 12345, {card, {"tcp", {}}}};
    std::vector<std::byte> out;
    tutti::detail::byte_writer w(out);
    write_member(w, m);
    tutti::detail::byte_reader r(out);
    CHECK(read_member(r) == m);
    CHECK(r.finished());
}

TEST_CASE("random and mutated bytes are decoded or refused, never trusted", "[notice_codec][fuzz]") {
    std::mt19937_64 random(std::random_device{}());
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(700);
    std::size_t tried = 0;
    std::size_t refused = 0;
    while (std::chrono::steady_clock::now() < until) {
        auto bytes = encode(full_notice());
        std::vector<std::byte> wire;
        append_frame(wire, frame_type::talk, bytes);
        if (random() % 4 == 0)
            for (auto& b : wire) b = std::byte(random());
        for (auto flips = random() % 4; flips > 0; --flips) wire[random() % wire.size()] = std::byte(random());
        wire.resize(random() % (wire.size() + 1));
        frame_cutter cutter;
        cutter.feed(wire);
        ++tried;
        const auto f = cutter.next();
        if (!f) ++refused;
        if (!f) continue;
        const auto n = decode_notice(f->body);
        if (!n) ++refused;
        if (n) REQUIRE(encode(*n) == f->body);
        tutti::detail::byte_reader r(f->body);
        static_cast<void>(read_member(r));
    }
    CHECK(tried > 100);
    CHECK(refused > 0);
}
