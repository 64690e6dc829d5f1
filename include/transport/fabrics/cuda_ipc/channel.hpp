// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"
#include "outbox.hpp"

#include <atomic>

namespace tutti::transport::detail::cuda {

/// One rank's end of the way to and from a peer in one context: records through a channel of shared memory, and what
/// they tell of.
template <device_runtime R>
class channel {
    inner_transfers<R> inner_;

public:
    /// `to_peer` is shared by all channels to it.
    channel(resources<R>& all, shm::channel& through, typename R::stream& over, std::atomic<access>& to_peer)
        : inner_(all, *this), out(all, through, inner_, over, to_peer), in(all, through, inner_, over) {}
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    /// After the context was closed in shared memory.
    ~channel() { inner_.give_back_records(); }

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

    /// An inner transfer has ended.
    void ended(inner_transfer<R>& e) {
        using kind = typename inner_transfer<R>::kind;
        const bool sent =
            e.what == kind::send_record || e.what == kind::send_payload || e.what == kind::lend || e.what == kind::ask;
        sent ? out.ended(e) : in.ended(e);
        e.lent = nullptr;
        inner_.give_back(e);
    }

    /// Before the context is closed: no copy touches memory of its transfers any more. False: one still does.
    [[nodiscard]] bool stop(clock::time_point until) noexcept {
        const bool sent = out.stop(until);
        return in.stop(until) && sent;
    }

    outbox<R> out;
    inbox<R> in;
    bool listed = false; ///< among its rank's busy channels
};

} // namespace tutti::transport::detail::cuda
