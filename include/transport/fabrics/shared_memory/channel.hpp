// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"
#include "outbox.hpp"
#include "own_segment.hpp"

namespace tutti::transport::detail::shm {

/// One rank's end of the two lanes to and from a peer in one context.
class channel {
    own_segment& mine_;
    own_segment::handle made_; // made first: nothing after it throws

public:
    /// Throws std::system_error where there is no more memory.
    channel(context k, int self, int other, own_segment& mine, peer& theirs, symmetric_heap& heap,
            std::vector<std::byte>& landing, copy_costs& costs, const shared_memory_limits& limits)
        : mine_(mine), made_(mine.add_lane(k, other)), out(*made_, theirs, heap, costs, limits),
          in(k, self, theirs, landing, costs) {
        theirs.ring(); // a peer that waits for the lane can begin
    }
    channel(const channel&) = delete;
    channel& operator=(const channel&) = delete;
    ~channel() {
        out.withdraw();
        mine_.close(made_);
    }

    bool advance() {
        const bool sent = out.busy() && out.advance();
        return in.advance() || sent;
    }
    [[nodiscard]] bool busy() const noexcept { return out.busy() || in.busy(); }
    [[nodiscard]] bool ready() noexcept { return out.ready() || in.ready(); }
    [[nodiscard]] bool ask() noexcept { return out.ask() || in.ask(); }

    outbox out;
    inbox in;
    bool listed = false; ///< among its rank's busy channels
};

} // namespace tutti::transport::detail::shm
