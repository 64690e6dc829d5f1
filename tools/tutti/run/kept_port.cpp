// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "kept_port.hpp"

#include <cerrno>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace tutti::tools {

kept_port::kept_port(on where) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(where == on::loopback ? INADDR_LOOPBACK : INADDR_ANY);
    auto* const raw = reinterpret_cast<sockaddr*>(&any);
    socklen_t length = sizeof any;
    const int yes = 1;
    if (setsockopt(socket_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
        bind(socket_.get(), raw, length) != 0 || getsockname(socket_.get(), raw, &length) != 0)
        throw std::system_error(errno, std::generic_category(), "cannot find a free port");
    port_ = ntohs(any.sin_port);
}

} // namespace tutti::tools
