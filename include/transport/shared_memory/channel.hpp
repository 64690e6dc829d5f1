// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"
#include "outbox.hpp"
#include "own_segment.hpp"

namespace tutti::transport::detail::shm {

/// One rank's end of the two lanes to and from a peer in one context.
class channel {
public:
    channel(own_segment::way made, context k, int self, peer& theirs, symmetric_heap& heap,
            std::vector<std::byte>& landing, const shared_memory_limits& limits)
        : out(*made.data, *made.where, theirs.bell(), heap, limits), in(k, self, theirs, landing), made_(*made.where) {
        theirs.bell().ring(); // who waits for the lane can begin
    }
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    ~channel() {
        out.withdraw();
        made_.closed.fetch_or(directory::entry::by_sender, std::memory_order_release);
    }

    bool advance() {
        const bool sent = out.advance();
        return in.advance() || sent;
    }
    [[nodiscard]] bool busy() const noexcept { return out.busy() || in.busy(); }
    [[nodiscard]] bool ready() noexcept { return out.ready() || in.ready(); }
    [[nodiscard]] bool ask() noexcept { return out.ask() || in.ask(); }

    outbox out;
    inbox in;
    bool listed = false; ///< among its rank's busy channels

private:
    directory::entry& made_;
};

} // namespace tutti::transport::detail::shm
