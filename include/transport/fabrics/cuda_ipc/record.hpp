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
    enum class kind : std::uint32_t {
        whole,    ///< the message follows through shared memory, unless it is empty
        part,     ///< a part of it follows
        lent,     ///< a part, or all of it, lies in device memory
        question, ///< no message: can the reader copy from device memory of the sender? The place is that of a probe
    };

    std::uint64_t signature = 0;     ///< of the message. Of a question: what the bytes of the probe follow from
    std::uint64_t message_bytes = 0; ///< Of a question: its number, unlike any other of the sender
    std::uint64_t part_bytes = 0;    ///< of a part, or of what is lent
    std::int32_t process = 0;        ///< whose device memory that is
    kind what = kind::whole;
    std::uint64_t region = 0;  ///< of its slab
    std::uint64_t address = 0; ///< of the region, in that process
    std::uint64_t offset = 0;  ///< of the part, in the region
    std::array<std::byte, 64> handle{};
    std::uint64_t answer = 0; ///< its reader writes it into a question, before it releases that; 0: none
};
static_assert(sizeof(record) == 128 && std::is_trivially_copyable_v<record>); // whole cache lines

/// The answer to the question of that number. A reader that was stopped for long may answer in a record that is used
/// again; so an answer says to which question it belongs.
[[nodiscard]] constexpr std::uint64_t answer_to(std::uint64_t number, bool is_usable) noexcept {
    return 2 * number + (is_usable ? 1 : 0);
}

/// Signatures in shared memory of records, messages and discarded messages. Each side knows which comes next.
inline constexpr std::uint64_t record_signature = 0x7265636f7264, payload_signature = 0x7061796c6f6164,
                               unwanted_signature = 0x6e6f6e65;

} // namespace tutti::transport::detail::cuda
