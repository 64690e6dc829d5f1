// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/join/identity.hpp>

#include "expect.hpp"
#include "reserved_port.hpp"

#include <string>

namespace tutti::test {

/// Who a rank is in a world that meets at that port.
[[nodiscard]] inline transport::bootstrap::identity identity(int rank, int size, const reserved_port& at) {
    transport::bootstrap::identity me;
    me.rank = rank;
    me.size = size;
    me.rendezvous = {at.host(), at.port()};
    me.key = transport::bootstrap::secret("a secret of sixteen bytes or more");
    me.timeout = patience;
    return me;
}

/// The same on a pretended host of that number.
[[nodiscard]] inline transport::bootstrap::identity identity_on(int host, int rank, int size, const reserved_port& at) {
    auto me = identity(rank, size, at);
    me.host = "host-" + std::to_string(host);
    return me;
}

} // namespace tutti::test
