// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fabrics/verbs/options.hpp"
#include "world/world.hpp"

namespace tutti::transport {

namespace detail::verbs {
class fabric;
struct channel;
} // namespace detail::verbs

/// Describes the fabric of `verbs`; see fabric.hpp.
struct verbs_fabric {
    /// Its part of the description, as the table of the concept `fabric` has it.
    /// @{
    using fabric = detail::verbs::fabric;
    using channel = detail::verbs::channel;
    using limits = verbs_limits;
    static constexpr const char* name = "verbs";
    static constexpr medium between = medium::network;
    static constexpr bool views = false, allocates = true, needs_sockets = true;
    /// @}
};

/// Ranks on hosts with RDMA devices, InfiniBand or RoCE, over reliable connections of libibverbs. Where some hosts have
/// none: `routed<shared_memory, verbs, tcp>`. docs/rdma.md lists the settings for a cluster.
///
/// - Each rank takes the port that has its data address, else the first active one, and of its GIDs RoCE v2 before v1.
///   verbs_limits or TUTTI_VERBS_DEVICE and TUTTI_VERBS_GID say otherwise. way_to() tells the choice.
/// - Two ranks reach each other if their k-th ports have GIDs of one kind: InfiniBand, RoCE v1, RoCE v2 over IPv4 or
/// over
///   IPv6. It is decided once, from the cards of all ranks.
/// - Queue pairs are connected when a context first needs them. Their numbers go over a socket on which both ranks have
///   proven the secret; it stays open, so that the end of a peer shows at once. Data are not encrypted: with
///   TUTTI_ENCRYPT a rank refuses to start.
/// - Up to verbs_limits::eager_bytes a message goes into a slot of the receiver, and its send completes when it is
/// handed
///   to the device. The reducer gets it from there. A longer one is announced, and its receiver reads it from the
///   sender's memory by RDMA: straight to where it belongs, or piece by piece to be reduced. Its send completes then.
/// - No peer can write into this rank's memory. A peer can read what is sent to anybody, while it is registered; of
///   communicator::allocate's memory, all of it.
/// - Memory of a long message is registered while it is under way, that of communicator::allocate once. See
///   verbs_limits::kept_registrations for more.
/// - Closing a context ends its reads. A peer that may read of it is asked to stop, and gets 100 ms to answer.
/// - Precondition on all ranks: equal verbs_limits::eager_bytes, window_bytes and contexts_ahead; else they do not
///   connect, and say so.
/// - Memory: 2 MiB to land in; for each connected peer two times (slots + 2) * (slot_bytes + 64) bytes, 290 KiB unless
///   set otherwise, and its queue pair. At 1,000 ranks that is 6.2 MiB for an algorithm that connects 22 peers, and 283
///   MiB for all of them. A device that has no room for another peer ends the call, on all ranks, with its limit.
using verbs = world<verbs_fabric>;

static_assert(transport<verbs>);

} // namespace tutti::transport

#if !defined(TUTTI_COMPILED)
#include "fabrics/verbs/verbs.ipp"
#else
extern template class tutti::transport::detail::held_transport<tutti::transport::verbs>;
#define TUTTI_OVER_VERBS // for collectives/implementation.hpp
#endif
