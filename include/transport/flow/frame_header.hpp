// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/version.hpp"
#include "../contract/transport.hpp"

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>

/// What connections of TCP and verbs carry. Not part of the transport contract.
namespace tutti::transport::detail::tcp {

enum class frame_kind : std::uint8_t {
    data = 1,     ///< a piece of a message follows
    credit = 2,   ///< how much the peer may have sent on the channel in all
    announce = 3, ///< a message waits until the peer has opened the channel: a credit answers
    recall = 4,   ///< it waits no longer
    places = 5,   ///< of no channel: how many places the peer may have taken in all
    blame = 6,    ///< of no channel: by whom the sender's calls fail, culprit::word() as `length`
};

/// Whether the sender of a frame has received a frame on the channel. Then the peer has opened it.
enum class standing : std::uint8_t {
    open = 0,
    ahead = 1,
    first = 2, ///< ahead, and the channel's first frame: it takes one of the sender's places at the peer
};

/// The header of everything on the wire. A message travels as one or more data frames (fragments); each repeats what
/// identifies the message, so that fragments may take different lanes.
struct frame {
    frame_kind kind = frame_kind::data;
    std::uint32_t bytes = 0;          ///< of payload behind this header
    context where{};                  ///< the channel
    std::uint32_t sequence = 0;       ///< data: the message's number on its channel, from 0, wrapping
    std::uint64_t length = 0;         ///< data: of the whole message; credit and places: the grant, in all; blame
    std::uint64_t signature = 0;      ///< data: of the call
    std::uint64_t offset = 0;         ///< data: where the payload stands in the message
    standing stands = standing::open; ///< data and credit
    friend bool operator==(const frame&, const frame&) = default;
};

/// Bytes of a header on the wire: kind, version, standing, a zero, bytes, communicator, slot, sequence, length,
/// signature, offset; little endian.
inline constexpr std::size_t frame_bytes = 48;
inline constexpr std::byte frame_version{tutti::detail::wire_version};
/// No payload is longer; more is garbage.
inline constexpr std::size_t max_fragment_bytes = std::size_t{16} << 20;

using frame_image = std::array<std::byte, frame_bytes>;

template <std::unsigned_integral Number>
constexpr void put(std::byte* at, Number value) noexcept {
    if (!std::is_constant_evaluated() && std::endian::native == std::endian::little) {
        std::memcpy(at, &value, sizeof value); // no compiler makes one store of the loop
        return;
    }
    for (std::size_t i = 0; i < sizeof(Number); ++i) at[i] = static_cast<std::byte>(value >> (8 * i));
}

template <std::unsigned_integral Number>
[[nodiscard]] constexpr Number get(const std::byte* at) noexcept {
    Number value = 0;
    if (!std::is_constant_evaluated() && std::endian::native == std::endian::little) {
        std::memcpy(&value, at, sizeof value);
        return value;
    }
    for (std::size_t i = 0; i < sizeof(Number); ++i)
        value = static_cast<Number>(value | static_cast<Number>(std::to_integer<Number>(at[i]) << (8 * i)));
    return value;
}

constexpr void encode(const frame& f, frame_image& to) noexcept {
    std::byte* at = to.data();
    at[0] = static_cast<std::byte>(f.kind);
    at[1] = frame_version;
    at[2] = static_cast<std::byte>(f.stands);
    at[3] = std::byte{0};
    put(at + 4, f.bytes);
    put(at + 8, f.where.communicator);
    put(at + 16, f.where.slot);
    put(at + 20, f.sequence);
    put(at + 24, f.length);
    put(at + 32, f.signature);
    put(at + 40, f.offset);
}

/// A header without data, of the fields that its kind has.
[[nodiscard]] constexpr bool is_bare(const frame& f) noexcept {
    if (f.bytes != 0 || f.sequence != 0 || f.signature != 0 || f.offset != 0) return false;
    if (f.stands != standing::open && f.kind != frame_kind::credit) return false;
    switch (f.kind) {
    case frame_kind::data: return false;
    case frame_kind::credit: return true;
    case frame_kind::announce:
    case frame_kind::recall: return f.length == 0;
    case frame_kind::places: return f.where == context{};
    case frame_kind::blame: return f.where == context{} && culprit::of(f.length).word() == f.length;
    }
    return false;
}

/// Nothing if the bytes are not a header that encode() can have written for a legal frame.
[[nodiscard]] constexpr std::optional<frame> decode(std::span<const std::byte, frame_bytes> image) noexcept {
    const std::byte* at = image.data();
    if (at[1] != frame_version || at[2] > std::byte{2} || at[3] != std::byte{0}) return std::nullopt;
    frame f;
    f.kind = static_cast<frame_kind>(at[0]);
    f.bytes = get<std::uint32_t>(at + 4);
    f.where.communicator = get<std::uint64_t>(at + 8);
    f.where.slot = get<std::uint32_t>(at + 16);
    f.sequence = get<std::uint32_t>(at + 20);
    f.length = get<std::uint64_t>(at + 24);
    f.signature = get<std::uint64_t>(at + 32);
    f.offset = get<std::uint64_t>(at + 40);
    f.stands = static_cast<standing>(at[2]);
    if (f.kind != frame_kind::data) return is_bare(f) ? std::optional{f} : std::nullopt;
    const bool inside = f.bytes <= max_fragment_bytes && f.offset <= f.length && f.bytes <= f.length - f.offset;
    const bool wanted = f.bytes > 0 || f.length == 0;
    if (!inside || !wanted) return std::nullopt;
    return f;
}

} // namespace tutti::transport::detail::tcp
