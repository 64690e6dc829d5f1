// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/any_communicator.hpp>
#include <transport/routed.hpp>
#include <transport/shared_memory.hpp>
#include <transport/tcp.hpp>

#include "catch.hpp"
#include "identity.hpp"
#include "run_ranks.hpp"

#include <functional>

namespace tutti::test {

/// Worlds that have a descriptor.
enum class network { tcp, shared_memory, routed };

[[nodiscard]] inline transport::any made(network by, const transport::bootstrap::identity& me) {
    switch (by) {
    case network::tcp: return transport::any(transport::tcp(me));
    case network::shared_memory: return transport::any(transport::shared_memory(me));
    default: return transport::any(transport::routed<transport::shared_memory, transport::tcp>(me));
    }
}

/// Ranks that are threads, all connected with all.
inline void run_networked(network by, int ranks, const std::function<void(const any_communicator&)>& body,
                          progress moved = progress::in_calls) {
    const reserved_port at;
    CHECK_NOTHROW(run_ranks(ranks, [&](int rank) {
        const any_communicator world(made(by, identity(rank, ranks, at)), moved);
        for (int peer = 0; peer < ranks; ++peer) {
            int got = 0;
            world.sendrecv(rank, (rank + peer) % ranks, got, (rank + ranks - peer) % ranks);
        }
        world.barrier();
        body(world);
    }));
}
/// The same over each.
inline void run_networked(int ranks, const std::function<void(const any_communicator&)>& body,
                          progress moved = progress::in_calls) {
    for (const auto by : {network::tcp, network::shared_memory, network::routed}) {
        CAPTURE(static_cast<int>(by));
        run_networked(by, ranks, body, moved);
    }
}

} // namespace tutti::test
