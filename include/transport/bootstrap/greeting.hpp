// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bytes.hpp"
#include "secret.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tutti::transport::bootstrap {

inline constexpr std::uint16_t wire_version = 1;

enum class purpose : std::uint8_t { control, data };

/// What a rank says that opens a connection.
struct hello {
    purpose what = purpose::control;
    std::uint16_t lane = 0;
    std::int32_t rank = -1;  ///< who connects
    std::int32_t peer = -1;  ///< whom it wants; 0 for control
    std::int32_t size = 0;   ///< ranks of the world
    std::uint64_t world = 0; ///< its id, which rank 0 drew at random; 0 while unknown (control)
    friend bool operator==(const hello&, const hello&) = default;
};

/// What the hello of a guest must satisfy.
struct guest_rules {
    purpose what = purpose::control;
    std::int32_t rank = 0;   ///< data: this rank, whom the guest must want
    std::int32_t size = 0;   ///< data: ranks of the world. For control the join that follows is judged instead
    std::uint64_t world = 0; ///< data: its id
    std::uint16_t lanes = 1; ///< lanes are numbered below this
};

namespace detail {

inline constexpr std::uint32_t magic = 0x49545554; // "TUTI"
inline constexpr std::size_t header_bytes = 8;     // magic, version, two bytes of the message
inline constexpr std::size_t greeting_bytes = 64;
inline constexpr std::size_t challenge_bytes = 40;

inline void add_nonce(byte_writer& w) {
    nonce drawn{};
    draw(drawn);
    w.raw(drawn);
}

/// The first message, with a fresh nonce.
inline std::vector<std::byte> encode_greeting(const hello& h) {
    std::vector<std::byte> out;
    byte_writer w(out);
    w.integer(magic);
    w.integer(wire_version);
    w.integer(static_cast<std::uint8_t>(h.what));
    w.integer(std::uint8_t{0});
    w.integer(h.lane);
    w.integer(std::uint16_t{0});
    w.integer(h.rank);
    w.integer(h.peer);
    w.integer(h.size);
    w.integer(h.world);
    add_nonce(w);
    return out;
}

/// The hello in a whole greeting whose magic and version were found good.
inline hello decode_greeting(std::span<const std::byte> greeting) {
    byte_reader r(greeting.subspan(6));
    hello h;
    h.what = static_cast<purpose>(r.integer<std::uint8_t>());
    static_cast<void>(r.integer<std::uint8_t>());
    h.lane = r.integer<std::uint16_t>();
    static_cast<void>(r.integer<std::uint16_t>());
    h.rank = r.integer<std::int32_t>();
    h.peer = r.integer<std::int32_t>();
    h.size = r.integer<std::int32_t>();
    h.world = r.integer<std::uint64_t>();
    return h;
}

/// The second message, with a fresh nonce.
inline std::vector<std::byte> encode_challenge() {
    std::vector<std::byte> out;
    byte_writer w(out);
    w.integer(magic);
    w.integer(wire_version);
    w.integer(std::uint16_t{0});
    add_nonce(w);
    return out;
}

} // namespace detail

} // namespace tutti::transport::bootstrap
