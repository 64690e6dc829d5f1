// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

/// What `tutti bench` measures of messages between two ranks.
namespace tutti::tools {

enum class exchange : std::uint8_t {
    pingpong, ///< a message there, one of the same length back: twice the latency
    sendrecv, ///< each rank sends to the next and receives from the one before, all at once
    stream,   ///< 64 messages at once to the partner, which then sends one byte: the message rate, or the bandwidth
};
inline constexpr std::array<std::string_view, 3> exchange_names{"pingpong", "sendrecv", "stream"};
[[nodiscard]] constexpr std::string_view name_of(exchange e) noexcept {
    return exchange_names[static_cast<std::size_t>(e)];
}

/// The messages of a stream.
inline constexpr std::size_t stream_messages = 64;

/// The rank that this one talks to in pairs of neighbours; none for the last of an odd number.
[[nodiscard]] constexpr std::optional<int> partner_of(int rank, int ranks) noexcept {
    const int partner = rank ^ 1;
    return partner < ranks ? std::optional(partner) : std::nullopt;
}
/// Of each pair, the rank that begins.
[[nodiscard]] constexpr bool begins(int rank) noexcept { return rank % 2 == 0; }

/// The rank whose data are in this one's output afterwards; none where nothing has come.
[[nodiscard]] constexpr std::optional<int> source_of(exchange e, int rank, int ranks) noexcept {
    if (e == exchange::sendrecv) return (rank + ranks - 1) % ranks;
    return e == exchange::stream && begins(rank) ? std::nullopt : partner_of(rank, ranks);
}

} // namespace tutti::tools
