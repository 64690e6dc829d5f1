// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_ipc.hpp"
#include "cuda_tcp.hpp"
#include "routed.hpp"

namespace tutti::transport {

/// Ranks on any number of hosts, whose data may lie in the memory of GPUs: those of one host over `cuda_ipc`, others
/// over `cuda_tcp`. The guarantees of each hold for its messages; `routed` says which ranks share a host. Settings are
/// those of both, in that order: each names the device, and both the same one.
///
/// communicator::allocate gives the memory of cuda_ipc, which its peers on this host copy in place.
using cuda_routed = routed<cuda_ipc, cuda_tcp>;

} // namespace tutti::transport
