// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/copy.hpp"
#include "../../contract/transfer.hpp"
#include "../../world/doorbell.hpp"
#include "lane.hpp"

#include <thread>

namespace tutti::transport::detail {

/// The sending end of a lane. Driven by the sender's thread; the flags are argued in slot_flag.hpp.
class outbox {
public:
    outbox(lane& way, doorbell& receiver) noexcept : lane_(way), receiver_(receiver) {}

    void send(transfer& x) {
        if (!waiting_.empty() || !put(x)) waiting_.push(x);
    }

    /// Completes the sends that the receiver has read, and fills the slots that came free.
    bool advance() {
        bool moved = reap();
        while (!waiting_.empty() && has_room()) {
            put(*waiting_.pop());
            moved = true;
        }
        return moved;
    }

    [[nodiscard]] bool busy() const noexcept { return lent_count_ > 0 || !waiting_.empty(); }

    /// advance() would move something.
    [[nodiscard]] bool ready() const noexcept {
        return (lent_count_ > 0 && lane_.at(oldest_).flag.is_free()) || (!waiting_.empty() && has_room());
    }

    /// As ready(); if not, the receiver rings this rank's bell when that changes.
    [[nodiscard]] bool ask() noexcept {
        return (lent_count_ > 0 && lane_.at(oldest_).flag.is_free_asking()) ||
               (!waiting_.empty() && lane_.at(next_).flag.is_free_asking());
    }

    /// Forgets all transfers; the receiver reads none of their memory after this returns. Waits for the piece, or the
    /// viewed message, that is being read, if any. The lane is of no use afterwards.
    void withdraw() noexcept {
        for (std::uint32_t turn = 0; turn < lane::slot_count; ++turn) {
            if (!lent_[turn]) continue;
            slot& s = lane_.at(turn);
            s.flag.withdraw();
            while (s.flag.is_being_read()) std::this_thread::yield();
        }
        lent_ = {};
        lent_count_ = 0;
        waiting_ = {};
    }

private:
    [[nodiscard]] bool has_room() const noexcept { return lane_.at(next_).flag.is_free(); }

    bool put(transfer& x) {
        if (!has_room()) return false;
        if (lent_[next_ % lane::slot_count]) reap();
        slot& s = lane_.at(next_);
        s.signature = x.signature;
        s.bytes = x.bytes;
        s.answer = x.is_answer ? slot::is_there : x.answer;
        const bool eager = x.bytes <= (x.answer == 0 ? slot::eager_bytes : slot::eager_bytes / 4) || x.is_answer;
        if (eager) {
            if (x.bytes > 0 && !x.is_answer) tutti::detail::copy_bytes(s.data.data(), x.from, x.bytes);
            s.from = s.data.data();
        } else {
            s.from = x.from;
            lend(x);
        }
        ++next_;
        if (s.flag.publish()) receiver_.ring();
        if (eager) finish(x);
        return true;
    }

    void lend(transfer& x) noexcept {
        if (lent_count_++ == 0) oldest_ = next_;
        lent_[next_ % lane::slot_count] = &x;
    }

    /// Slots are read in turn, so the first that is still full ends the search. Between them lie eager ones.
    bool reap() {
        bool moved = false;
        for (; lent_count_ > 0; ++oldest_) {
            transfer*& x = lent_[oldest_ % lane::slot_count];
            if (!x) continue;
            if (!lane_.at(oldest_).flag.is_free()) break;
            finish(*x);
            x = nullptr;
            --lent_count_;
            moved = true;
        }
        return moved;
    }

    static void finish(transfer& x) noexcept {
        x.moved = x.bytes;
        complete(x);
    }

    lane& lane_;
    doorbell& receiver_;
    transfer_queue waiting_;                         ///< for a free slot
    std::array<transfer*, lane::slot_count> lent_{}; ///< the transfer whose memory the slot points at, by slot
    std::uint32_t lent_count_ = 0;
    std::uint32_t oldest_ = 0; ///< turn of the first lent slot, if any
    std::uint32_t next_ = 0;   ///< turn of the next message
};

} // namespace tutti::transport::detail
