// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../world/receive_reduce.hpp"
#include "peer.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace tutti::transport::detail::shm {

/// The receiving end of a lane. Driven by the receiver's thread; the flags are argued in flag.hpp.
class inbox {
public:
    /// Lent messages are read in pieces, so that other channels get their turns, and a reduction finds its operand in
    /// the cache.
    static constexpr std::size_t piece_bytes = 128 * 1024, plain_piece_bytes = 512 * 1024;

    /// `landing` is shared by all inboxes of a rank.
    inbox(context k, int self, peer& from, std::vector<std::byte>& landing, copy_costs& costs) noexcept
        : where_(k), self_(self), from_(from), landing_(landing), costs_(costs) {
        connect();
    }
    ~inbox() { costs_.end_receives(long_waiting_); }
    inbox(const inbox&) = delete;
    inbox& operator=(const inbox&) = delete;

    /// What still comes is not looked at. False if the sender has not made the lane yet: then it is to be closed when
    /// it has.
    [[nodiscard]] bool close() noexcept { return close_lane(from_, where_, self_, entry_); }
    /// The same for a lane of a context that this rank has left before.
    [[nodiscard]] static bool close_lane(peer& from, context k, int self, directory::entry* known = nullptr) noexcept {
        try {
            if (!known) known = entry_of(from.memory(), k, self);
        } catch (const std::exception&) {
            return false; // there is no memory to look at the peer's with
        }
        if (known) from.top().lanes.close(*known);
        return known != nullptr;
    }

    void receive(transfer& x) {
        x.moved = 0;
        if (copy_costs::is_long(x.bytes))
            ++long_waiting_, costs_.begin_receive(waiting_.empty() && unwanted_ == 0 && !viewed_ && has_part());
        waiting_.push(x);
        if (waiting_.front() == &x) advance();
    }

    /// Takes what has come: a lane full at most, or one piece of a lent message. A sender may fill slots as fast as
    /// they are read, and other channels want their turns.
    bool advance() {
        std::uint32_t parts = 0;
        while (parts < lane::slot_count && ready()) {
            ++parts;
            if (!take(lane_->at(next_))) break;
        }
        return parts > 0;
    }

    [[nodiscard]] bool busy() const noexcept { return !waiting_.empty() || unwanted_ > 0; }

    /// A part is there, whether or not a receive waits for it.
    [[nodiscard]] bool has_part() noexcept {
        if ((!lane_ && !connect()) || !broken_.empty()) return false;
        const slot& s = lane_->at(next_);
        if (!s.flag.has_part()) return false;
        // Data behind the flag's own cache line comes while the engine is on its way here.
        __builtin_prefetch(&s.data[64]);
        return true;
    }

    /// Why nothing more can be received, if so.
    [[nodiscard]] const std::string& broken() const noexcept { return broken_; }

    /// What this rank lacks, if that is why.
    [[nodiscard]] const std::optional<std::string>& shortage() const noexcept { return shortage_; }

    /// advance() would move something.
    [[nodiscard]] bool ready() noexcept { return busy() && !viewed_ && has_part(); }

    /// As ready(); if not, the sender rings this rank's bell when that changes, or when it makes the lane.
    [[nodiscard]] bool ask() noexcept {
        return busy() && !viewed_ && (lane_ || connect()) && broken_.empty() && lane_->at(next_).flag.has_part_asking();
    }

    /// Where the message of a viewed receive lies, until release(); null if it was withdrawn or cannot be read.
    [[nodiscard]] const std::byte* look(const transfer& x) {
        slot& s = lane_->at(next_);
        if (s.lent == 0) return data_of(s);
        const std::byte* const there = reach(s, s.lent, x.bytes);
        return there && s.flag.begin_reading() ? there : nullptr;
    }
    /// Writes a piece of the answer to where the message lies. Between look and release. False if it was withdrawn.
    ///
    /// Each time it says where it will write (store), then looks whether it may (load). The sender first withdraws
    /// (read-modify-write), then looks where that is (load). There is a fence between the two of each side, so one sees
    /// the other: what is written later than the sender has looked lies within what it has read.
    [[nodiscard]] bool answer(std::size_t offset, const std::byte* from, std::size_t bytes) {
        slot& s = lane_->at(next_);
        std::byte* const there = const_cast<std::byte*>(reach(s, s.lent + offset, bytes));
        for (std::size_t done = 0; there && done < bytes; done += slot::answered_bytes) {
            s.answered().store(offset + done, std::memory_order_relaxed);
            if (s.flag.was_withdrawn()) return false; // behind its fence
            tutti::detail::copy_bytes(there + done, from + done, std::min(slot::answered_bytes, bytes - done));
        }
        return there;
    }
    /// False if it was withdrawn, or was not there at all; then nothing comes after it.
    [[nodiscard]] bool release() noexcept {
        slot& s = lane_->at(next_);
        if (s.lent != 0) {
            s.flag.end_reading();
            // This rank may have been stopped meanwhile for longer than the sender waits.
            if (s.flag.was_withdrawn()) return false;
        }
        if (!broken_.empty()) return false;
        viewed_ = false;
        return release(s);
    }

private:
    /// Finds the lane. The sender may not have made it yet.
    bool connect() noexcept {
        const std::uint32_t additions = from_.top().lanes.additions(self_);
        if (additions == seen_additions_) return false;
        seen_additions_ = additions;
        try {
            entry_ = entry_of(from_.memory(), where_, self_);
            if (entry_) lane_ = &from_.memory().at<lane>(entry_->lane);
        } catch (const std::exception& e) {
            cannot_reach(e);
        }
        if (!lane_) return false;
        if (from_.readable()) entry_->may_lend.store(1, std::memory_order_relaxed);
        return true;
    }

    /// False when the next part is not to be looked at in this turn.
    bool take(slot& s) {
        if (s.lent == 0 && s.part_bytes > most_bytes(s)) {
            broken_ = senseless;
            return false;
        }
        if (unwanted_ > 0) {
            if (s.lent == 0) unwanted_ -= s.part_bytes;
            return release(s);
        }
        transfer& x = *waiting_.front();
        if (!delivery_.receiver()) {
            if (!begin(s, x)) return release(s);
            if (is_answer(s)) return take_answer(s, x);
            if (lies_whole(s)) {
                if (x.may_view) return show(s, x);
                if (s.lent == 0) return take_whole(s, x);
            }
        }
        if (s.lent != 0) {
            const bool more = s.region != 0 ? use_lent(s, x) : copy_lent(s, x);
            if (more && arrived_ == x.bytes) release(s), finish();
            return false;
        }
        const std::byte* const there = data_of(s);
        if (!there) return false;
        if (delivery_.place() && costs_.is_timed(x.bytes, s.part_bytes)) {
            const auto begun = clock::now();
            delivery_.take({there, s.part_bytes});
            costs_.note_out(x.bytes, s.part_bytes, clock::now() - begun, received_);
        } else {
            delivery_.take({there, s.part_bytes});
        }
        arrived_ += s.part_bytes;
        release(s);
        if (arrived_ == x.bytes) finish();
        return true;
    }

    /// No sender puts more into a slot than that, see outbox: what its process has overwritten by mistake shall not
    /// overwrite this one's memory too.
    [[nodiscard]] std::size_t most_bytes(const slot& s) const noexcept {
        const transfer* const x = delivery_.receiver();
        const std::uint64_t rest = unwanted_ > 0 ? unwanted_ : x ? x->bytes - arrived_ : s.message_bytes;
        return std::min<std::uint64_t>(rest, room::most_bytes);
    }

    /// False if the message is not the expected one: then its rest is discarded.
    bool begin(const slot& s, transfer& x) {
        arrived_ = 0;
        if (accepts(x, s.message_bytes, s.signature)) {
            delivery_.begin(x);
            if (copy_costs::is_long(x.bytes) && !is_answer(s) && (s.lent == 0 || s.region == 0))
                costs_.begin_message(x.bytes, s.lent != 0, received_);
            return true;
        }
        if (s.lent == 0 && !is_answer(s)) unwanted_ = s.message_bytes - s.part_bytes;
        complete(pop(), transfer_status::mismatched);
        return false;
    }

    bool take_whole(slot& s, transfer& x) {
        const std::byte* const there = data_of(s);
        if (!there) return false;
        deliver(x, there);
        release(s);
        finish();
        return true;
    }

    /// The message's data are in the receiver's memory already, see transfer::is_answer.
    [[nodiscard]] static bool is_answer(const slot& s) noexcept {
        return s.lent == 0 && s.part_bytes == 0 && s.message_bytes > 0;
    }
    bool take_answer(slot& s, transfer& x) {
        if (!x.is_answer) {
            broken_ = senseless;
            return false;
        }
        x.moved = x.bytes;
        release(s);
        finish();
        return true;
    }

    /// Where a part lies that is not lent; null if it cannot be reached.
    [[nodiscard]] const std::byte* data_of(const slot& s) {
        if (s.part_bytes <= slot::small_bytes) return s.data.data();
        try {
            return from_.memory().at<room>(static_cast<std::uint32_t>(s.region)).bytes.data();
        } catch (const std::exception& e) {
            cannot_reach(e);
            return nullptr;
        }
    }

    /// All of the message is where this rank can read it.
    [[nodiscard]] static bool lies_whole(const slot& s) noexcept {
        return s.lent != 0 ? s.region != 0 : s.part_bytes == s.message_bytes;
    }
    /// The message stays where it is, and is the channel's next until it has been read.
    bool show(const slot& s, transfer& x) {
        delivery_.end();
        viewed_ = x.viewed = true;
        x.answer = s.lent != 0 ? s.part_bytes : 0;
        x.moved = x.bytes;
        complete(pop());
        return false;
    }

    /// Bytes of the sender's symmetric memory, which a slot tells of; null if they cannot be reached.
    const std::byte* reach(const slot& s, std::uint64_t address, std::size_t bytes) {
        const std::byte* there = nullptr;
        try {
            there = from_.symmetric(s.region, address, bytes);
        } catch (const std::exception& e) {
            cannot_reach(e);
            return nullptr;
        }
        if (!there && !s.flag.was_withdrawn()) broken_ = gone;
        return there;
    }

    /// A piece of a message that is read in place. False if it could not be read.
    bool use_lent(slot& s, const transfer& x) {
        const std::size_t bytes = std::min(piece_of(x), x.bytes - arrived_);
        const std::byte* const there = reach(s, s.lent + arrived_, bytes);
        if (!there) return false;
        const bool granted = s.flag.begin_reading();
        if (granted) delivery_.take({there, bytes});
        s.flag.end_reading();
        // Again: this rank may have been stopped meanwhile for longer than the sender waits.
        if (!granted || s.flag.was_withdrawn()) return false;
        arrived_ += bytes;
        return true;
    }

    [[nodiscard]] bool has_landing(std::size_t bytes) {
        try {
            if (landing_.size() < bytes) landing_.resize(bytes);
        } catch (const std::exception& e) {
            cannot_reach(e);
        }
        return broken_.empty();
    }
    [[gnu::cold]] void cannot_reach(const std::exception& e) {
        broken_ = std::string("this rank cannot reach its memory: ") + e.what();
        const auto* const of_system = dynamic_cast<const std::system_error*>(&e); // else there is no memory
        shortage_ = bootstrap::shortage_in_words(of_system ? of_system->code().value() : ENOMEM);
    }

    /// A piece of a message in private memory. False if it could not be read.
    bool copy_lent(slot& s, const transfer& x) {
        const std::size_t bytes = std::min(piece_of(x), x.bytes - arrived_);
        std::byte* const own = delivery_.place();
        if (!own && !has_landing(bytes)) return false;
        std::byte* const to = own ? own : landing_.data();
        const auto begun = clock::now();
        const bool copied = read_foreign(from_.process(), s.lent + arrived_, to, bytes);
        if (own && copied && copy_costs::is_long(x.bytes))
            costs_.note_kernel(x.bytes, bytes, clock::now() - begun, received_);
        if (s.flag.was_withdrawn()) return false;
        if (!copied || from_.is_dead()) { // a dead process's number may be another's by now
            broken_ = gone;
            return false;
        }
        if (own)
            delivery_.placed(bytes);
        else
            delivery_.take({to, bytes});
        arrived_ += bytes;
        return true;
    }

    [[nodiscard]] static std::size_t piece_of(const transfer& x) noexcept {
        if (!x.reduce) return plain_piece_bytes;
        return std::max<std::size_t>(piece_bytes / x.reduce->element_bytes, 1) * x.reduce->element_bytes;
    }

    void finish() {
        delivery_.end();
        complete(pop());
    }
    transfer& pop() noexcept {
        transfer& x = *waiting_.pop();
        if (copy_costs::is_long(x.bytes)) --long_waiting_, costs_.end_receives(1);
        return x;
    }

    bool release(slot& s) {
        ++next_;
        if (s.flag.release()) from_.ring();
        return true;
    }

    static constexpr const char* gone = "its memory cannot be read any more";
    static constexpr const char* senseless = "its memory holds what no rank sends: the process has overwritten it";

    context where_;
    int self_;
    peer& from_;
    std::vector<std::byte>& landing_;
    copy_costs& costs_;
    copy_costs::history received_;
    directory::entry* entry_ = nullptr; ///< null until the sender has made the lane
    lane* lane_ = nullptr;
    std::uint32_t seen_additions_ = 0;
    transfer_queue waiting_;              ///< for their messages
    std::size_t long_waiting_ = 0;        ///< of them
    delivery delivery_;                   ///< to the first of them, once its message has begun
    std::size_t arrived_ = 0;             ///< of that message
    std::size_t unwanted_ = 0;            ///< bytes still to come of a message that was not expected
    std::string broken_;                  ///< see broken()
    std::optional<std::string> shortage_; ///< see shortage()
    std::uint32_t next_ = 0;              ///< turn of the next part
    bool viewed_ = false;                 ///< it is a message whose receive is complete, and waits to be read
};

} // namespace tutti::transport::detail::shm
