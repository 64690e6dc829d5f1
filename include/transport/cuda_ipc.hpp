// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fabrics/cuda_ipc/cuda_runtime.hpp"
#include "fabrics/cuda_ipc/described.hpp"
#include "fabrics/cuda_ipc/fabric.hpp"
#include "world/world.ipp"

namespace tutti::transport {

/// Ranks that are processes, or threads, of one host, whose data may lie in the memory of its GPUs. Needs CUDA's
/// headers and its runtime, and no nvcc.
///
/// - A message in memory of communicator::allocate is copied once, by the receiver's device.
/// - So is one in memory of cudaMalloc that communicator::register_memory was given.
/// - One in other device memory is staged in the library's, 2 MiB at a time. Up to 64 KiB go through host memory.
/// - Each rank tries once, by bytes, whether its device reads a peer's memory. Where it does not, messages of device
///   memory go through pinned host memory; way_to says so.
/// - Host memory, also pinned and managed, goes as over shared_memory. Sender and receiver may differ in kind.
/// - The host starts the copies and learns of their ends. It reduces host memory. A call on device memory needs an
///   executor: communicator::with_executor, engine::stream_executor. Without one it is refused.
/// - communicator::allocate gives device memory, which the host must not touch, by operator[] or otherwise. It is a
///   multiple of 2 MiB, and throws device_error. Destroy it before the process exits.
/// - Synchronise the stream of your own kernels before a call.
/// - Each rank uses the device of cuda_ipc_limits, which becomes the current one of each thread that calls. Several
///   ranks may share one.
/// - Waiting, faults and the control plane are those of shared_memory; so is what ranks need to reach each other. A
///   device that fails ends the calls of its rank on all ranks.
/// - Without a GPU, or a driver, a rank fails at its start and says why.
/// - Memory: what is freed is kept, and used again by this rank, until the transport and its memory are gone. A rank
///   keeps 2 MiB of the device for trials. A channel that stages long messages keeps 4 MiB of the device, or 1 MiB of
///   pinned host memory. One that receives host memory into device memory, or reduces device memory on the host, keeps
///   pinned host memory: up to twice its longest message.
using cuda_ipc = world<cuda_ipc_fabric<cuda_runtime>>;

} // namespace tutti::transport
