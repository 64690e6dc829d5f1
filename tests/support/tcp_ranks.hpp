// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/communicator.hpp>
#include <transport/tcp.hpp>

#include "catch.hpp"
#include "identity.hpp"
#include "processes.hpp"

#include <functional>

namespace tutti::test {

using world_of_processes = communicator<transport::tcp>;

/// Runs body(world) on each of `size` ranks, each a process, and checks that it does not throw on any.
inline void run_tcp_ranks(int size, const reserved_port& at, const transport::tcp_limits& limits,
                          const std::function<void(const world_of_processes&)>& body) {
    processes ranks(size, [&](int rank, account&) {
        const world_of_processes world{transport::tcp{identity(rank, size, at), limits}};
        body(world);
    });
    check_ended(ranks);
}

} // namespace tutti::test
