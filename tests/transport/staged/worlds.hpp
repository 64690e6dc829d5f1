// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "transport/cuda_ipc/places.hpp"

#include <collectives/engine/membership.hpp>
#include <transport/fabrics/cuda_ipc/fabric.hpp>
#include <transport/fabrics/staged/described.hpp>
#include <transport/fabrics/staged/fabric.hpp>
#include <transport/fabrics/tcp/fabric.hpp>
#include <transport/routed.hpp>

#include "support/identity.hpp"
#include "support/socket_pairs.hpp"

namespace tutti::test {

/// What `cuda_tcp` and `cuda_routed` are, over the tests' CUDA.
using fake_staged_fabric = transport::staged_fabric<transport::tcp_fabric, fake_cuda>;
using fake_staged = transport::world<fake_staged_fabric>;
using fake_routed = transport::routed<fake_ipc, fake_staged>;

/// Staging over a fabric as simple as can be.
using fake_staged_pairs_fabric = transport::staged_fabric<socket_pairs, fake_cuda>;
using fake_staged_pairs = transport::world<fake_staged_pairs_fabric>;

/// A rank of such a world: half of the ranks on one pretended host, half on another.
template <class World>
[[nodiscard]] World on_two_hosts(int rank, int ranks, const reserved_port& at) {
    return World{identity_on(2 * rank / ranks, rank, ranks, at)};
}

} // namespace tutti::test

// In support/cuda_worlds.cpp:
extern template class tutti::transport::world<tutti::test::fake_staged_fabric>;
extern template class tutti::transport::world<tutti::test::fake_ipc_fabric, tutti::test::fake_staged_fabric>;
extern template class tutti::transport::world<tutti::test::fake_staged_pairs_fabric>;
