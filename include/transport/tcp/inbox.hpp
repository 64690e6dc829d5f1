// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "credits.hpp"
#include "early.hpp"
#include "frame.hpp"
#include "transfer_queue.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tutti::transport::detail::tcp {

/// The receiving half of a channel: brings messages and receives together, in order. Knows no socket.
///
/// Fragments are taken strictly in order, whatever lanes they come by: a lane whose next fragment has not its turn is
/// left unread. That cannot deadlock, because a fragment waits only for fragments that the sender began before it.
class inbox {
public:
    enum class turn : std::uint8_t {
        now,   ///< the payload is to be handed in
        later, ///< fragments on other lanes come first
        never, ///< a sane peer does not send this
    };

    /// `waiting` counts incomplete receives over many channels.
    inbox(std::uint64_t window, std::size_t& waiting) noexcept : credits_(window), waiting_(waiting) {}

    /// Starts a receive; it is complete on return if the message is there.
    void post(transfer& x) {
        x.status = transfer_status::pending;
        x.moved = 0;
        ++waiting_;
        credits_.post(message_cost + x.bytes);
        if (early_.empty()) return posted_.push(x);
        const auto message = early_.oldest();
        match(x, message.length, message.signature);
        keep_ = keep_ && message.arrived == message.length;
        early_.take([this](std::span<const std::byte> piece) { deliver(piece); });
        if (message.arrived == message.length) finish_receive();
    }

    /// The header of a data frame came.
    [[nodiscard]] turn begin(const frame& f) {
        if (f.sequence != sequence_ || f.offset != arrived_) return turn_of(f);
        const bool first = f.offset == 0;
        if (!credits_.arrive(f.bytes + (first ? message_cost : 0))) return turn::never;
        if (first) begin_message(f);
        if (f.length != length_ || f.signature != signature_) return turn::never;
        if (f.length == 0) finish_message();
        return turn::now;
    }

    /// Where the next bytes of the payload can be put without a detour: the receiver's own memory, or nothing.
    [[nodiscard]] std::span<std::byte> place(std::size_t most) const noexcept {
        if (!receiver_ || receiver_->reduce) return {};
        return {receiver_->to + receiver_->moved, most};
    }
    /// That many bytes were put there.
    void placed(std::size_t bytes) noexcept {
        receiver_->moved += bytes;
        advance(bytes);
    }
    /// The next bytes of the payload, which came elsewhere.
    void arrive(std::span<const std::byte> bytes) {
        if (keep_)
            early_.append(bytes);
        else
            deliver(bytes);
        advance(bytes.size());
    }

    [[nodiscard]] grant& credits() noexcept { return credits_; }

    /// Forgets its transfers; what still comes must not be handed in.
    void abandon() noexcept {
        if (receiver_) --waiting_;
        for (; posted_.front(); posted_.pop()) --waiting_;
        receiver_ = nullptr;
    }

private:
    [[nodiscard]] turn turn_of(const frame& f) const noexcept {
        const auto ahead = static_cast<std::int32_t>(f.sequence - sequence_);
        return ahead > 0 || (ahead == 0 && f.offset > arrived_) ? turn::later : turn::never;
    }

    void begin_message(const frame& f) {
        length_ = f.length;
        signature_ = f.signature;
        keep_ = !posted_.front();
        if (keep_) return early_.begin(length_, signature_);
        transfer& x = *posted_.front();
        posted_.pop();
        match(x, length_, signature_);
    }

    void match(transfer& x, std::uint64_t length, std::uint64_t signature) {
        if (x.bytes == length && x.signature == signature) {
            receiver_ = &x;
            return;
        }
        credits_.correct(message_cost + x.bytes, message_cost + length);
        --waiting_;
        complete(x, transfer_status::mismatched);
    }

    void advance(std::size_t bytes) noexcept {
        arrived_ += bytes;
        if (arrived_ == length_) finish_message();
    }

    void finish_message() noexcept {
        ++sequence_;
        arrived_ = 0;
        finish_receive();
    }

    void finish_receive() noexcept {
        if (!receiver_) return;
        transfer& x = *receiver_;
        receiver_ = nullptr;
        --waiting_;
        complete(x);
    }

    /// To the receiver; to nowhere if the message is a mismatch.
    void deliver(std::span<const std::byte> bytes) {
        if (!receiver_) return;
        if (receiver_->reduce) return reduce(bytes);
        std::memcpy(receiver_->to + receiver_->moved, bytes.data(), bytes.size());
        receiver_->moved += bytes.size();
    }

    /// An element may come in two pieces, whose first waits in `part_`.
    void reduce(std::span<const std::byte> bytes) {
        const std::size_t element = receiver_->reduce->element_bytes;
        if (!part_.empty()) {
            const std::size_t more = std::min(element - part_.size(), bytes.size());
            part_.insert(part_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(more));
            bytes = bytes.subspan(more);
            if (part_.size() < element) return;
            combine(part_.data(), 1);
            part_.clear();
        }
        const std::size_t whole = bytes.size() / element;
        combine(bytes.data(), whole);
        const auto rest = bytes.subspan(whole * element);
        part_.assign(rest.begin(), rest.end());
    }

    void combine(const std::byte* incoming, std::size_t count) const {
        if (count == 0) return;
        transfer& x = *receiver_;
        const std::byte* own = x.from + x.moved;
        x.reduce->combine(x.to + x.moved, x.incoming_left ? incoming : own, x.incoming_left ? own : incoming, count,
                          x.reduce->state);
        x.moved += count * x.reduce->element_bytes;
    }

    grant credits_;
    std::size_t& waiting_;
    transfer_queue posted_; // receives without a message; empty while there are early messages
    early_messages early_;

    // The message that arrives, or the next one that will.
    std::uint32_t sequence_ = 0;
    std::uint64_t arrived_ = 0;
    std::uint64_t length_ = 0;
    std::uint64_t signature_ = 0;
    bool keep_ = false;            // it goes to the early ones
    transfer* receiver_ = nullptr; // or here; or, with neither, nowhere
    std::vector<std::byte> part_;  // of an element
};

} // namespace tutti::transport::detail::tcp
