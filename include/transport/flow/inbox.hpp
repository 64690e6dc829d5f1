// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../world/receive_reduce.hpp"
#include "credits.hpp"
#include "frame_header.hpp"
#include "unexpected_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

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

    /// A plain receive from this size on is better read straight to where it belongs; copying less is cheaper than a
    /// system call more.
    static constexpr std::size_t placed_bytes = 16 * 1024;

    /// `waiting` counts incomplete transfers over many channels.
    inbox(std::uint64_t window, outstanding& waiting) noexcept : credits_(window), waiting_(waiting) {}

    /// Starts a receive; it is complete on return if the message is there.
    void post(transfer& x) {
        x.status = transfer_status::pending;
        x.moved = 0;
        ++waiting_.transfers;
        waiting_.placed += is_placed(x);
        credits_.post(message_cost + x.bytes);
        if (early_.empty()) return posted_.push(x);
        const auto message = early_.oldest();
        match(x, message.length, message.signature);
        keep_ = keep_ && message.arrived == message.length;
        early_.take([this](std::span<const std::byte> piece) { delivery_.take(piece); });
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
        std::byte* const own = delivery_.place();
        return {own, own ? most : 0};
    }
    /// That many bytes were put there.
    void placed(std::size_t bytes) noexcept {
        delivery_.placed(bytes);
        advance(bytes);
    }
    /// The next bytes of the payload, which came elsewhere.
    void arrive(std::span<const std::byte> bytes) {
        if (keep_)
            early_.append(bytes);
        else
            delivery_.take(bytes);
        advance(bytes.size());
    }

    [[nodiscard]] grant& credits() noexcept { return credits_; }

    /// Forgets its transfers. Data that still come must not be handed in.
    void abandon() noexcept {
        if (const transfer* const x = delivery_.end()) forget(*x);
        while (const transfer* const x = posted_.pop()) forget(*x);
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
        match(*posted_.pop(), length_, signature_);
    }

    void match(transfer& x, std::uint64_t length, std::uint64_t signature) {
        credits_.correct(x.bytes, length);
        if (accepts(x, length, signature)) {
            delivery_.begin(x);
            return;
        }
        forget(x);
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
        transfer* const x = delivery_.end();
        if (!x) return;
        forget(*x);
        complete(*x);
    }

    [[nodiscard]] static bool is_placed(const transfer& x) noexcept { return !x.reduce && x.bytes >= placed_bytes; }
    void forget(const transfer& x) noexcept {
        --waiting_.transfers;
        waiting_.placed -= is_placed(x);
    }

    grant credits_;
    outstanding& waiting_;
    transfer_queue posted_; // receives without a message; empty while there are early messages
    unexpected_messages early_;

    // The message that arrives, or the next one that will.
    std::uint32_t sequence_ = 0;
    std::uint64_t arrived_ = 0;
    std::uint64_t length_ = 0;
    std::uint64_t signature_ = 0;
    bool keep_ = false; // it goes to the early ones
    delivery delivery_; // or here; or, with neither, nowhere
};

} // namespace tutti::transport::detail::tcp
