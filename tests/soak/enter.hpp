// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "plan.hpp"
#include "report.hpp"

#include <collectives/communicator.hpp>

#include "support/identity.hpp"

/// A rank's life over each transport.
namespace tutti::soak {

using test::reserved_port;

/// All ranks of the world, as threads of this process.
void play_over_memory(const plan& p, const reports& all);

void play_over_shared_memory(const plan& p, int rank, const reports& all, const reserved_port& at);
void play_over_tcp(const plan& p, int rank, const reports& all, const reserved_port& at);
void play_over_routed(const plan& p, int rank, const reports& all, const reserved_port& at);
/// Where there is libibverbs; else throws.
void play_over_verbs(const plan& p, int rank, const reports& all, const reserved_port& at);

[[nodiscard]] inline progress progress_of(const plan& p, int rank) {
    return holds(p.progress_threads, rank) ? progress::by_waiters : progress::in_calls;
}

/// Who a rank is; consecutive ranks share a pretended host.
[[nodiscard]] inline transport::bootstrap::identity identity_of(const plan& p, int rank, const reserved_port& at) {
    auto me = test::identity_on(p.hosts * rank / p.ranks, rank, p.ranks, at);
    me.encrypt = p.encrypted;
    return me;
}

/// The limits of tcp that the plan has drawn.
template <class Limits>
[[nodiscard]] Limits limits_of(const plan& p) {
    Limits limits;
    limits.lanes = p.lanes;
    if (p.window_bytes > 0) limits.window_bytes = p.window_bytes;
    if (p.contexts_ahead > 0) limits.contexts_ahead = p.contexts_ahead;
    return limits;
}

} // namespace tutti::soak
