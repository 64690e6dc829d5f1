// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tutti::transport {

/// The settings of the RDMA transport. `window_bytes` and `contexts_ahead` are part of the protocol: equal on all
/// ranks.
struct verbs_limits {
    /// Ports to use, as in "mlx5_0" or "mlx5_0:1,mlx5_1:1": long messages are striped over all, at most 4. The k-th
    /// port of a rank talks to the k-th of its peer. "none": no port. Empty: TUTTI_VERBS_DEVICE, else the port whose
    /// network interface has this rank's data address, else the first active one.
    std::string devices;
    /// Index into the port's table of GIDs. Negative: TUTTI_VERBS_GID, else the best: RoCE v2 before v1, and the family
    /// of the data address.
    int gid_index = -1;
    /// Longer messages are read by their receiver, from the sender's memory; at most slot_bytes.
    std::size_t eager_bytes = 8192;
    /// Payload of a receive slot; from 4096 to 1 MiB.
    std::size_t slot_bytes = 8192;
    /// Packets that a peer may send before this rank has taken them; from 4 to 1024.
    std::uint32_t slot_count = 16;
    /// A long message is read in pieces of so many bytes, with up to `reads` of them in flight on each port.
    std::size_t piece_bytes = 256 * 1024;
    int reads = 16; ///< from 1 to 128; the devices may allow less
    /// Memory for messages that are read to be reduced, for all peers together, in pieces of 64 KiB.
    std::size_t landing_bytes = 2 * 1024 * 1024;
    /// Bytes of the user's memory that stay registered when no message uses them, least recently used first out. Only
    /// for programs that unmap none of the memory that they have passed to a call while the transport lives: a
    /// registration keeps the old pages. Memory of communicator::allocate is registered once in any case.
    std::size_t kept_registrations = 0;
    /// Per channel and direction: bytes of short messages that may come before their receive has started.
    std::uint64_t window_bytes = 256 * 1024;
    /// Contexts in which a peer may send before this rank has opened them.
    std::size_t contexts_ahead = 1024;
    /// How often an unacknowledged packet is sent again, from 0 to 7, and the exponent of the time
    /// between, 4.096 us * 2^timeout, from 1 to 31. Negative: 7 and 20 on hardware, 6 and 14 on Soft-RoCE, which with 7
    /// never gives up.
    /// @{
    int retries = -1;
    int timeout = -1;
    /// @}
};

} // namespace tutti::transport
