// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"
#include "outbox.hpp"

#include <cstdint>

namespace tutti::transport::detail::tcp {

class channel;

/// A place in a queue of channels.
struct queue_link {
    channel* next = nullptr;
    bool queued = false;
};

/// One context's ordered messages to and from one peer.
class channel {
public:
    /// Nothing can be sent until its outbox gets its window.
    channel(context k, int with, std::uint64_t window, outstanding& waiting) noexcept
        : where(k), peer(with), in(window, waiting), out(0, waiting) {}
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;

    const context where;
    const int peer;
    bool opened = false; ///< by this rank; until then only the peer has used it
    /// How the peer has used it: not before anything came from here, or ahead, with a place or before it came to that.
    enum class usage : std::uint8_t { none, unplaced, placed } by_peer = usage::none;
    bool placed = false;               ///< it has one of this rank's places at the peer
    bool announced = false;            ///< its first message waits for the peer, or did
    standing stands = standing::first; ///< of its next frame
    [[nodiscard]] bool heard() const noexcept { return stands == standing::open; }
    inbox in;
    outbox out;
    queue_link data;         ///< among those with something to send
    queue_link credit;       ///< among those that owe the peer a credit
    queue_link announcement; ///< among those that are to be announced
};

/// Channels in the order of their turns, each at most once.
template <queue_link channel::*Link>
class channel_queue {
public:
    [[nodiscard]] channel* front() const noexcept { return first_; }
    void push(channel& c) noexcept {
        if ((c.*Link).queued) return;
        c.*Link = {nullptr, true};
        (last_ ? (last_->*Link).next : first_) = &c;
        last_ = &c;
    }
    void pop() noexcept {
        channel& c = *first_;
        first_ = (c.*Link).next;
        if (!first_) last_ = nullptr;
        c.*Link = {};
    }
    /// Takes a channel out; linear in the queue.
    void remove(const channel& c) noexcept {
        if (!(c.*Link).queued) return;
        channel* const end = last_;
        for (channel* each = first_; each;) {
            channel* const following = each == end ? nullptr : (each->*Link).next;
            pop();
            if (each != &c) push(*each);
            each = following;
        }
    }

private:
    channel* first_ = nullptr;
    channel* last_ = nullptr;
};

} // namespace tutti::transport::detail::tcp
