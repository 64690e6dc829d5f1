// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "shared_memory.hpp"
#include "tcp.hpp"
#include "world/world.hpp"

namespace tutti::transport {

namespace detail {
template <class Near, class... Far>
struct routed_world;
template <class... Near, class... Far>
struct routed_world<world<Near...>, world<Far>...> {
    static_assert(world<Near...>::far == medium::memory && ((world<Far>::near == medium::network) && ...),
                  "tutti: routed<Near, Far> goes over shared_memory within a host and over tcp between hosts");
    using type = world<Near..., Far...>;
};
} // namespace detail

/// Ranks on any number of hosts: those of one host over Near, others over the first Far that reaches them, as in
/// `routed<shared_memory, tcp>::from_environment()`, or `routed<shared_memory, verbs, tcp>` where some hosts have RDMA
/// devices. The guarantees of Near and Far hold for their messages.
///
/// - Ranks share a host if they run on one kernel under one host name, or under one name that the launcher gave them
///   (TUTTI_HOST). Those that do must run as one user in one process namespace; they may be in different network
///   namespaces. Between hosts nothing is needed but TCP.
/// - Resources: those of Near and Far, and two more descriptors and one for each peer of this host.
template <class Near, class... Far>
using routed = typename detail::routed_world<Near, Far...>::type;

static_assert(viewing_transport<routed<shared_memory, tcp>>);

} // namespace tutti::transport

#if !defined(TUTTI_COMPILED)
#include "fabrics/routed.ipp"
#else
extern template class tutti::transport::detail::held_transport<
    tutti::transport::routed<tutti::transport::shared_memory, tutti::transport::tcp>>;
#define TUTTI_OVER_ROUTED // for collectives/implementation.hpp
#endif
