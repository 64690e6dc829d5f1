// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tutti::test {

/// Can ::1 be listened at here? IPv6 may be missing, or switched off while its addresses are still listed.
[[nodiscard]] inline bool has_loopback_six() {
    const int probe = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) return false;
    sockaddr_in6 at{};
    at.sin6_family = AF_INET6;
    at.sin6_addr = in6addr_loopback;
    const bool bound = ::bind(probe, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
    ::close(probe);
    return bound;
}

} // namespace tutti::test
