// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti::transport {

/// The sizes of the TCP transport. `window_bytes` and `contexts_ahead` are part of the protocol: equal on all ranks.
struct tcp_limits {
    /// Per channel and direction: what may come before its receive has started, and is kept for it. A credit goes out
    /// with what is sent next for each half of it that receives were posted for, and by itself for three quarters.
    std::uint64_t window_bytes = 256 * 1024;
    /// Contexts in which a peer may send before this rank has opened them, each up to a window. In further ones its
    /// sends wait until this rank has. Equal on all ranks.
    std::size_t contexts_ahead = 1024;
    /// Channels of a peer take turns after this much; at most 16 MiB.
    std::size_t fragment_bytes = 256 * 1024;
    /// Messages of at least this length use all lanes.
    std::size_t stripe_bytes = 1024 * 1024;
    /// Where what cannot be read straight to its destination lands: fits a core's cache. Measured on 256 MiB
    /// receive-and-reduce over loopback, 64 KiB and 1 MiB were both slower.
    std::size_t landing_bytes = 256 * 1024;
    /// Sockets a peer. One stream is as fast as four on loopback; links with a limit a flow want more.
    int lanes = 1;
};

} // namespace tutti::transport
