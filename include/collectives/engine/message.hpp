// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "call_state.hpp"

#include <transport/transfer.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace tutti::engine {

/// What the ranks of a communicator send each other for messages: a header, and the data of a short message. All in the
/// sender's byte order, as elements are.
struct message_packet {
    enum class kind : std::uint32_t {
        whole,    ///< the data lie in the packet
        eager,    ///< `bytes` of data follow on the same channel
        announce, ///< `bytes` of data wait at the sender for a grant of message `number`
        grant,    ///< the receiver is ready for message `number`
        credit,   ///< the receiver has taken `bytes` of credits
    };
    struct announcement {
        std::uint64_t bytes = 0, number = 0;
    };
    static constexpr std::size_t header_bytes = 8;
    /// Messages up to here travel in one packet.
    static constexpr std::size_t most_data = transport::most_varying_bytes - header_bytes;

    std::int32_t tag = 0;
    std::uint32_t type_and_kind = 0;
    std::array<std::byte, most_data> data; ///< of a packet that is not whole, an announcement

    static constexpr std::uint32_t kinds = 7; ///< the bits of a kind
    [[nodiscard]] kind what() const noexcept { return static_cast<kind>(type_and_kind & kinds); }
    [[nodiscard]] std::uint32_t type() const noexcept { return type_and_kind & ~kinds; }

    void announce(const announcement& a) noexcept { std::memcpy(data.data(), &a, sizeof a); }
    [[nodiscard]] announcement announced() const noexcept {
        announcement a;
        std::memcpy(&a, data.data(), sizeof a);
        return a;
    }
};
static_assert(sizeof(message_packet) == transport::most_varying_bytes);

/// The bits of an element type's identity that a packet has.
[[nodiscard]] constexpr std::uint32_t type_of_packet(std::uint64_t type) noexcept {
    return static_cast<std::uint32_t>(type ^ type >> 32U) & ~message_packet::kinds;
}

/// A transfer that says what it is part of.
struct message_transfer : transport::transfer {
    enum class part : std::uint8_t { packet_in, credit_out, stored, of_message };
    part what = part::of_message;
    int peer = 0;       ///< a rank of the communicator
    void* of = nullptr; ///< the message; of `stored` the unexpected one
};

/// One send or receive between two ranks. The caller owns it, and keeps it in place from its start until it is over.
struct message : call_state {
    enum class direction : std::uint8_t { send, receive };

    // Set by the caller before the start.
    direction way = direction::send;
    int peer = 0; ///< a rank of the communicator
    std::int32_t tag = 0;
    std::byte* data = nullptr; ///< a send only reads it
    std::size_t bytes = 0;
    std::size_t element_bytes = 1;
    std::uint32_t type = 0; ///< see type_of_packet
    std::string (*type_name)() = nullptr;
    /// Of a receive of any length: called once, by the driving thread, with the length of the message. Returns memory
    /// for it.
    std::byte* (*allocate)(void* state, std::size_t bytes) = nullptr;
    void* allocate_state = nullptr;

    // Used by the thread that drives.
    message* next = nullptr;    ///< in the list of those that wait to be matched
    message* earlier = nullptr; ///< among those under way on the communicator
    message* later = nullptr;
    std::uint64_t number = 0; ///< of an announced one
    std::uint64_t cost = 0;   ///< of a receive: credits that the sender has spent on it
    int parts = 0;            ///< transfers that are not complete
    message_packet packet;
    message_transfer head, body;

    using call_state::renew;
};

/// "receive of 100 float32 from rank 3, tag 5".
[[nodiscard]] inline std::string in_words(const message& m) {
    const bool sends = m.way == message::direction::send;
    std::string text = sends ? "send of " : "receive of ";
    text += m.allocate ? "any number of" : std::to_string(m.bytes / m.element_bytes);
    if (m.type_name) text += " " + m.type_name();
    return text + (sends ? " to rank " : " from rank ") + std::to_string(m.peer) + ", tag " + std::to_string(m.tag);
}

} // namespace tutti::engine
