// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/copy.hpp"
#include "steps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tutti::transport::detail::staged {

/// The sending end of a channel: makes steps of messages, in order, and hands each to the inner fabric once its data
/// are in host memory. Later pieces are copied there meanwhile, also those of the next messages.
template <class Inner, device_runtime R>
class outbox {
    using one = step<Inner, R>;

public:
    outbox(resources<Inner, R>& all, typename Inner::fabric& inner, typename Inner::channel& over,
           steps<Inner, R>& own) noexcept
        : all_(all), inner_(inner), over_(over), steps_(own) {}

    void send(transfer& x) {
        x.status = transfer_status::pending;
        x.moved = 0;
        waiting_.push(x);
        advance();
    }

    /// Begins steps as far as there is room, and starts those whose data are there. True if any was.
    bool advance() {
        bool any = false;
        while (!waiting_.empty() && under_way_ < most_steps && begin(*waiting_.front())) any = true;
        for (; is_first_ready(); any = true) start(static_cast<one&>(*prepared_.pop()));
        return any;
    }
    [[nodiscard]] bool busy() const noexcept { return !waiting_.empty() || !prepared_.empty(); }
    /// A copy is under way, whose end advance() would find.
    [[nodiscard]] bool copies() const noexcept { return !prepared_.empty(); }
    /// It has ended.
    [[nodiscard]] bool ready() const { return is_first_ready(); }

    /// A step of this end has ended.
    void ended(one& s) {
        --under_way_;
        if (is_of_a_piece(s)) --staged_;
        if (transfer* const x = s.message) {
            x->moved += s.carries;
            if (x->moved == x->bytes) complete(*x);
        }
        steps_.give_back(s);
        advance();
    }

    /// No copy reads the data to be sent any more. False: one still does.
    [[nodiscard]] bool stop(clock::time_point until) noexcept {
        bool all = true;
        while (transfer* const s = prepared_.pop())
            if (auto* const through = static_cast<one*>(s)->through)
                all = through->work.await(all_.device.runtime, until) && all;
        return all;
    }

private:
    /// The next step of a message. False: it has to wait for a buffer.
    bool begin(transfer& x) {
        if (!is_told_) {
            tell(x);
            return true;
        }
        if (is_on_device_ && staged_ == most_staged) return false;
        one& s = steps_.take(one::kind::send, piece_signature);
        s.message = &x;
        s.carries = s.bytes = std::min(piece_bytes, x.bytes - begun_);
        s.from = x.from + begun_;
        if (is_on_device_) {
            s.through = &all_.through->pieces.take();
            ++staged_;
            s.from = s.through->memory;
            copy_out(x.from + begun_, s, 0);
        }
        begun_ += s.bytes;
        prepare(s, begun_ == x.bytes);
        return true;
    }
    void tell(transfer& x) {
        is_on_device_ = x.bytes > 0 && all_.device.runtime.is_on_device(x.from);
        one& s = steps_.take(one::kind::send, header_signature);
        s.through = &all_.through->headers.take();
        const header h{x.signature, x.bytes};
        std::memcpy(s.through->memory, &h, sizeof h);
        s.from = s.through->memory;
        s.carries = bytes_beside_header(x.bytes);
        s.bytes = sizeof h + s.carries;
        const bool whole = s.carries == x.bytes;
        if (whole) s.message = &x;
        s.followed = whole ? x.followed : !is_on_device_;
        if (s.carries > 0 && is_on_device_)
            copy_out(x.from, s, sizeof h);
        else if (s.carries > 0)
            tutti::detail::copy_bytes(s.through->memory + sizeof h, x.from, s.carries);
        is_told_ = true;
        prepare(s, whole);
    }
    void copy_out(const std::byte* from, one& s, std::size_t at) {
        s.through->work.start(all_.device.runtime, s.through->memory + at, from, s.carries, all_.through->to_host);
    }
    void prepare(one& s, bool last) {
        prepared_.push(s);
        ++under_way_;
        if (!last) return;
        waiting_.pop();
        is_told_ = false;
        begun_ = 0;
    }

    void start(one& s) {
        if (s.through) static_cast<void>(s.through->work.has_ended(all_.device.runtime));
        inner_.send(over_, s);
    }

    /// Copies end in order, so nobody need look at later ones.
    [[nodiscard]] bool is_first_ready() const {
        const auto* const s = static_cast<const one*>(prepared_.front());
        return s && (!s->through || !s->through->work.is_under_way() || s->through->work.is_over(all_.device.runtime));
    }
    [[nodiscard]] static bool is_of_a_piece(const one& s) noexcept {
        return s.through && s.signature == piece_signature;
    }

    resources<Inner, R>& all_;
    typename Inner::fabric& inner_;
    typename Inner::channel& over_;
    steps<Inner, R>& steps_;
    transfer_queue waiting_;  ///< messages with steps to begin
    transfer_queue prepared_; ///< steps, until their data are in host memory
    std::uint32_t under_way_ = 0, staged_ = 0;
    // Of the first that waits:
    bool is_told_ = false, is_on_device_ = false;
    std::size_t begun_ = 0;
};

} // namespace tutti::transport::detail::staged
