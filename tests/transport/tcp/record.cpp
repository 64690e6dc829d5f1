// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/fabrics/tcp/encrypted_record.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <random>

using namespace tutti::transport;
using namespace tutti::transport::detail::tcp;

namespace {

using bytes = std::vector<std::byte>;
using piece = std::span<const std::byte>;

bootstrap::digest key_of(int i) {
    bootstrap::digest d{};
    d[0] = static_cast<std::byte>(i);
    return d;
}

bytes text_of(std::size_t length, unsigned seed = 1) {
    std::mt19937 random{seed};
    bytes out(length);
    for (auto& b : out) b = static_cast<std::byte>(random());
    return out;
}

/// All records of a text, which is given in two pieces.
bytes sealed(record_sealer& s, const bytes& text, std::size_t cut = 0) {
    const std::array<piece, 2> pieces{piece(text).first(cut), piece(text).subspan(cut)};
    bytes out;
    for (std::size_t done = 0; done < text.size();) done += s.seal(pieces, done, out);
    return out;
}

/// What is in whole records; they are taken off the front of `wire`. Nothing if one is forged.
std::optional<bytes> opened(record_opener& o, bytes& wire) {
    bytes out;
    const auto taken = o.open(wire, [&](piece text) { out.insert(out.end(), text.begin(), text.end()); });
    if (!taken) return std::nullopt;
    wire.erase(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(*taken));
    return out;
}

} // namespace

TEST_CASE("what was sealed is opened, of any length, in whatever pieces it comes", "[record]") {
    record_sealer seal(key_of(1));
    record_opener open(key_of(1));
    for (const std::size_t length :
         {std::size_t{1}, std::size_t{56}, most_text_bytes, most_text_bytes + 1, std::size_t{100'000}}) {
        const auto text = text_of(length);
        const auto all = sealed(seal, text, length / 3);
        CHECK(all.size() ==
              length + (length + most_text_bytes - 1) / most_text_bytes * (record_head_bytes + record_tag_bytes));
        bytes wire, out;
        for (std::size_t at = 0; at < all.size(); at += 777) {
            wire.insert(wire.end(), all.begin() + static_cast<std::ptrdiff_t>(at),
                        all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), at + 777)));
            CHECK(wire.size() < most_record_bytes + 777);
            const auto some = opened(open, wire);
            REQUIRE(some);
            out.insert(out.end(), some->begin(), some->end());
        }
        CHECK(wire.empty());
        CHECK(out == text);
    }
}

TEST_CASE("no bit of a record can be changed, and nothing of it is handed on", "[record]") {
    record_sealer seal(key_of(1));
    const auto whole = sealed(seal, text_of(20));
    for (std::size_t i = 0; i < 8 * whole.size(); ++i) {
        CAPTURE(i);
        auto wire = whole;
        wire[i / 8] ^= static_cast<std::byte>(1 << i % 8);
        wire.resize(wire.size() + most_record_bytes); // so that a length that has grown is there
        record_opener open(key_of(1));
        bool handed = false;
        CHECK_FALSE(open.open(wire, [&](piece) { handed = true; }));
        CHECK_FALSE(handed);
    }
}

TEST_CASE("no record can be left out, repeated, moved, or sent back", "[record]") {
    record_sealer seal(key_of(1));
    const auto first = sealed(seal, text_of(10, 1)), second = sealed(seal, text_of(10, 2));
    const auto refused = [&](std::initializer_list<bytes> wire, int key = 1) {
        record_opener open(key_of(key));
        for (auto w : wire)
            if (!opened(open, w)) return true;
        return false;
    };
    CHECK_FALSE(refused({first, second}));
    CHECK(refused({second}));
    CHECK(refused({first, first}));
    CHECK(refused({second, first}));
    CHECK(refused({first}, 2)); // the key of the other direction
}

TEST_CASE("equal texts look unlike", "[record]") {
    record_sealer seal(key_of(1));
    const auto text = text_of(100);
    CHECK(sealed(seal, text) != sealed(seal, text));
}

TEST_CASE("records are ChaCha20-Poly1305") {
    // RFC 8439, appendix A.1, test vector 2: the key stream under a key and a nonce of zeros.
    record_key key({}, true);
    std::array<std::byte, 16> block{};
    REQUIRE(key.begin({}));
    REQUIRE(key.convert(block, block.data()));
    constexpr std::array<unsigned char, 8> stream{0x9f, 0x07, 0xe7, 0xbe, 0x55, 0x51, 0x38, 0x7a};
    for (std::size_t i = 0; i < stream.size(); ++i) CHECK(block[i] == std::byte{stream[i]});
}
