// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/flow/frame_header.hpp>

#include "image.hpp"
#include "support/catch.hpp"

#include <limits>
#include <random>

using tutti::test::image_of;
using namespace tutti::transport::detail::tcp;
using tutti::transport::context;

namespace {

frame a_fragment() {
    return {.kind = frame_kind::data,
            .bytes = 1000,
            .where = {0x0123456789abcdef, 7},
            .sequence = 0xfffffffe,
            .length = 5000,
            .signature = 0xfedcba9876543210,
            .offset = 4000};
}

frame a_credit() {
    frame f;
    f.kind = frame_kind::credit;
    f.where = {1, 2};
    f.length = 123'456'789'012;
    return f;
}

bool legal(const frame& f) { return decode(image_of(f)).has_value(); }

} // namespace

TEST_CASE("a header is read as it was written") {
    CHECK(decode(image_of(a_fragment())) == a_fragment());
    CHECK(decode(image_of(a_credit())) == a_credit());
    frame empty;
    empty.where = {3, 4};
    empty.sequence = 9;
    empty.signature = 5;
    CHECK(decode(image_of(empty)) == empty);
}

TEST_CASE("a header that blames names a rank and a cause, or nobody") {
    using tutti::transport::culprit;
    frame f;
    f.kind = frame_kind::blame;
    for (const auto& by : {culprit{}, culprit{0, tutti::cause::lost_peer}, culprit{0x7ffffffe, tutti::cause::file}}) {
        f.length = by.word();
        REQUIRE(decode(image_of(f)) == f);
        CHECK(culprit::of(f.length) == by);
    }
    for (const std::uint64_t wrong : {std::uint64_t{0x80000000}, std::uint64_t{1} << 32, std::uint64_t{99} << 32 | 1}) {
        f.length = wrong;
        CHECK_FALSE(decode(image_of(f)));
    }
    f.length = 1;
    f.where = {3, 4};
    CHECK_FALSE(decode(image_of(f)));
}

TEST_CASE("a header is little endian on the wire") {
    const auto image = image_of(a_fragment());
    CHECK(image[0] == std::byte{1});
    CHECK(image[1] == std::byte{tutti::detail::wire_version});
    CHECK(image[4] == std::byte{0xe8});
    CHECK(image[5] == std::byte{0x03});
    CHECK(image[8] == std::byte{0xef});
    CHECK(image[15] == std::byte{0x01});
}

TEST_CASE("a fragment lies inside its message") {
    auto f = a_fragment();
    f.offset = 4001;
    CHECK_FALSE(legal(f));
    f.offset = std::numeric_limits<std::uint64_t>::max() - 10;
    CHECK_FALSE(legal(f));
    f = a_fragment();
    f.length = std::numeric_limits<std::uint64_t>::max();
    CHECK(legal(f));
}

TEST_CASE("only an empty message has an empty fragment") {
    auto f = a_fragment();
    f.bytes = 0;
    CHECK_FALSE(legal(f));
}

TEST_CASE("a fragment has a bounded size") {
    auto f = a_fragment();
    f.offset = 0;
    f.length = std::uint64_t{1} << 40;
    f.bytes = max_fragment_bytes;
    CHECK(legal(f));
    f.bytes += 1;
    CHECK_FALSE(legal(f));
}

TEST_CASE("a credit has no payload") {
    auto f = a_credit();
    f.bytes = 1;
    CHECK_FALSE(legal(f));
    f = a_credit();
    f.offset = 1;
    CHECK_FALSE(legal(f));
    f = a_credit();
    f.sequence = 1;
    CHECK_FALSE(legal(f));
}

TEST_CASE("a frame without data has nothing but the fields of its kind") {
    for (const auto kind : {frame_kind::announce, frame_kind::recall}) {
        frame f{.kind = kind, .where = {5, 3}};
        CHECK(decode(image_of(f)) == f);
        f.length = 1;
        CHECK_FALSE(legal(f));
    }
    frame f{.kind = frame_kind::places, .length = 4000};
    CHECK(decode(image_of(f)) == f);
    f.where.slot = 1;
    CHECK_FALSE(legal(f));
    for (const auto kind : {frame_kind::announce, frame_kind::recall, frame_kind::places})
        CHECK_FALSE(legal({.kind = kind, .stands = standing::ahead}));
}

TEST_CASE("a fragment or a credit may go ahead") {
    for (auto f : {a_fragment(), a_credit()}) {
        f.stands = standing::first;
        CHECK(decode(image_of(f)) == f);
        CHECK(image_of(f)[2] == std::byte{2});
    }
}

TEST_CASE("other kinds, versions and set reserved bytes are refused") {
    for (const std::size_t at : {0u, 1u, 2u, 3u})
        for (int value = at == 2 ? 3 : 0; value < 256; ++value) {
            auto image = image_of(a_fragment());
            if (image[at] == static_cast<std::byte>(value)) continue;
            image[at] = static_cast<std::byte>(value);
            CHECK_FALSE(decode(image));
        }
}

TEST_CASE("random bytes are refused, or read as what they say") {
    std::mt19937_64 random{42};
    int accepted = 0;
    for (int i = 0; i < 200'000; ++i) {
        auto image = image_of(a_fragment());
        for (auto hits = random() % 4; hits > 0; --hits)
            image[random() % frame_bytes] = static_cast<std::byte>(random());
        const auto f = decode(image);
        if (!f) continue;
        ++accepted;
        CHECK(image_of(*f) == image);
    }
    CHECK(accepted > 0);
}
