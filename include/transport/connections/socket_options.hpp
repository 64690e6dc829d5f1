// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../sockets/socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

/// Data connections. Sockets never block.
namespace tutti::transport::detail::connections {

using bootstrap::io_result;
using socket = bootstrap::descriptor;

/// Makes small messages prompt, and the silent end of an idle peer's host noticed within ten seconds.
///
/// Not TCP_USER_TIMEOUT: Linux applies it also to a host that acknowledges but has no room, and a rank that computes
/// between two calls, and so reads nothing, is no dead rank. See tcp::stream::examine() instead.
inline void tune(const socket& s) noexcept {
    bootstrap::detail::set(s.get(), IPPROTO_TCP, TCP_NODELAY, 1);
    bootstrap::detail::set(s.get(), SOL_SOCKET, SO_KEEPALIVE, 1);
    bootstrap::detail::set(s.get(), IPPROTO_TCP, TCP_KEEPIDLE, 5);
    bootstrap::detail::set(s.get(), IPPROTO_TCP, TCP_KEEPINTVL, 1);
    bootstrap::detail::set(s.get(), IPPROTO_TCP, TCP_KEEPCNT, 5);
}

/// Of a connected socket: within a host, where nothing can be congested, takes the plainest congestion control, which
/// every Linux has. BBR, where it is the system's default, paces its sender by a timer: the bare-socket probe of
/// tools/compare-peers, which keeps to the default, then takes half as long again, or twice as long, for 2 MiB.
inline void tune_within_host(const socket& s) {
    const auto here = bootstrap::local_address(s.get()), there = bootstrap::remote_address(s.get());
    if (there.loopback() || std::ranges::equal(there.octets(), here.octets()))
        ::setsockopt(s.get(), IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
}

} // namespace tutti::transport::detail::connections
