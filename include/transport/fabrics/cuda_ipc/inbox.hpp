// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../world/receive_reduce.hpp"
#include "../device/copy.hpp"
#include "../device/pinned_memory.hpp"
#include "inner_transfers.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

namespace tutti::transport::detail::cuda {

/// The receiving end of a channel: hears records, and gets the message that each tells of to the receive that waits.
/// One message at a time. A lent part is copied by the device; its record is held until that has ended, so that the
/// sender knows.
template <device_runtime R>
class inbox {
public:
    inbox(resources<R>& all, shm::channel& through, inner_transfers<R>& own, typename R::stream& over) noexcept
        : all_(all), through_(through), inner_(own), stream_(over) {}
    inbox(const inbox&) = delete;
    inbox& operator=(const inbox&) = delete;
    ~inbox() {
        if (landing_) all_.pinned.give_back(std::move(*landing_));
    }

    void receive(transfer& x) {
        x.moved = 0;
        waiting_.push(x);
        listen();
    }

    /// Finds out whether the copy under way has ended, or the trial that a question waits for. True if it has.
    bool advance() {
        if (!broken_.empty()) return false;
        if (trial_) return answer();
        if (!work_.has_ended(all_.runtime)) return false;
        copied();
        return true;
    }
    /// A copy is under way, whose end advance() would find.
    [[nodiscard]] bool copies() const noexcept { return receives() || trial_; }
    /// A part of a message is being copied.
    [[nodiscard]] bool receives() const noexcept { return work_.is_under_way(); }
    /// It has ended.
    [[nodiscard]] bool ready() const { return trial_ ? trial_->is_over() : work_.is_over(all_.runtime); }

    /// Why nothing more can be received, if so.
    [[nodiscard]] const std::string& broken() const noexcept { return broken_; }

    /// An inner transfer of this end has ended.
    void ended(const inner_transfer<R>& e) {
        switch (e.what) {
        case kind::receive_record: return hear(e);
        case kind::receive_payload: return take_payload(e);
        default: return go_on(); // it was thrown away
        }
    }

    /// No copy of messages writes to receive buffers, or reads a peer's lent memory, any more. False: one still does.
    [[nodiscard]] bool stop(clock::time_point until) noexcept {
        const bool over = work_.await(all_.runtime, until);
        trial_ = nullptr; // which goes on without this channel
        if (is_held_) static_cast<void>(let_go());
        return over;
    }

private:
    using kind = typename inner_transfer<R>::kind;

    /// Posts the receive of the next record, if a transfer waits for its message.
    void listen() {
        if (is_busy_ || waiting_.empty()) return;
        is_busy_ = true;
        inner_transfer<R>& e = inner_.take(kind::receive_record, nullptr);
        e.to = reinterpret_cast<std::byte*>(&e.told);
        e.may_view = true; // so that the record of a part can be held
        start(e, sizeof e.told, record_signature);
    }
    void go_on() {
        is_busy_ = false;
        listen();
    }
    void start(inner_transfer<R>& e, std::size_t bytes, std::uint64_t signature) {
        e.bytes = bytes;
        e.signature = signature;
        all_.shared.receive(through_, e);
    }

    void hear(const inner_transfer<R>& e) {
        record r = e.told;
        if (e.status == transfer_status::mismatched) return break_off("it sends what no rank sends");
        if (e.viewed) {
            const std::byte* const at = shm::fabric::look(through_, e);
            if (at) std::memcpy(&r, at, sizeof r);
            is_held_ = true;
            // Again: this rank may have been stopped for longer than the sender waits, who then uses its record again.
            const bool good = at && shm::fabric::look(through_, e);
            const bool is_kept = good && (r.what == record::kind::lent || r.what == record::kind::question);
            if (!is_kept && !let_go()) return; // taken back: nothing comes after it
        }
        switch (r.what) {
        case record::kind::whole: return hear_of_message(r);
        case record::kind::question: return hear_question(r);
        default: return hear_of_part(r);
        }
    }

    void hear_question(const record& r) {
        trial_ = &all_.peers.trial(r);
        question_ = r.message_bytes;
        static_cast<void>(answer());
    }
    /// Answers the question that is held, if the answer is known.
    [[nodiscard]] bool answer() {
        const auto is_usable = trial_->outcome();
        if (!is_usable) return false;
        trial_ = nullptr;
        transfer all;
        all.bytes = sizeof(record);
        // The record lies in the sender's memory, which both have mapped to read and to write.
        if (auto* const at = const_cast<std::byte*>(shm::fabric::look(through_, all))) {
            const std::atomic_ref there(reinterpret_cast<record*>(at)->answer);
            const std::uint64_t mine = answer_to(question_, *is_usable);
            // Relaxed: the release of the record comes after it. Only if it is newer than what is there: this rank may
            // have been stopped for long, and a later question in this record may have been answered since.
            auto known = there.load(std::memory_order_relaxed);
            while (known < mine && !there.compare_exchange_weak(known, mine, std::memory_order_relaxed)) {
            }
        }
        if (let_go()) go_on();
        return true;
    }

    void hear_of_message(const record& r) {
        transfer& x = *waiting_.front();
        if (unwanted_ > 0 || x.moved > 0) return break_off("it begins a message within another");
        if (!accepts(x, r.message_bytes, r.signature)) {
            complete(*waiting_.pop(), transfer_status::mismatched);
            if (r.message_bytes == 0) return go_on();
            return skip_payload();
        }
        if (x.bytes == 0) return finish();
        part_bytes_ = x.bytes;
        if (all_.runtime.is_on_device(x.to)) return receive_to_land();
        lands_ = false;
        inner_transfer<R>& e = inner_.take(kind::receive_payload, nullptr);
        e.from = x.from;
        e.to = x.to;
        e.reduce = x.reduce;
        e.incoming_left = x.incoming_left;
        start(e, x.bytes, payload_signature);
    }
    /// A part, or a message, that follows through shared memory.
    void receive_to_land() {
        require_executor(*waiting_.front());
        lands_ = true;
        inner_transfer<R>& e = inner_.take(kind::receive_payload, nullptr);
        e.to = landing_of(part_bytes_);
        start(e, part_bytes_, payload_signature);
    }
    void receive_part() {
        transfer& x = *waiting_.front();
        if (x.reduce || all_.runtime.is_on_device(x.to)) return receive_to_land();
        lands_ = false;
        inner_transfer<R>& e = inner_.take(kind::receive_payload, nullptr);
        e.to = x.to + x.moved;
        start(e, part_bytes_, payload_signature);
    }
    void take_payload(const inner_transfer<R>& e) {
        if (e.status != transfer_status::done) return break_off("it sends another length than it has told of");
        transfer& x = *waiting_.front();
        if (!lands_ || x.reduce) return arrived();
        work_.start(all_.runtime, x.to + x.moved, landing_->data(), part_bytes_, stream_);
    }
    /// Throws the message away that follows through shared memory, or its part.
    void skip_payload() { start(inner_.take(kind::skip_payload, nullptr), 0, unwanted_signature); }

    void hear_of_part(const record& r) {
        if (unwanted_ > 0) return skip_part(r);
        transfer& x = *waiting_.front();
        if (x.moved == 0 && !accepts(x, r.message_bytes, r.signature)) {
            complete(*waiting_.pop(), transfer_status::mismatched);
            unwanted_ = r.message_bytes;
            return skip_part(r);
        }
        if (r.part_bytes > x.bytes - x.moved) return break_off("it sends more than it has told of");
        part_bytes_ = r.part_bytes;
        if (r.what == record::kind::part) return receive_part();
        lands_ = x.reduce;
        if (lands_) require_executor(x);
        if (const std::byte* const from = reached(r))
            work_.start(all_.runtime, lands_ ? landing_of(part_bytes_) : x.to + x.moved, from, part_bytes_, stream_);
    }
    [[nodiscard]] const std::byte* reached(const record& r) {
        try {
            return all_.peers.reach(r);
        } catch (const device_lost&) { // this rank's own
            throw;
        } catch (const device_error& e) {
            break_off(std::string("its memory cannot be opened: ") + e.what());
            return nullptr;
        }
    }
    void skip_part(const record& r) {
        unwanted_ -= std::min<std::size_t>(unwanted_, r.part_bytes);
        if (r.what == record::kind::part) return skip_payload();
        if (let_go()) go_on();
    }

    /// The device has copied a part from where it had landed, or from where it was lent.
    void copied() {
        if (!is_held_ || let_go()) arrived();
    }
    void arrived() {
        transfer& x = *waiting_.front();
        if (lands_ && x.reduce) {
            delivery_.begin(x);
            delivery_.take({landing_->data(), part_bytes_});
        } else {
            x.moved += part_bytes_;
        }
        x.moved == x.bytes ? finish() : go_on();
    }

    /// The sender may have its memory back. False: it has taken it back already, so the data read are void.
    [[nodiscard]] bool let_go() noexcept {
        is_held_ = false;
        return shm::fabric::release(through_);
    }
    void finish() {
        delivery_.end();
        transfer& x = *waiting_.pop();
        x.moved = x.bytes;
        complete(x);
        go_on();
    }
    void break_off(const std::string& why) { broken_ = why; }

    /// The host reduces, unless the call has an executor; then there is nothing to reduce here.
    void require_executor(const transfer& x) const {
        if (x.reduce && all_.runtime.is_on_device(x.to))
            throw std::logic_error("a message was to be reduced in the memory of a GPU: give the call an executor");
    }
    [[nodiscard]] std::byte* landing_of(std::size_t bytes) {
        if (landing_ && landing_->size() >= bytes) return landing_->data();
        auto larger = all_.pinned.take(std::max(bytes, landing_ ? 2 * landing_->size() : 0));
        if (landing_) all_.pinned.give_back(std::move(*landing_));
        landing_.emplace(std::move(larger));
        return landing_->data();
    }

    resources<R>& all_;
    shm::channel& through_;
    inner_transfers<R>& inner_;
    typename R::stream& stream_;
    transfer_queue waiting_;         ///< for their messages
    bool is_busy_ = false;           ///< with a record, or with the message that it told of
    bool is_held_ = false;           ///< the record of a part, until that was copied; or a question
    bool lands_ = false;             ///< received data go to landing_ first
    std::size_t part_bytes_ = 0;     ///< of the part, or the message, that is being received
    std::size_t unwanted_ = 0;       ///< bytes still to come of a message that was not expected
    peer_trial<R>* trial_ = nullptr; ///< that the question waits for which is held
    std::uint64_t question_ = 0;     ///< its number
    device::copy<R> work_;
    std::optional<device::pinned_memory<R>> landing_;
    delivery delivery_; ///< of parts that are reduced
    std::string broken_;
};

} // namespace tutti::transport::detail::cuda
