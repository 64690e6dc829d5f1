// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/copy.hpp"
#include "../../transport/contract/transfer.hpp"
#include "../reduction/element.hpp"
#include "call_state.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace tutti::engine {

/// Begins what the ranks of a communicator send each other for messages. In the sender's byte order, as elements are.
struct packet_header {
    enum class kind : std::uint32_t {
        whole,    ///< the data follow in the packet
        eager,    ///< an announcement follows, and its data on the same channel
        announce, ///< an announcement follows, whose data wait at the sender for a grant
        grant,    ///< the receiver is ready for the announcement that follows
        credit,   ///< the receiver has taken as many credits as the announcement's `bytes`
    };
    std::int32_t tag = 0;
    std::uint32_t type_and_kind = 0;

    static constexpr std::uint32_t kinds = 7; ///< the bits of a kind
    [[nodiscard]] kind what() const noexcept { return static_cast<kind>(type_and_kind & kinds); }
    [[nodiscard]] std::uint32_t type() const noexcept { return type_and_kind & ~kinds; }
};
/// The length of data that do not travel in the packet, and the message's number if it waits for a grant.
struct announcement {
    std::uint64_t bytes = 0, number = 0;
};

/// The longest packet, and the longest data in it.
inline constexpr std::size_t most_packet_bytes = transport::most_varying_bytes;
inline constexpr std::size_t most_packet_data = most_packet_bytes - sizeof(packet_header);

/// A packet that is written where it stays until it is sent. A short one takes no memory but its own. That of a long
/// one is kept for the next.
class outgoing_packet {
public:
    /// Returns its length.
    std::size_t write(const packet_header& h, const void* data, std::size_t bytes) {
        const std::size_t all = sizeof h + bytes;
        is_long_ = all > short_.size();
        if (is_long_ && all > room_) {
            long_.reset(new std::byte[all]);
            room_ = all;
        }
        std::byte* const to = is_long_ ? long_.get() : short_.data();
        std::memcpy(to, &h, sizeof h);
        if (bytes > 0) tutti::detail::copy_bytes(to + sizeof h, data, bytes);
        return all;
    }
    [[nodiscard]] const std::byte* bytes() const noexcept { return is_long_ ? long_.get() : short_.data(); }

private:
    std::array<std::byte, 128> short_;
    std::unique_ptr<std::byte[]> long_;
    std::size_t room_ = 0; ///< of it
    bool is_long_ = false;
};

/// The bits of an element type's identity that a packet has.
[[nodiscard]] constexpr std::uint32_t type_of_packet(std::uint64_t type) noexcept {
    return static_cast<std::uint32_t>(type ^ type >> 32U) & ~packet_header::kinds;
}

/// A transfer that says what it is part of.
struct message_transfer : transport::transfer {
    enum class part : std::uint8_t { packet_in, credit_out, stored, of_message };
    part what = part::of_message;
    int peer = 0;       ///< a rank of the communicator
    void* of = nullptr; ///< the message; of `stored` the unexpected one
};

/// Blocks of one length whose beginnings lie one distance apart. No blocks: the data lie in a row.
struct strides {
    std::byte* first = nullptr;
    std::size_t blocks = 0, block_bytes = 0, distance = 0; ///< in bytes

    void pack(std::byte* to) const noexcept { copy<true>(to); }
    void unpack(std::byte* from) const noexcept { copy<false>(from); }

private:
    template <bool packs>
    void copy(std::byte* packed) const noexcept {
        switch (block_bytes) {
        case 4: return copy<packs, 4>(packed);
        case 8: return copy<packs, 8>(packed);
        case 16: return copy<packs, 16>(packed);
        default: return copy<packs, 0>(packed);
        }
    }
    /// `known`: the bytes of a block, or 0.
    template <bool packs, std::size_t known>
    void copy(std::byte* packed) const noexcept {
        const std::size_t bytes = known > 0 ? known : block_bytes;
        for (std::size_t k = 0; k < blocks; ++k) {
            std::byte *const apart = first + k * distance, *const in_a_row = packed + k * bytes;
            std::memcpy(packs ? in_a_row : apart, packs ? apart : in_a_row, known > 0 ? known : bytes);
        }
    }
};

/// Memory of messages that are over, of one thread.
class spare_messages {
public:
    spare_messages() = default;
    spare_messages(const spare_messages&) = delete;
    spare_messages& operator=(const spare_messages&) = delete;
    ~spare_messages() {
        while (first_) ::operator delete(std::exchange(first_, first_->next));
        number_ = most; // what other destructors of this thread free goes straight
    }

    [[nodiscard]] void* take(std::size_t bytes) {
        if (!first_) return ::operator new(bytes);
        --number_;
        return std::exchange(first_, first_->next);
    }
    void keep(void* p) noexcept {
        if (number_ >= most) return ::operator delete(p);
        ++number_;
        first_ = ::new (p) spare{first_};
    }

private:
    struct spare {
        spare* next;
    };
    static constexpr int most = 256;

    spare* first_ = nullptr;
    int number_ = 0;
};

/// In the place of a rank that is received from.
inline constexpr int any_rank = std::numeric_limits<int>::min(); // which no arithmetic on ranks gives

/// One send or receive between two ranks. The caller owns it, and keeps it in place from its start until it is over.
struct message : call_state {
    enum class direction : std::uint8_t { send, receive };

    // Set by the caller before the start.
    direction way = direction::send;
    int peer = 0;        ///< a rank of the communicator; of a receive perhaps any_rank
    bool probes = false; ///< a receive that takes nothing: it is over when a message is there
    std::int32_t tag = 0;
    std::byte* data = nullptr; ///< a send only reads it; of strides their packed data once it has started
    strides apart;
    std::size_t bytes = 0;
    std::size_t element_bytes = 1;
    std::uint32_t type = 0; ///< see type_of_packet
    tutti::detail::type_words type_name{};
    /// Of a receive of any length: called once, by the driving thread, with the length of the message. Returns memory
    /// for it.
    std::byte* (*allocate)(void* state, std::size_t bytes) = nullptr;
    void* allocate_state = nullptr;

    // Used by the thread that drives.
    int world_peer = 0;         ///< the peer's rank in the world
    message* next = nullptr;    ///< in the list of those that wait to be matched
    message* earlier = nullptr; ///< among those under way on the communicator
    message* later = nullptr;
    std::uint64_t number = 0; ///< of an announced one; of a receive, in the order of their starts
    int source = any_rank;    ///< of a receive: whose message it has met
    std::uint64_t cost = 0;   ///< of a receive: credits that the sender has spent on it
    int parts = 0;            ///< transfers that are not complete
    outgoing_packet packet;
    message_transfer head, body;
    std::unique_ptr<std::byte[]> packed; ///< kept for the next start
    std::size_t packed_bytes = 0;

    /// Programs have dozens under way, more than malloc keeps at hand: a thread keeps those that are over.
    /// @{
    [[nodiscard]] static void* operator new(std::size_t bytes) { return spares().take(bytes); }
    static void operator delete(void* p) noexcept { spares().keep(p); }
    /// @}

    using call_state::renew;
    /// Gives strides the memory from which, or to which, they travel.
    void pack() {
        if (packed_bytes < bytes) {
            packed_bytes = 0;
            packed.reset(new std::byte[bytes]);
            packed_bytes = bytes;
        }
        data = packed.get();
        if (way == direction::send) apart.pack(data);
    }
    /// The data of a receive have come.
    void unpack() const {
        if (way == direction::receive && !probes) apart.unpack(data);
    }

private:
    [[nodiscard]] static spare_messages& spares() noexcept {
        static thread_local spare_messages all;
        return all;
    }
};

/// "receive of 100 float32 from rank 3, tag 5", or "from any rank"; of a split communicator "from rank 1 (3 of the
/// world), tag 5".
[[nodiscard]] inline std::string in_words(const message& m) {
    const bool sends = m.way == message::direction::send;
    std::string text = sends ? "send of " : m.probes ? "probe of " : "receive of ";
    text += m.allocate || m.probes ? "any number of" : std::to_string(m.bytes / m.element_bytes);
    if (m.type_name) text += " " + m.type_name();
    if (m.peer == any_rank) return text + " from any rank, tag " + std::to_string(m.tag);
    text += (sends ? " to rank " : " from rank ") + std::to_string(m.peer);
    if (m.world_peer != m.peer) text += " (" + std::to_string(m.world_peer) + " of the world)";
    return text + ", tag " + std::to_string(m.tag);
}

} // namespace tutti::engine
