// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "fabrics/shared_memory/described.hpp"
#include "world/world.hpp"

namespace tutti::transport {

/// Ranks that are processes of one host, over memory that they share.
///
/// - Small messages lie beside their flag, in one cache line up to 24 bytes; no system call unless the peer sleeps.
///   Larger ones go in parts of up to 32 KiB, through 16 slots of each channel and direction. A send completes when all
///   of it has been copied. That is at most 512 KiB ahead of the receives, and 128 KiB while this rank has taken 6 MiB
///   for parts.
/// - Messages in symmetric memory (see world::allocate) are read or reduced where they lie, from
///   shared_memory_limits::lend_symmetric_bytes on, or an eighth of it in calls that write there. Others can be read
///   straight from the sender's memory (process_vm_readv) where the kernel allows it; each rank tries that once with
///   each peer, whose process must not forbid it later. So it is from lend_bytes on, and while that is faster above 64
///   KiB for send, and above 512 KiB for calls that do not reduce. Such a send completes when the receiver has read it.
///   All the rest goes through the slots. Messages in symmetric memory or in one slot can be viewed, and the former
///   answered where they lie.
/// - Waiting ends in a futex. The control plane is looked at at least every 20 ms, every millisecond when a rank of
///   this host has raised the alarm. Beside other fabrics it ends by descriptors like theirs.
/// - The shared memory has no name: nothing of it stays, however the processes end, and it is not bounded by the size
///   of /dev/shm. Each rank finds the others' through /proc, so all must run as one user in one process namespace.
/// - A context that was closed may be opened again when both sides have closed it. close() waits a tenth of a second at
///   most for a peer that reads symmetric memory in place; one that has not done by then delivers nothing. Where it was
///   writing, the pages of that piece, at most three, become this rank's own, as any other memory.
/// - Memory: some 20 KiB a rank; for each channel and direction 4 KiB once a message has passed; for larger messages
///   512 KiB, and 1 MiB a rank; but 6 MiB a rank at most and 128 KiB for each of its channels. Of what closed channels
///   had used, a rank keeps up to 3 MiB; the rest is given back. Channels are not bounded in number.
using shared_memory = world<shared_memory_fabric>;

static_assert(viewing_transport<shared_memory>);

} // namespace tutti::transport

#if !defined(TUTTI_COMPILED)
#include "fabrics/shared_memory/shared_memory.ipp"
#else
extern template class tutti::transport::detail::held_transport<tutti::transport::shared_memory>;
#define TUTTI_OVER_SHARED_MEMORY // for collectives/implementation.hpp
#endif
