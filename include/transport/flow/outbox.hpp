// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../contract/transfer.hpp"
#include "credits.hpp"
#include "frame_header.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tutti::transport::detail::tcp {

/// A piece of a message on its way out. The frame is filled in but for the context.
struct fragment {
    frame head;
    transfer* message = nullptr; ///< null: no transfer completes when it is out
    const std::byte* payload = nullptr;
};

/// The sending half of a channel: cuts messages into fragments as far as credits go. Knows no socket.
class outbox {
public:
    /// Pieces smaller than this are not cut because of credits; their overhead would be too large.
    static constexpr std::uint64_t least_fragment = 4096;

    /// `waiting` counts incomplete transfers over many channels; a send no more once all of it is handed to a lane.
    outbox(std::uint64_t window, outstanding& waiting) noexcept : credits_(window), waiting_(waiting) {}

    void push(transfer& x) noexcept {
        x.status = transfer_status::pending;
        x.moved = 0;
        ++waiting_.transfers;
        queue_.push(x);
    }

    /// There is a message, and credit for its next piece.
    [[nodiscard]] bool ready() const noexcept {
        const transfer* x = queue_.front();
        return x && credits_.left() >= overhead() + std::min<std::uint64_t>(x->bytes - handed_, least_fragment);
    }

    /// No message waits.
    [[nodiscard]] bool empty() const noexcept { return queue_.empty(); }

    /// The length of the message whose turn it is. Precondition: ready().
    [[nodiscard]] std::size_t length() const noexcept { return queue_.front()->bytes; }

    /// The next piece, of at most `most` bytes. Precondition: ready().
    [[nodiscard]] fragment next(std::size_t most) noexcept {
        transfer& x = *queue_.front();
        const std::uint64_t allowed = credits_.left() - overhead();
        const auto bytes = std::min({x.bytes - handed_, most, std::size_t{allowed}});
        credits_.spend(overhead() + bytes);
        fragment piece{{}, &x, x.from + handed_};
        piece.head.bytes = static_cast<std::uint32_t>(bytes);
        piece.head.sequence = sequence_;
        piece.head.length = x.bytes;
        piece.head.signature = x.signature;
        piece.head.offset = handed_;
        handed_ += bytes;
        if (handed_ == x.bytes) pop();
        return piece;
    }

    [[nodiscard]] allowance& credits() noexcept { return credits_; }

    /// Forgets its transfers.
    void abandon() noexcept {
        while (queue_.front()) pop();
    }

private:
    [[nodiscard]] std::uint64_t overhead() const noexcept { return handed_ == 0 ? message_cost : 0; }

    void pop() noexcept {
        queue_.pop();
        handed_ = 0;
        ++sequence_;
        --waiting_.transfers;
    }

    allowance credits_;
    outstanding& waiting_;
    transfer_queue queue_;
    std::size_t handed_ = 0; // bytes of the front message that are cut already
    std::uint32_t sequence_ = 0;
};

} // namespace tutti::transport::detail::tcp
