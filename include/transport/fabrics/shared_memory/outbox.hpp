// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/copy.hpp"
#include "../../contract/transfer.hpp"
#include "foreign_memory.hpp"
#include "options.hpp"
#include "own_segment.hpp"
#include "peer.hpp"
#include "symmetric_heap.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

namespace tutti::transport::detail::shm {

/// The sending end of a lane. Driven by the sender's thread; the flags are argued in flag.hpp.
class outbox {
public:
    outbox(own_segment::way& way, peer& receiver, symmetric_heap& heap, copy_costs& costs,
           const shared_memory_limits& limits) noexcept
        : lane_(*way.data), where_(*way.where), rooms_(way.rooms), receiver_(receiver), heap_(heap), costs_(costs),
          limits_(limits), least_lent_(std::min({std::max<std::size_t>(limits.lend_bytes, 1),
                                                 std::max<std::size_t>(limits.lend_symmetric_bytes / 8, 1),
                                                 limits.chooses ? copy_costs::least_long : limits.never})) {}

    ~outbox() { costs_.end_sends(long_sends_); }
    outbox(const outbox&) = delete;
    outbox& operator=(const outbox&) = delete;

    void send(transfer& x) {
        x.moved = 0;
        if (copy_costs::is_long(x.bytes)) ++long_sends_, costs_.begin_send();
        waiting_.push(x);
        if (waiting_.front() == &x) fill();
    }

    /// Completes the sends that the receiver has read, and fills the slots that came free.
    bool advance() {
        const bool moved = reap();
        return fill() || moved;
    }

    [[nodiscard]] bool busy() const noexcept { return lent_count_ > 0 || !waiting_.empty(); }

    /// advance() would move something.
    [[nodiscard]] bool ready() const noexcept {
        return (lent_count_ > 0 && lane_.at(oldest_).flag.is_free()) ||
               (!waiting_.empty() && lane_.at(next_).flag.is_free() && has_room());
    }

    /// As ready(); if not, the receiver rings this rank's bell when that changes.
    [[nodiscard]] bool ask() noexcept {
        if (lent_count_ > 0 && lane_.at(oldest_).flag.is_free_asking()) return true;
        if (waiting_.empty() || !lane_.at(next_).flag.is_free_asking()) return false;
        slot* const limit = rooms_.limit(next_);
        return !limit || limit->flag.is_free_asking();
    }

    /// Forgets all transfers; nothing is delivered any more that is read of their memory from now on. Waits for a piece
    /// that is being used; not for long, since the peer may have been stopped in the middle of it. When it goes on it
    /// notices, and delivers nothing. What it may write is taken back first.
    void withdraw() noexcept {
        for (std::uint32_t turn = 0; turn < lane::slot_count; ++turn)
            if (lent_[turn]) lane_.at(turn).flag.withdraw();
        decltype(slot::flag)::finish_withdrawals();
        const auto until = clock::now() + std::chrono::milliseconds{100};
        for (std::uint32_t turn = 0; turn < lane::slot_count; ++turn)
            while (lent_[turn] && lane_.at(turn).flag.is_being_read() && !receiver_.is_dead() && clock::now() < until)
                std::this_thread::yield();
        for (std::uint32_t turn = 0; turn < lane::slot_count; ++turn)
            if (lent_[turn] && lane_.at(turn).flag.is_being_read() && !receiver_.is_dead())
                take_back(lane_.at(turn), *lent_[turn]);
        lent_ = {};
        lent_count_ = 0;
        waiting_.clear();
    }

private:
    /// The piece of an answer that is being written. See inbox::answer().
    void take_back(slot& s, const transfer& x) noexcept {
        const std::uint64_t at = s.answered().load(std::memory_order_relaxed);
        if (at < x.bytes) heap_.take_back(x.from + at, std::min(slot::answered_bytes, x.bytes - at));
    }

    /// A lane full at most, for the same reason as in the inbox.
    bool fill() {
        std::uint32_t parts = 0;
        for (; parts < lane::slot_count && !waiting_.empty() && may_put(); ++parts) put(*waiting_.front());
        return parts > 0;
    }

    [[nodiscard]] bool has_room() const noexcept {
        const slot* const limit = rooms_.limit(next_);
        return !limit || limit->flag.is_free();
    }
    [[nodiscard]] bool may_put() noexcept { return lane_.at(next_).flag.is_free() && rooms_.may_fill(next_); }

    /// The next part of the first message, into the next slot, which is free.
    void put(transfer& x) {
        if (lent_[next_ % lane::slot_count]) reap();
        slot& s = lane_.at(next_);
        s.signature = x.signature;
        s.message_bytes = x.bytes;
        const bool lend = x.moved == 0 && !x.is_answer && may_lend(s, x);
        if (x.is_answer) {
            s.lent = s.part_bytes = 0;
            x.moved = x.bytes;
        } else if (lend) {
            waiting_.pop();
            if (lent_count_++ == 0) oldest_ = next_;
            lent_[next_ % lane::slot_count] = &x;
        } else {
            copy_part(s, x);
        }
        ++next_;
        if (s.flag.publish()) receiver_.ring();
        // The receiver has the lines of the next slot; the first two are prefetched here, off the path of a message.
        const slot& following = lane_.at(next_);
        __builtin_prefetch(&following, 1);
        __builtin_prefetch(&following.data[64], 1);
        if (!lend && x.moved == x.bytes) finish(*waiting_.pop());
    }
    void finish(transfer& x) {
        if (copy_costs::is_long(x.bytes)) --long_sends_, costs_.end_sends(1);
        complete(x);
    }

    /// True if the whole message is lent; then the slot says where it lies.
    [[nodiscard]] bool may_lend(slot& s, const transfer& x) {
        if (x.bytes < least_lent_) return false; // most are short
        const bool may_choose = limits_.chooses && x.is_plain && copy_costs::is_long(x.bytes);
        const bool by_length = x.bytes >= limits_.lend_bytes || may_choose;
        const std::size_t symmetric = x.answer == 0 ? limits_.lend_symmetric_bytes : limits_.lend_symmetric_bytes / 8;
        if (!by_length && x.bytes < symmetric) return false;
        s.lent = reinterpret_cast<std::uintptr_t>(x.from);
        s.region = x.bytes >= symmetric ? heap_.region_of(x.from, x.bytes) : 0;
        s.part_bytes = s.region != 0 && !heap_.is_pinned() ? x.answer : 0;
        s.answered().store(slot::nothing_answered, std::memory_order_relaxed); // published with the slot
        if (s.region != 0) return true;
        if (!by_length || where_.may_lend.load(std::memory_order_relaxed) == 0) return false;
        if (x.bytes >= limits_.lend_bytes) return true;
        return is_readable(x) && costs_.by_kernel(x.bytes, sent_, receiver_.top().costs);
    }
    /// The kernel reads that memory, too: not so what is secret, or a device's. It is tried at both ends of a message,
    /// once for messages of the same memory.
    [[nodiscard]] bool is_readable(const transfer& x) noexcept {
        if (x.from == readable_ && x.bytes == readable_bytes_) return true;
        std::byte seen;
        for (const std::byte* at : {x.from, x.from + x.bytes - 1})
            if (!read_foreign(::getpid(), reinterpret_cast<std::uintptr_t>(at), &seen, 1)) return false;
        readable_ = x.from;
        readable_bytes_ = x.bytes;
        return true;
    }

    void copy_part(slot& s, transfer& x) {
        const std::size_t part = std::min(x.bytes - x.moved, room::most_bytes);
        s.lent = 0;
        s.part_bytes = static_cast<std::uint32_t>(part);
        std::byte* to = s.data.data();
        if (part > slot::small_bytes) {
            const auto& [number, memory] = rooms_.place(next_);
            s.region = number;
            to = memory;
        }
        if (x.is_plain && costs_.is_timed(x.bytes, part)) {
            const auto begun = clock::now();
            tutti::detail::copy_bytes(to, x.from + x.moved, part);
            costs_.note_into(x.bytes, part, clock::now() - begun, sent_);
        } else if (part > 0) {
            tutti::detail::copy_bytes(to, x.from + x.moved, part);
        }
        x.moved += part;
    }

    /// Slots are read in turn, so the first that is still full ends the search. Between them lie those with data.
    bool reap() {
        bool moved = false;
        for (; lent_count_ > 0; ++oldest_) {
            transfer*& x = lent_[oldest_ % lane::slot_count];
            if (!x) continue;
            if (!lane_.at(oldest_).flag.is_free()) break;
            x->moved = x->bytes;
            // Where the memory was taken back meanwhile, for another call, an answer may be lost: this one ends in
            // vain.
            if (x->answer == 0 || lane_.at(oldest_).region == 0 || heap_.region_of(x->from, x->bytes) != 0) finish(*x);
            x = nullptr;
            --lent_count_;
            moved = true;
        }
        return moved;
    }

    lane& lane_;
    const directory::entry& where_;
    outgoing_rooms& rooms_; ///< of this lane
    peer& receiver_;
    symmetric_heap& heap_;
    copy_costs& costs_;
    copy_costs::history sent_;
    const shared_memory_limits& limits_;
    const std::size_t least_lent_;                   ///< no shorter message is lent
    transfer_queue waiting_;                         ///< for free slots
    std::array<transfer*, lane::slot_count> lent_{}; ///< the transfer whose memory the slot points at, by slot
    std::uint32_t lent_count_ = 0;
    const std::byte* readable_ = nullptr; ///< the last message whose memory was tried
    std::size_t readable_bytes_ = 0;
    std::uint32_t long_sends_ = 0; ///< of those that wait or are lent
    std::uint32_t oldest_ = 0;     ///< turn of the first lent slot, if any
    std::uint32_t next_ = 0;       ///< turn of the next part
};

} // namespace tutti::transport::detail::shm
