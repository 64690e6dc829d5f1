// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fabrics/cuda_ipc/cuda_runtime.hpp"
#include "fabrics/staged/described.hpp"
#include "fabrics/staged/fabric.hpp"
#include "fabrics/tcp/fabric.hpp"
#include "tcp.hpp"
#include "world/world.ipp"

namespace tutti::transport {

/// Ranks anywhere, whose data may lie in the memory of GPUs: over TCP, through pinned host memory. Needs CUDA's headers
/// and its runtime, and no nvcc. With `cuda_routed` ranks of one host need no TCP.
///
/// - A message in device memory is copied to host memory in pieces of 512 KiB. While one is copied the one before it is
///   sent, and the receiver's device copies those that have arrived. No memory need be registered.
/// - Host memory goes straight over TCP, also pinned and managed. Sender and receiver may differ in kind.
/// - A message of up to 4080 bytes takes one message of TCP, and is copied once more at each end.
/// - The host starts the copies and learns of their ends, on the thread that drives the
///   communicator. It reduces host memory. A call on device memory needs an executor:
///   communicator::with_executor, engine::stream_executor. Without one it is refused.
/// - communicator::allocate gives device memory, which the host must not touch, and throws device_error. Destroy it
///   before the process exits.
/// - Synchronise the stream of your own kernels before a call.
/// - Each rank uses the device of staged_limits, which becomes the current one of each thread that calls.
/// - Waiting, faults, the control plane and the preconditions are those of tcp. A device that fails ends the calls of
///   its rank on all ranks. Without a GPU, or a driver, a rank fails at its start and says why.
/// - Memory: that of tcp, and pinned host memory that is kept until the transport goes. A channel that moves device
///   memory has up to 1.5 MiB of it in each direction, and headers of messages take 256 KiB at a time.
using cuda_tcp = world<staged_fabric<tcp_fabric, cuda_runtime>>;

} // namespace tutti::transport
