// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/version.hpp"
#include "../../flow/frame_header.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tutti::transport::detail::verbs {

enum class packet_kind : std::uint8_t {
    frame = 1,     ///< of a channel: data, or notices between the multiplexers
    announced = 2, ///< the same, whose data is an announcement: a long message waits to be read
    taken = 3,     ///< the announced message was read, all of it
    refused = 4,   ///< the receiver expects another message
    withdraw = 5,  ///< the sender's context is closed: read no more of it
    withdrawn = 6, ///< nothing of it is being read
    credits = 7,   ///< nothing but the count of taken packets
};

/// The header of each SEND: of a multiplexer's frame, the count of the peer's packets that were taken, and which long
/// message it is about.
struct packet {
    packet_kind kind = packet_kind::frame;
    tcp::frame frame;         ///< of frame and announced
    std::uint32_t taken = 0;  ///< packets of the receiver that the sender of this one has taken, in all, wrapping
    std::uint64_t ticket = 0; ///< of taken, refused, withdraw, withdrawn: that of the announcement
};

/// Bytes of the header: frame 48, kind, version, two zeros, taken 4, ticket 8.
inline constexpr std::size_t packet_bytes = 64;
inline constexpr std::byte packet_version{tutti::detail::wire_version};
using packet_image = std::array<std::byte, packet_bytes>;

[[nodiscard]] constexpr bool has_frame(packet_kind k) noexcept {
    return k == packet_kind::frame || k == packet_kind::announced;
}

constexpr void encode(const packet& p, packet_image& to) noexcept {
    tcp::frame_image head{};
    if (has_frame(p.kind)) tcp::encode(p.frame, head);
    for (std::size_t i = 0; i < head.size(); ++i) to[i] = head[i];
    std::byte* const at = to.data() + head.size();
    at[0] = static_cast<std::byte>(p.kind);
    at[1] = packet_version;
    at[2] = at[3] = std::byte{0};
    tcp::put(at + 4, p.taken);
    tcp::put(at + 8, p.ticket);
}

/// Nothing if it is no packet of this version, or its payload is not as long as it says.
[[nodiscard]] constexpr std::optional<packet> decode(std::span<const std::byte> all) noexcept {
    if (all.size() < packet_bytes) return std::nullopt;
    const std::byte* const at = all.data() + tcp::frame_bytes;
    packet p;
    p.kind = static_cast<packet_kind>(at[0]);
    if (p.kind < packet_kind::frame || p.kind > packet_kind::credits || at[1] != packet_version) return std::nullopt;
    p.taken = tcp::get<std::uint32_t>(at + 4);
    p.ticket = tcp::get<std::uint64_t>(at + 8);
    if (!has_frame(p.kind)) return all.size() == packet_bytes ? std::optional{p} : std::nullopt;
    const auto f = tcp::decode(all.first<tcp::frame_bytes>());
    if (!f || f->bytes != all.size() - packet_bytes) return std::nullopt;
    if (p.kind == packet_kind::announced && f->kind != tcp::frame_kind::data) return std::nullopt;
    p.frame = *f;
    return p;
}

} // namespace tutti::transport::detail::verbs
