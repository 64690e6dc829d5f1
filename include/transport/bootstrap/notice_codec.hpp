// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../notice.hpp"
#include "bytes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tutti::transport::bootstrap {

inline constexpr std::uint8_t notice_version = 2;
inline constexpr std::size_t max_call_bytes = 8 * 1024;  ///< of a notice's call; what is longer is cut
inline constexpr std::size_t max_text_bytes = 16 * 1024; ///< of a notice's text, likewise
inline constexpr std::size_t max_past_call_bytes = 120;  ///< of each of its past calls, likewise

/// A notice as the body of a frame: version 1, kind 1, cause 1, communicator 8, members 4, rank 4, peer 4, request 8,
/// step 8, bytes 8, then call and text with 16-bit lengths. Behind them stands the number of past calls 2. Of each
/// there follow communicator 8, request 8, signature 8, and its call with a 16-bit length. Past calls beyond
/// most_past_calls are left out.
[[nodiscard]] inline std::vector<std::byte> encode(const notice& n) {
    std::vector<std::byte> out;
    byte_writer w(out);
    w.integer(notice_version);
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
    const auto calls = std::span(n.calls).first(std::min(n.calls.size(), most_past_calls));
    w.integer(static_cast<std::uint16_t>(calls.size()));
    for (const past_call& c : calls) {
        w.integer(c.communicator);
        w.integer(c.request);
        w.integer(c.signature);
        w.text(c.call, max_past_call_bytes);
    }
    return out;
}

/// The notice in a body, or nothing if the body is not exactly one. Ranks are not checked: the reader knows the world.
[[nodiscard]] inline std::optional<notice> decode_notice(std::span<const std::byte> body) {
    byte_reader r(body);
    if (r.integer<std::uint8_t>() != notice_version) return std::nullopt;
    const auto kind = r.integer<std::uint8_t>();
    const auto why = r.integer<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(notice_kind::verdict)) return std::nullopt;
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
    const std::size_t calls = r.integer<std::uint16_t>();
    if (calls > most_past_calls) return std::nullopt;
    for (std::size_t i = 0; i < calls && r.ok(); ++i) {
        past_call& c = n.calls.emplace_back();
        c.communicator = r.integer<std::uint64_t>();
        c.request = r.integer<std::uint64_t>();
        c.signature = r.integer<std::uint64_t>();
        c.call = r.text(max_past_call_bytes);
    }
    if (!r.finished()) return std::nullopt;
    return n;
}

} // namespace tutti::transport::bootstrap
