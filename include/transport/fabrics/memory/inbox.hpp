// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/copy.hpp"
#include "../../world/doorbell.hpp"
#include "../../world/receive_reduce.hpp"
#include "lane.hpp"

#include <algorithm>

namespace tutti::transport::detail {

/// The receiving end of a lane. Driven by the receiver's thread; the flags are argued in slot_flag.hpp.
class inbox {
public:
    /// Larger messages are read in pieces, so that other channels get their turns and a sender that withdraws its
    /// memory waits for no more than one of them; but for those that are viewed, which are read in one go.
    static constexpr std::size_t piece_bytes = 64 * 1024;

    inbox(lane& way, doorbell& sender) noexcept : lane_(way), sender_(sender) {}

    void receive(transfer& x) {
        waiting_.push(x);
        if (waiting_.front() == &x) advance();
    }

    /// Receives the messages that have come, up to one piece of a large one.
    bool advance() {
        bool moved = false;
        while (ready()) {
            moved = true;
            if (!take(lane_.at(next_), *waiting_.front())) break;
        }
        return moved;
    }

    [[nodiscard]] bool busy() const noexcept { return !waiting_.empty(); }

    /// A message is there, whether or not a receive waits for it.
    [[nodiscard]] bool has_message() const noexcept { return lane_.at(next_).flag.has_part(); }

    /// advance() would move something.
    [[nodiscard]] bool ready() const noexcept { return busy() && !viewed_ && has_message(); }

    /// As ready(); if not, the sender rings this rank's bell when that changes.
    [[nodiscard]] bool ask() noexcept { return busy() && !viewed_ && lane_.at(next_).flag.has_part_asking(); }

    /// Where the message of a viewed receive lies, until release(); null if it was withdrawn.
    [[nodiscard]] const std::byte* look() noexcept {
        slot& s = lane_.at(next_);
        return is_eager(s) || s.flag.begin_reading() ? s.from : nullptr;
    }
    /// Between look and release. The sender waits for that.
    [[nodiscard]] bool answer(std::size_t offset, const std::byte* from, std::size_t bytes) noexcept {
        tutti::detail::copy_bytes(const_cast<std::byte*>(lane_.at(next_).from) + offset, from, bytes);
        return true;
    }
    /// False if it was withdrawn; then nothing comes after it.
    [[nodiscard]] bool release() noexcept {
        slot& s = lane_.at(next_);
        if (!is_eager(s) && !s.flag.end_reading()) return false;
        viewed_ = false;
        free(s);
        return true;
    }

private:
    /// The sender's memory may be read while this lives, if it is `granted`.
    class [[nodiscard]] reading_claim {
    public:
        explicit reading_claim(slot& s) noexcept : slot_(s), granted_(s.flag.begin_reading()) {}
        reading_claim(const reading_claim&) = delete;
        reading_claim& operator=(const reading_claim&) = delete;
        ~reading_claim() { slot_.flag.end_reading(); }
        [[nodiscard]] bool granted() const noexcept { return granted_; }

    private:
        slot& slot_;
        bool granted_;
    };

    /// False when the next message is not to be looked at in this turn.
    bool take(slot& s, transfer& x) {
        if (!accepts(x, s.bytes, s.signature)) return finish(s, transfer_status::mismatched);
        if (s.answer == slot::is_there) {
            x.moved = x.bytes;
            return finish(s, x.is_answer ? transfer_status::done : transfer_status::mismatched);
        }
        if (x.may_view) return show(s, x);
        if (is_eager(s)) {
            deliver(x, s.from, x.bytes);
            return finish(s, transfer_status::done);
        }
        {
            const reading_claim claim{s};
            if (!claim.granted()) return false;
            deliver(x, s.from + x.moved, std::min(piece_of(x), x.bytes - x.moved));
        }
        if (x.moved == x.bytes) finish(s, transfer_status::done);
        return false;
    }

    [[nodiscard]] static std::size_t piece_of(const transfer& x) noexcept {
        if (!x.reduce) return piece_bytes;
        return std::max<std::size_t>(piece_bytes / x.reduce->element_bytes, 1) * x.reduce->element_bytes;
    }

    static void deliver(transfer& x, const std::byte* incoming, std::size_t bytes) {
        if (bytes == 0) return;
        if (x.reduce) return combine(x, incoming, bytes / x.reduce->element_bytes);
        tutti::detail::copy_bytes(x.to + x.moved, incoming, bytes);
        x.moved += bytes;
    }

    [[nodiscard]] static bool is_eager(const slot& s) noexcept { return s.from == s.data.data(); }

    /// The message stays where it is, and is the channel's next until it has been read.
    bool show(const slot& s, transfer& x) {
        viewed_ = x.viewed = true;
        x.answer = is_eager(s) ? 0 : s.answer;
        x.moved = x.bytes;
        complete(*waiting_.pop());
        return false;
    }

    bool finish(slot& s, transfer_status status) {
        free(s);
        complete(*waiting_.pop(), status);
        return true;
    }
    void free(slot& s) noexcept {
        ++next_;
        if (s.flag.release()) sender_.ring();
    }

    lane& lane_;
    doorbell& sender_;
    transfer_queue waiting_; ///< for their messages
    std::uint32_t next_ = 0; ///< turn of the next message
    bool viewed_ = false;    ///< it belongs to a receive that is complete, and waits to be read
};

} // namespace tutti::transport::detail
