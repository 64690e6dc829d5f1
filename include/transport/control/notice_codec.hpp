// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/bytes.hpp"
#include "../../base/linkage.hpp"
#include "../../base/version.hpp"
#include "../contract/notice.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tutti::transport::bootstrap {

inline constexpr std::size_t max_call_bytes = 8 * 1024;  ///< of a notice's call; longer ones are cut
inline constexpr std::size_t max_text_bytes = 16 * 1024; ///< of a notice's text, likewise
inline constexpr std::size_t max_past_call_bytes = 120;  ///< of each of its past calls, likewise

namespace detail {

inline void write_past_calls(tutti::detail::byte_writer& w, std::span<const past_call> all) {
    const auto calls = all.first(std::min(all.size(), most_past_calls));
    w.integer(static_cast<std::uint16_t>(calls.size()));
    for (const past_call& c : calls) {
        w.integer(c.communicator);
        w.integer(c.request);
        w.integer(c.signature);
        w.text(c.call, max_past_call_bytes);
    }
}
TUTTI_COLD [[nodiscard]] inline bool read_past_calls(tutti::detail::byte_reader& r, std::vector<past_call>& calls) {
    const std::size_t number = r.integer<std::uint16_t>();
    if (number > most_past_calls) return false;
    for (std::size_t i = 0; i < number && r.ok(); ++i) {
        past_call& c = calls.emplace_back();
        c.communicator = r.integer<std::uint64_t>();
        c.request = r.integer<std::uint64_t>();
        c.signature = r.integer<std::uint64_t>();
        c.call = r.text(max_past_call_bytes);
    }
    return r.ok();
}

TUTTI_COLD inline void write_waiting_calls(tutti::detail::byte_writer& w, std::span<const waiting_call> all) {
    const auto calls = all.first(std::min(all.size(), most_waiting_calls));
    w.integer(static_cast<std::uint8_t>(calls.size()));
    for (const waiting_call& c : calls) {
        w.integer(c.communicator);
        w.integer(c.request);
        w.integer(static_cast<std::uint8_t>(c.blocks));
        const auto peers = std::span(c.peers).first(std::min(c.peers.size(), most_peers));
        w.integer(static_cast<std::uint8_t>(peers.size()));
        for (const auto peer : peers) w.integer(peer);
        w.text(c.call, max_past_call_bytes);
    }
}
TUTTI_COLD [[nodiscard]] inline bool read_waiting_calls(tutti::detail::byte_reader& r,
                                                        std::vector<waiting_call>& calls) {
    const std::size_t number = r.integer<std::uint8_t>();
    if (number > most_waiting_calls) return false;
    for (std::size_t i = 0; i < number && r.ok(); ++i) {
        waiting_call& c = calls.emplace_back();
        c.communicator = r.integer<std::uint64_t>();
        c.request = r.integer<std::uint64_t>();
        const auto blocks = r.integer<std::uint8_t>();
        const std::size_t peers = r.integer<std::uint8_t>();
        if (blocks > 1 || peers > most_peers) return false;
        c.blocks = blocks == 1;
        for (std::size_t k = 0; k < peers; ++k) c.peers.push_back(r.integer<std::int32_t>());
        c.call = r.text(max_past_call_bytes);
    }
    return r.ok();
}

} // namespace detail

/// A notice as the body of a frame: version 1, kind 1, cause 1, communicator 8, members 4, rank 4, peer 4, request 8,
/// step 8, bytes 8, then call and text, each with a 16-bit length. Then two lists:
///   past calls     their number 2; of each communicator 8, request 8, signature 8, call with a 16-bit length
///   waiting calls  their number 1; of each communicator 8, request 8, blocks 1, number of peers 1, each peer 4, call
///                  with a 16-bit length
/// Entries beyond most_past_calls, most_waiting_calls and most_peers are left out.
TUTTI_COLD [[nodiscard]] inline std::vector<std::byte> encode(const notice& n) {
    std::vector<std::byte> out;
    tutti::detail::byte_writer w(out);
    w.integer(tutti::detail::wire_version);
    w.integer(static_cast<std::uint8_t>(n.kind));
    w.integer(static_cast<std::uint8_t>(n.why));
    w.integer(n.communicator);
    w.integer(n.members);
    w.integer(n.rank);
    w.integer(n.peer);
    w.integer(n.request);
    w.integer(n.step);
    w.integer(n.bytes);
    w.text(n.call, max_call_bytes);
    w.text(n.text, max_text_bytes);
    detail::write_past_calls(w, n.calls);
    detail::write_waiting_calls(w, n.waits);
    return out;
}

/// The notice in a body, or nothing if the body is not exactly one. Ranks are not checked: the reader knows the world.
TUTTI_COLD [[nodiscard]] inline std::optional<notice> decode_notice(std::span<const std::byte> body) {
    tutti::detail::byte_reader r(body);
    if (r.integer<std::uint8_t>() != tutti::detail::wire_version) return std::nullopt;
    const auto kind = r.integer<std::uint8_t>();
    const auto why = r.integer<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(notice_kind::survey)) return std::nullopt;
    if (why > static_cast<std::uint8_t>(cause::bootstrap)) return std::nullopt;
    notice n;
    n.kind = static_cast<notice_kind>(kind);
    n.why = static_cast<cause>(why);
    n.communicator = r.integer<std::uint64_t>();
    n.members = r.integer<std::int32_t>();
    n.rank = r.integer<std::int32_t>();
    n.peer = r.integer<std::int32_t>();
    n.request = r.integer<std::uint64_t>();
    n.step = r.integer<std::int64_t>();
    n.bytes = r.integer<std::uint64_t>();
    n.call = r.text(max_call_bytes);
    n.text = r.text(max_text_bytes);
    if (!detail::read_past_calls(r, n.calls) || !detail::read_waiting_calls(r, n.waits)) return std::nullopt;
    if (!r.finished()) return std::nullopt;
    return n;
}

} // namespace tutti::transport::bootstrap
