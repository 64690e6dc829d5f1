// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "verbs/options.hpp"
#include "world.hpp"

namespace tutti::transport {

namespace detail::verbs {
class fabric;
struct channel;
} // namespace detail::verbs

/// Describes the fabric of `verbs`; see fabric.hpp.
struct verbs_fabric {
    using fabric = detail::verbs::fabric;
    using channel = detail::verbs::channel;
    using limits = verbs_limits;
    static constexpr const char* name = "verbs";
    static constexpr medium between = medium::network;
    static constexpr bool views = false, allocates = true, needs_sockets = true;
};

/// Ranks on hosts with RDMA devices, InfiniBand or RoCE, over reliable connections of libibverbs.
using verbs = world<verbs_fabric>;

static_assert(transport<verbs>);

} // namespace tutti::transport

#if !defined(TUTTI_COMPILED)
#include "verbs.ipp"
#endif
