// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/bootstrap/environment.hpp>
#include <transport/bootstrap/socket.hpp>
#include <transport/tcp.hpp>

#include "support/run_ranks.hpp"

#include <functional>
#include <string>

namespace tutti::test {

/// A port of this host's loopback on which nobody listens now.
inline std::uint16_t free_port(const std::string& host) {
    const auto probe = transport::bootstrap::listen_on(*transport::bootstrap::address::literal(host, 0));
    return transport::bootstrap::local_address(probe.get()).port();
}

/// Who a rank of a test's world is.
inline transport::bootstrap::identity identity_of(int rank, int size, const std::string& host, std::uint16_t port,
                                                  bool encrypt = false) {
    transport::bootstrap::identity me;
    me.rank = rank;
    me.size = size;
    me.rendezvous = {host, port};
    me.key = transport::bootstrap::secret("a secret of sixteen bytes or more");
    me.timeout = std::chrono::seconds{30};
    me.encrypt = encrypt;
    return me;
}

/// Runs body(transport) on each of `ranks` ranks, each a thread with connections of its own.
inline void run_tcp(int ranks, const std::string& host, const transport::tcp_limits& limits,
                    const std::function<void(transport::tcp&)>& body, bool encrypt = false) {
    const auto port = free_port(host);
    run_ranks(ranks, [&](int rank) {
        transport::tcp t{identity_of(rank, ranks, host, port, encrypt), limits};
        body(t);
    });
}

} // namespace tutti::test
