// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "flow/options.hpp"
#include "world/world.hpp"

namespace tutti::transport {

namespace detail::tcp {
class fabric;
class channel;
} // namespace detail::tcp

/// Describes the fabric of `tcp`; see contract/fabric.hpp.
struct tcp_fabric {
    /// Its part of the description, as the table of the concept `fabric` has it.
    /// @{
    using fabric = detail::tcp::fabric;
    using channel = detail::tcp::channel;
    using limits = tcp_limits;
    static constexpr const char* name = "tcp";
    static constexpr medium between = medium::network;
    static constexpr bool views = false, allocates = false, needs_sockets = true;
    /// @}
};

/// Ranks anywhere, over TCP: IPv4 or IPv6, on the interface of the route to the rendezvous unless told otherwise.
///
/// - Connections are made when a context first needs them, by the lower rank; both ranks must open a channel before
///   they are. All contexts of two ranks share their connection (or its lanes). A peer is let in only after it has
///   proven to know the secret.
/// - A send completes when the kernel has all of it. Without a receive it gets at most tcp_limits::window_bytes ahead,
///   in each channel.
/// - A plain receive of 16 KiB or more is read straight to its place, but for the beginning of each message; all else
///   passes through a landing buffer that stays in the cache. The reducer gets its pieces in order, on any number of
///   lanes.
/// - A context that was closed may be opened again only when both sides have closed it after all that was sent in it
///   had been received, and each knows that of the other: the wire cannot tell the old one from the new. Nothing is
///   sent in it before the peer has opened it again.
/// - In contexts that the peer has not opened, a rank gets ahead in at most tcp_limits::contexts_ahead of them; in
///   others its sends wait until the peer has.
/// - Precondition on all ranks: equal tcp_limits::window_bytes and contexts_ahead.
/// - Memory: per rank tcp_limits::landing_bytes; per connection some kilobytes beside the kernel's buffers, 160 where
/// its
///   data are encrypted; per channel some hundred bytes, and up to the window once messages come before their receives;
///   some dozens of bytes for each context that the peer has announced.
using tcp = world<tcp_fabric>;

static_assert(transport<tcp>);

} // namespace tutti::transport

#if !defined(TUTTI_COMPILED)
#include "fabrics/tcp/tcp.ipp"
#else
extern template class tutti::transport::detail::held_transport<tutti::transport::tcp>;
#define TUTTI_OVER_TCP // for collectives/implementation.hpp
#endif
