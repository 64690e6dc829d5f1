// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../world/receive_reduce.hpp"
#include "steps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

namespace tutti::transport::detail::staged {

/// The receiving end of a channel: hears headers, and gets the pieces that each tells of to the receive that waits.
/// What belongs to a device lands in a buffer and is copied from there, while the next pieces arrive.
template <class Inner, device_runtime R>
class inbox {
    using one = step<Inner, R>;
    using kind = typename one::kind;

public:
    inbox(resources<Inner, R>& all, typename Inner::fabric& inner, typename Inner::channel& over,
          steps<Inner, R>& own) noexcept
        : all_(all), inner_(inner), over_(over), steps_(own) {}

    void receive(transfer& x) {
        x.status = transfer_status::pending;
        x.moved = 0;
        waiting_.push(x);
        listen();
    }

    /// Finds out which copies have ended. True if any has.
    bool advance() {
        bool any = false;
        for (; ready(); any = true) copied(static_cast<one&>(*copying_.pop()));
        return any;
    }
    /// A copy is under way, whose end advance() would find.
    [[nodiscard]] bool copies() const noexcept { return !copying_.empty(); }
    /// It has ended. Copies end in order.
    [[nodiscard]] bool ready() const {
        const auto* const s = static_cast<const one*>(copying_.front());
        return s && s->through->work.is_over(all_.device.runtime);
    }

    /// Why nothing more can be received, if so.
    [[nodiscard]] const std::string& broken() const noexcept { return broken_; }

    /// A step of this end has ended.
    void ended(one& s) {
        --under_way_;
        switch (s.what) {
        case kind::receive_header: hear(s); break;
        case kind::receive_piece: take(s); break;
        default: steps_.give_back(s);
        }
        listen();
    }

    /// No copy writes to receive buffers any more. False: one still does.
    [[nodiscard]] bool stop(clock::time_point until) noexcept {
        bool all = true;
        while (transfer* const s = copying_.pop())
            all = static_cast<one*>(s)->through->work.await(all_.device.runtime, until) && all;
        return all;
    }

private:
    /// Posts receives of what comes next, as far as there is room.
    void listen() {
        bool any = true;
        while (any && under_way_ < most_steps && broken_.empty()) any = post();
    }
    bool post() {
        if (unwanted_ > 0) {
            unwanted_ -= std::min<std::uint64_t>(unwanted_, piece_bytes);
            return start(steps_.take(kind::discard, discarding_signature)); // of 0 bytes, which fits no piece
        }
        if (is_listening_ || waiting_.empty()) return false;
        return is_heard_ ? post_piece(*waiting_.front()) : post_header();
    }
    bool post_header() {
        is_listening_ = true;
        one& s = steps_.take(kind::receive_header, header_signature);
        s.through = &all_.through->headers.take();
        s.to = s.through->memory;
        s.bytes = most_varying_bytes;
        s.may_be_shorter = true;
        return start(s);
    }
    /// False: it has to wait for a buffer.
    bool post_piece(transfer& x) {
        // The inner fabric reduces whole elements, and a piece may end within one.
        const bool lands = is_on_device_ || (x.reduce && piece_bytes % x.reduce->element_bytes != 0);
        if (lands && staged_ == most_staged) return false;
        one& s = steps_.take(kind::receive_piece, piece_signature);
        s.message = &x;
        s.at = posted_;
        s.carries = s.bytes = std::min(piece_bytes, x.bytes - posted_);
        if (lands) {
            s.through = &all_.through->pieces.take();
            ++staged_;
            s.to = s.through->memory;
        } else {
            s.to = x.to + posted_;
            s.from = x.reduce ? x.from + posted_ : nullptr;
            s.reduce = x.reduce;
            s.incoming_left = x.incoming_left;
        }
        posted_ += s.bytes;
        if (posted_ == x.bytes) next();
        return start(s);
    }
    bool start(one& s) {
        ++under_way_;
        inner_.receive(over_, s);
        return true;
    }
    /// The first that waits has all its receives.
    transfer& next() noexcept {
        is_heard_ = false;
        posted_ = 0;
        return *waiting_.pop();
    }

    void hear(one& s) {
        is_listening_ = false;
        const auto told = header_in(s);
        if (!told) {
            broken_ = "it sends what no rank sends";
            return steps_.give_back(s);
        }
        s.carries = s.bytes - sizeof(header);
        transfer& x = *waiting_.front();
        if (!accepts(x, told->message_bytes, told->signature)) {
            unwanted_ = told->message_bytes - s.carries;
            steps_.give_back(s);
            return complete(next(), transfer_status::mismatched);
        }
        is_on_device_ = x.bytes > 0 && all_.device.runtime.is_on_device(x.to);
        if (is_on_device_ && x.reduce)
            throw std::logic_error("a message was to be reduced in the memory of a GPU: give the call an executor");
        is_heard_ = true;
        if (s.carries == x.bytes) return take_beside_header(s, next());
        steps_.give_back(s);
    }
    [[nodiscard]] static std::optional<header> header_in(const one& s) noexcept {
        header h;
        if (s.status != transfer_status::done || s.bytes < sizeof h) return std::nullopt;
        std::memcpy(&h, s.through->memory, sizeof h);
        return s.bytes - sizeof h == bytes_beside_header(h.message_bytes) ? std::optional(h) : std::nullopt;
    }
    void take_beside_header(one& s, transfer& x) {
        s.message = &x;
        if (is_on_device_) return copy_in(s, sizeof(header));
        deliver(x, s.through->memory + sizeof(header));
        complete(x);
        steps_.give_back(s);
    }

    void take(one& s) {
        transfer& x = *s.message;
        if (s.status != transfer_status::done) {
            broken_ = "it sends other pieces than it has told of";
            return;
        }
        if (s.through && !x.reduce) return copy_in(s, 0);
        if (s.through) {
            --staged_;
            delivery_.begin(x);
            delivery_.take({s.through->memory, s.carries});
        } else {
            x.moved += s.carries;
        }
        delivered(s);
    }
    void copy_in(one& s, std::size_t at) {
        s.through->work.start(all_.device.runtime, s.message->to + s.at, s.through->memory + at, s.carries,
                              all_.through->to_device);
        copying_.push(s);
    }
    /// The device has data that had landed.
    void copied(one& s) {
        static_cast<void>(s.through->work.has_ended(all_.device.runtime));
        if (s.what == kind::receive_piece) --staged_;
        s.message->moved += s.carries;
        delivered(s);
        listen();
    }
    void delivered(one& s) {
        transfer& x = *s.message;
        steps_.give_back(s);
        if (x.moved < x.bytes) return;
        if (delivery_.receiver() == &x) delivery_.end(); // it may be that of a later message
        complete(x);
    }

    resources<Inner, R>& all_;
    typename Inner::fabric& inner_;
    typename Inner::channel& over_;
    steps<Inner, R>& steps_;
    transfer_queue waiting_; ///< for their headers; the first, for its pieces to be posted
    transfer_queue copying_; ///< steps
    std::uint32_t under_way_ = 0, staged_ = 0;
    bool is_listening_ = false;  ///< for a header
    std::uint64_t unwanted_ = 0; ///< bytes still to come of a message that no receive takes
    // Of the first that waits:
    bool is_heard_ = false, is_on_device_ = false;
    std::size_t posted_ = 0;
    delivery delivery_; ///< of pieces that end within an element
    std::string broken_;
};

} // namespace tutti::transport::detail::staged
