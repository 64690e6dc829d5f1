// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../contract/transfer.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tutti::transport::detail::staged {

/// Goes before each message, with the data of a short one behind it. The pieces of a longer one follow. So both ends
/// know how a message is cut, wherever it lies, and a receiver compares signature and length before any data come.
struct header {
    std::uint64_t signature = 0;
    std::uint64_t message_bytes = 0;
};
static_assert(std::is_trivially_copyable_v<header>);

/// A message of so many bytes travels with its header.
inline constexpr std::size_t most_beside_header = most_varying_bytes - sizeof(header);

/// Longer ones are cut into pieces of so many bytes. They keep a link of 100 Gbit/s busy for 42 us. If the host takes
/// 10 us to start a copy and to see its end, it is ahead of the link. What nothing overlaps, the copy of the first
/// piece and of the last, is short.
inline constexpr std::size_t piece_bytes = std::size_t{512} << 10;

/// Buffers of one channel and direction: one is copied, one is carried, and one waits between them.
inline constexpr std::uint32_t most_staged = 3;

/// Steps of one channel and direction that the inner fabric has at a time.
inline constexpr std::uint32_t most_steps = 16;

/// Signatures in the inner fabric of headers, of pieces, and of receives that discard one. Each side knows which comes
/// next.
inline constexpr std::uint64_t header_signature = 0x686561646572, piece_signature = 0x7069656365,
                               discarding_signature = 0x64697363617264;

/// A message's data that travel with its header.
[[nodiscard]] constexpr std::uint64_t bytes_beside_header(std::uint64_t message_bytes) noexcept {
    return message_bytes <= most_beside_header ? message_bytes : 0;
}

} // namespace tutti::transport::detail::staged
