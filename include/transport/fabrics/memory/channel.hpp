// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "inbox.hpp"
#include "outbox.hpp"

namespace tutti::transport::detail {

/// One rank's end of the two lanes to and from a peer in one context.
class memory_channel {
public:
    memory_channel(lane& to_peer, lane& from_peer, doorbell& bell_of_peer) noexcept
        : out(to_peer, bell_of_peer), in(from_peer, bell_of_peer) {}

    bool advance() {
        const bool sent = out.advance();
        return in.advance() || sent;
    }
    [[nodiscard]] bool busy() const noexcept { return out.busy() || in.busy(); }
    [[nodiscard]] bool ready() const noexcept { return out.ready() || in.ready(); }
    [[nodiscard]] bool ask() noexcept { return out.ask() || in.ask(); }

    outbox out;
    inbox in;
    bool listed = false; ///< among its rank's busy channels
};

} // namespace tutti::transport::detail
