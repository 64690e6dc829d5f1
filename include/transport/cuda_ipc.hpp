// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_ipc/cuda_runtime.hpp"
#include "cuda_ipc/described.hpp"
#include "cuda_ipc/fabric.hpp"
#include "world.ipp"

namespace tutti::transport {

/// Ranks that are processes, or threads, of one host, whose data may lie in the memory of its GPUs. Needs CUDA's
/// headers and its runtime, and no nvcc.
///
/// - A message in memory of communicator::allocate is copied once, by the receiver's device. One in other device memory
///   is copied there first, part by part. One of the processor's goes as over shared_memory; so may either end.
/// - The processor starts the copies and learns of their ends. It reduces what lies in its own memory; for what lies in
///   a GPU's the call needs an executor: communicator::with_executor, engine::stream_executor.
/// - communicator::allocate gives device memory: the processor must not touch it, by operator[] or otherwise. It throws
///   device_error. The memory goes before the process ends; peers may have it open, and the driver keeps it for them.
/// - What a user's kernels have written must be there when a call begins.
/// - The device becomes the current one of each thread that calls.
/// - Ranks on several GPUs need peer access between these.
/// - Waiting, faults and the control plane are those of shared_memory; so is what ranks need to reach each other. A
///   device that fails ends the calls of its rank on all ranks.
/// - Without a GPU, or a driver, a rank fails at its start and says why.
/// - Memory: regions of 2 MiB and more, each in use by one owner at a time. They are used again, and given back when
/// the
///   transport and its memory are gone. A channel that sends long messages of other device memory keeps 4 MiB. One
///   whose message goes from one kind of memory to the other keeps as much as that message takes on the processor.
using cuda_ipc = world<cuda_ipc_fabric<cuda_runtime>>;

} // namespace tutti::transport
