// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/asio.hpp> // first: Asio's headers do not compile behind `using namespace tutti`
#include <collectives/communicator.hpp>
#include <transport/routed.hpp>
#include <transport/verbs.hpp>

#include "support/catch.hpp"
#include "support/identity.hpp"
#include "support/processes.hpp"
#include "support/run_ranks.hpp"

#include <functional>
#include <string>

/// Worlds over the devices of a guest, see tests/verbs/guest. They meet over 127.0.0.1.
namespace tutti::test {

using everywhere = transport::routed<transport::shared_memory, transport::verbs, transport::tcp>;

/// Limits of a rank on the ports of that name.
[[nodiscard]] inline transport::verbs_limits on_ports(std::string names) {
    transport::verbs_limits limits;
    limits.devices = std::move(names);
    return limits;
}
/// The two ends of the veth pair, by turns: what goes from an even rank to an odd one crosses it.
[[nodiscard]] inline transport::verbs_limits on_either_end(int rank) {
    return on_ports(rank % 2 == 0 ? "rxe1" : "rxe2");
}

/// Ranks as threads.
inline void run_verbs(int ranks, const transport::verbs_limits& limits,
                      const std::function<void(transport::verbs&)>& body) {
    const reserved_port at;
    run_ranks(ranks, [&](int rank) {
        transport::verbs t{identity(rank, ranks, at), limits};
        body(t);
    });
}

/// Ranks as processes; `limits(rank)` are those of each.
template <class Limits, class Body>
void run_verbs_processes(int size, const Limits& limits, const Body& body) {
    const reserved_port at;
    processes ranks(size, [&](int rank, account&) {
        body(communicator{transport::verbs{identity(rank, size, at), limits(rank)}});
    });
    check_ended(ranks);
}

/// Ranks of pretended hosts, each with shared memory within, verbs between those that have ports, tcp to the rest.
template <class Limits, class Body>
void run_everywhere(const std::vector<int>& hosts, const Limits& limits, const Body& body) {
    const int size = static_cast<int>(hosts.size());
    const reserved_port at;
    processes ranks(size, [&](int rank, account&) {
        body(communicator{
            everywhere{identity_on(hosts[static_cast<std::size_t>(rank)], rank, size, at), {}, limits(rank), {}}});
    });
    check_ended(ranks);
}

} // namespace tutti::test
