// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../delivery.hpp"
#include "../device/copy.hpp"
#include "../device/pinned_memory.hpp"
#include "inner_transfers.hpp"

#include <algorithm>
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

    /// Finds out whether the copy under way has ended. True if it has.
    bool advance() {
        if (!broken_.empty() || !work_.has_ended(all_.runtime)) return false;
        copied();
        return true;
    }
    /// A copy is under way, whose end advance() would find.
    [[nodiscard]] bool copies() const noexcept { return work_.is_under_way(); }
    /// It has ended.
    [[nodiscard]] bool ready() const { return work_.is_over(all_.runtime); }

    /// Why nothing more can be received, if so.
    [[nodiscard]] const std::string& broken() const noexcept { return broken_; }

    /// An inner transfer of this end has ended.
    void ended(const inner_transfer<R>& e) {
        switch (e.what) {
        case kind::receive_record: return hear(e);
        case kind::receive_payload: return take_payload();
        default: return go_on(); // it was thrown away
        }
    }

    /// No copy writes to receive buffers, or reads a peer's lent memory, any more. False: one still does.
    [[nodiscard]] bool stop(clock::time_point until) noexcept {
        const bool over = work_.await(all_.runtime, until);
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
            if ((!good || r.part_bytes == 0) && !let_go()) return; // taken back: nothing comes after it
        }
        r.part_bytes > 0 ? hear_of_part(r) : hear_of_message(r);
    }

    void hear_of_message(const record& r) {
        transfer& x = *waiting_.front();
        if (!accepts(x, r.message_bytes, r.signature)) {
            complete(*waiting_.pop(), transfer_status::mismatched);
            if (r.message_bytes == 0) return go_on();
            return start(inner_.take(kind::skip_payload, nullptr), 0, unwanted_signature);
        }
        if (x.bytes == 0) return finish();
        inner_transfer<R>& e = inner_.take(kind::receive_payload, nullptr);
        lands_ = all_.runtime.is_on_device(x.to);
        if (lands_) {
            require_executor(x);
            e.to = landing_of(x.bytes);
        } else {
            e.from = x.from;
            e.to = x.to;
            e.reduce = x.reduce;
            e.incoming_left = x.incoming_left;
        }
        start(e, x.bytes, payload_signature);
    }
    void take_payload() {
        transfer& x = *waiting_.front();
        if (!lands_) return finish();
        work_.start(all_.runtime, x.to, landing_->data(), x.bytes, stream_);
    }

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
        lands_ = x.reduce;
        if (lands_) require_executor(x);
        if (const std::byte* const from = reached(r))
            work_.start(all_.runtime, lands_ ? landing_of(part_bytes_) : x.to + x.moved, from, part_bytes_, stream_);
    }
    [[nodiscard]] const std::byte* reached(const record& r) {
        try {
            return all_.peers.reach(r);
        } catch (const device_error& e) {
            break_off(std::string("its memory cannot be opened: ") + e.what());
            return nullptr;
        }
    }
    void skip_part(const record& r) {
        unwanted_ -= std::min<std::size_t>(unwanted_, r.part_bytes);
        if (let_go()) go_on();
    }

    /// The device has copied a message from where it had landed, or a part.
    void copied() {
        if (!is_held_) return finish();
        if (!let_go()) return;
        transfer& x = *waiting_.front();
        if (lands_) {
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
    transfer_queue waiting_;     ///< for their messages
    bool is_busy_ = false;       ///< with a record, or with the message that it told of
    bool is_held_ = false;       ///< the record of a part, until that was copied
    bool lands_ = false;         ///< received data go to landing_ first
    std::size_t part_bytes_ = 0; ///< of the part that is being copied
    std::size_t unwanted_ = 0;   ///< bytes still to come of a message that was not expected
    device::copy<R> work_;
    std::optional<device::pinned_memory<R>> landing_;
    delivery delivery_; ///< of parts that are reduced
    std::string broken_;
};

} // namespace tutti::transport::detail::cuda
