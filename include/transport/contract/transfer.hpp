// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/reducer.hpp"

#include <cstddef>
#include <cstdint>

namespace tutti::transport {

class transfer_queue;

/// What has become of a transfer.
enum class transfer_status : std::uint8_t {
    pending,    ///< it is under way
    done,       ///< the message was sent, or delivered
    mismatched, ///< the message that came has another signature or length than the receive; nothing was delivered
};

/// The longest receives that may have a shorter message.
inline constexpr std::size_t most_varying_bytes = 4096;

/// One send or receive under way. The caller owns it and keeps it in place until it is in its `owner` list or the
/// context is closed; in between it belongs to the transport.
struct transfer {
    // Set by the caller before the start.
    const std::byte* from = nullptr; ///< send: the data. Receive-and-reduce: the local operand
    std::byte* to = nullptr;         ///< receive: where the data or the result goes; may equal `from`
    std::size_t bytes = 0;           ///< the length of the message, whole elements
    const reducer* reduce = nullptr; ///< null for a plain receive
    bool incoming_left = false;      ///< the incoming is the left operand
    bool may_view = false;           ///< a plain receive that need not be stored: see viewing_transport
    /// A plain receive of at most most_varying_bytes whose message may be shorter: `bytes` becomes its length.
    bool may_be_shorter = false;
    bool followed = false; ///< a send to the same peer starts next, at once: this one may wait for it, no longer
    bool is_plain = false; ///< a send whose receiver, as far as known, stores the message as it comes
    /// A send: its data are where they go already, written by who viewed the memory. A receive: that may be so.
    bool is_answer = false;
    /// A send: who views the message may write to its memory, if that is what the so many-th message of the call to
    /// this rank would bring; 0: no. Of a viewed receive it is the send's, set by the transport.
    std::uint32_t answer = 0;
    std::uint64_t signature = 0;     ///< of the call; both ends must agree
    transfer_queue* owner = nullptr; ///< the list to enter when complete

    // Set by the transport.
    transfer_status status = transfer_status::pending; ///< set to `pending` at the start
    bool viewed = false;      ///< done, but left where it lies instead of stored; set to false by the caller
    std::size_t moved = 0;    ///< bytes sent or delivered so far; mismatched: see accepts()
    transfer* next = nullptr; ///< link in the transport's queue, then in the owner's list
};

/// Transfers, first in first out, linked through themselves. One thread at a time.
class transfer_queue {
public:
    /// Adds one at the end. Precondition: it is in no other queue.
    void push(transfer& x) noexcept {
        x.next = nullptr;
        (last_ ? last_->next : first_) = &x;
        last_ = &x;
    }
    /// Removes the first and returns it; null if there is none.
    transfer* pop() noexcept {
        transfer* x = first_;
        if (x) {
            first_ = x->next;
            if (!first_) last_ = nullptr;
        }
        return x;
    }
    /// Forgets them all; none of them is touched.
    void clear() noexcept { first_ = last_ = nullptr; }
    /// The first one; null if there is none.
    [[nodiscard]] transfer* front() const noexcept { return first_; }
    /// There is none.
    [[nodiscard]] bool empty() const noexcept { return !first_; }

private:
    transfer* first_ = nullptr;
    transfer* last_ = nullptr;
};

/// Whether a receive takes a message of that length and signature; `bytes` is its length then. Else it is mismatched,
/// and `moved` the length of a message that has its signature; of any other, and where a transport does not know it,
/// that is `bytes`.
[[nodiscard]] inline bool accepts(transfer& x, std::uint64_t length, std::uint64_t signature) noexcept {
    if (signature != x.signature || length > x.bytes || (length < x.bytes && !x.may_be_shorter)) {
        x.moved = signature == x.signature ? length : x.bytes;
        return false;
    }
    x.bytes = length;
    return true;
}

/// Marks a transfer complete and hands it back.
inline void complete(transfer& x, transfer_status status = transfer_status::done) noexcept {
    x.status = status;
    x.owner->push(x);
}

} // namespace tutti::transport
