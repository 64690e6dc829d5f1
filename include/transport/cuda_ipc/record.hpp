// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tutti::transport::detail::cuda {

/// The notice of a message, before its data. Passed through shared memory, as a message.
struct record {
    std::uint64_t signature = 0;
    std::uint64_t message_bytes = 0;
    std::uint64_t part_bytes = 0; ///< that lie in device memory; 0: the message follows through shared memory
    std::int64_t process = 0;     ///< whose memory that is
    std::uint64_t region = 0;     ///< of its slab
    std::uint64_t address = 0;    ///< of the region, in that process
    std::uint64_t offset = 0;     ///< of the part, in the region
    std::array<std::byte, 64> handle{};
    std::uint64_t unused = 0; ///< whole cache lines
};
static_assert(sizeof(record) == 128 && std::is_trivially_copyable_v<record>);

/// Signatures in shared memory of records, messages and discarded messages. Each side knows which comes next.
inline constexpr std::uint64_t record_signature = 0x7265636f7264, payload_signature = 0x7061796c6f6164,
                               unwanted_signature = 0x6e6f6e65;

} // namespace tutti::transport::detail::cuda
