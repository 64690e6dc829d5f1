// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#include <transport/control/control_frames.hpp>

#include "support/catch.hpp"
#include "support/sealed.hpp"

#include <algorithm>
#include <string>

using namespace tutti::transport::bootstrap;
using tutti::test::sealed;

namespace {

using bytes = std::vector<std::byte>;

digest key_of(int i) {
    digest d{};
    d[0] = static_cast<std::byte>(i);
    return d;
}

bytes said(std::size_t length, int first = 0) {
    bytes out(length);
    for (std::size_t i = 0; i < length; ++i) out[i] = static_cast<std::byte>(i + static_cast<std::size_t>(first));
    return out;
}

bytes opened(frame_opener& o, std::span<const std::byte> wire) {
    bytes out;
    o.feed(wire);
    o.open([&](std::span<const std::byte> more) { out.insert(out.end(), more.begin(), more.end()); });
    return out;
}

} // namespace

TEST_CASE("what was sealed is opened, of any length and however it is cut", "[sealed_frames]") {
    frame_sealer seal(key_of(1));
    frame_opener whole(key_of(1)), cut(key_of(1));
    for (const std::size_t length : {std::size_t{1}, std::size_t{100}, max_record_bytes, 3 * max_record_bytes + 5}) {
        const auto text = said(length);
        const auto wire = sealed(seal, text);
        CHECK(opened(whole, wire) == text);
        bytes piecewise;
        for (std::size_t at = 0; at < wire.size(); at += 1001) {
            const auto piece = opened(cut, std::span(wire).subspan(at, std::min<std::size_t>(1001, wire.size() - at)));
            piecewise.insert(piecewise.end(), piece.begin(), piece.end());
        }
        CHECK(piecewise == text);
    }
    CHECK_FALSE(whole.forged());
    CHECK_FALSE(cut.forged());
}

TEST_CASE("no bit of a record can be changed", "[sealed_frames]") {
    frame_sealer seal(key_of(1));
    const auto wire = sealed(seal, said(20));
    for (std::size_t i = 0; i < 8 * wire.size(); ++i) {
        CAPTURE(i);
        auto changed = wire;
        changed[i / 8] ^= static_cast<std::byte>(1 << i % 8);
        changed.resize(changed.size() + 2 * max_record_bytes); // so that a length that has grown is there
        frame_opener open(key_of(1));
        CHECK(opened(open, changed).empty());
        CHECK(open.forged());
    }
}

TEST_CASE("no record can be left out, repeated, moved, or sent back", "[sealed_frames]") {
    frame_sealer seal(key_of(1));
    const auto first = sealed(seal, said(10, 1)), second = sealed(seal, said(10, 2));
    const auto refused = [&](std::initializer_list<bytes> wire, std::size_t taken, int key = 1) {
        frame_opener open(key_of(key));
        bytes out;
        for (const auto& w : wire) {
            const auto more = opened(open, w);
            out.insert(out.end(), more.begin(), more.end());
        }
        return open.forged() && out.size() == taken;
    };
    CHECK(refused({second}, 0));
    CHECK(refused({first, first}, 10));
    CHECK(refused({second, first}, 0));
    CHECK(refused({first}, 0, 2)); // the key of the other direction
}

TEST_CASE("a record that is longer than any is refused before it has come", "[sealed_frames]") {
    frame_opener open(key_of(1));
    bytes head;
    tutti::detail::byte_writer(head).integer(static_cast<std::uint32_t>(max_record_bytes + 1));
    CHECK(opened(open, head).empty());
    CHECK(open.forged());
}
