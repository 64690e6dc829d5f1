// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/tcp.hpp>

#include "support/identity.hpp"
#include "support/run_ranks.hpp"

#include <functional>
#include <string>
#include <utility>

namespace tutti::test {

/// Runs body(transport) on each of `ranks` ranks, each a thread with connections of its own.
inline void run_tcp(int ranks, const std::string& host, const transport::tcp_limits& limits,
                    const std::function<void(transport::tcp&)>& body, bool encrypt = false) {
    const reserved_port at(host);
    run_ranks(ranks, [&](int rank) {
        auto me = identity(rank, ranks, at);
        me.encrypt = encrypt;
        transport::tcp t{std::move(me), limits};
        body(t);
    });
}

} // namespace tutti::test
