// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/sockets/socket.hpp>
#include <transport/sockets/wait_ready.hpp>

#include <cerrno>
#include <chrono>

namespace tutti::transport::bootstrap {

/// Connects; empty on failure or when the time is up, errno says why.
[[nodiscard]] inline descriptor connect_to(const address& where, std::chrono::steady_clock::time_point until) {
    descriptor fd = new_socket(where);
    if (!fd) return fd;
    int why = ::connect(fd.get(), where.data(), where.length()) == 0 ? 0 : errno;
    if (why == EINPROGRESS) {
        socklen_t length = sizeof why;
        why = ETIMEDOUT;
        if (wait_ready(fd.get(), POLLOUT, until)) ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &why, &length);
    }
    if (why != 0) fd.reset();
    errno = why;
    return fd;
}

} // namespace tutti::transport::bootstrap
