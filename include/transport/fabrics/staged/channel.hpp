// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"
#include "outbox.hpp"

namespace tutti::transport::detail::staged {

/// One rank's end of the way to and from a peer in one context: steps through a channel of the inner fabric.
template <class Inner, device_runtime R>
class channel {
    steps<Inner, R> steps_;

public:
    channel(resources<Inner, R>& all, typename Inner::fabric& inner, typename Inner::channel& over) noexcept
        : steps_(all, *this), out(all, inner, over, steps_), in(all, inner, over, steps_) {}
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;

    bool advance() {
        const bool sent = out.advance();
        return in.advance() || sent;
    }
    /// It is to be asked to advance, though nothing comes from the peer.
    [[nodiscard]] bool busy() const noexcept { return out.busy() || in.copies(); }
    /// A copy is under way.
    [[nodiscard]] bool copies() const noexcept { return out.copies() || in.copies(); }
    /// A copy has ended.
    [[nodiscard]] bool ready() const { return out.ready() || in.ready(); }

    /// A step has ended.
    void ended(step<Inner, R>& s) { s.what == step<Inner, R>::kind::send ? out.ended(s) : in.ended(s); }

    /// Before the context is closed: no copy touches memory of its transfers any more. False: one still does.
    [[nodiscard]] bool stop(clock::time_point until) noexcept {
        const bool sent = out.stop(until);
        return in.stop(until) && sent;
    }

    outbox<Inner, R> out;
    inbox<Inner, R> in;
    bool listed = false; ///< among its rank's busy channels
};

} // namespace tutti::transport::detail::staged
