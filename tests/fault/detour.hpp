// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

namespace tutti::test {

/// A way on which a process's connections are led over another port of this host: what somebody does who sits on the
/// cable, and owns no address that a rank would call. A rank's process sets it before it connects.
struct detour {
    std::uint16_t over = 0; ///< 0: none
    std::uint16_t except = 0;
    static detour way;
};
inline detour detour::way;

} // namespace tutti::test

/// The library's calls come here instead of to the C library's.
extern "C" [[gnu::used]] inline int connect(int fd, const sockaddr* where, socklen_t length) {
    const auto& way = tutti::test::detour::way;
    sockaddr_in to{};
    if (way.over != 0 && where->sa_family == AF_INET) {
        std::memcpy(&to, where, sizeof to);
        if (ntohs(to.sin_port) != way.except) {
            to.sin_port = htons(way.over);
            where = reinterpret_cast<const sockaddr*>(&to);
        }
    }
    return static_cast<int>(::syscall(SYS_connect, fd, where, length));
}
