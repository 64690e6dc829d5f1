// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "expect.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <utility>

namespace tutti::test {

/// A loopback port for a test's rendezvous. It is bound but not listened on as long as this lives, so that the system
/// gives it to nobody else, and whoever asks to use the address again can listen there.
class reserved_port {
public:
    explicit reserved_port(std::string host = "127.0.0.1") : host_(std::move(host)) {
        const bool six = host_.find(':') != std::string::npos;
        six ? bind_six() : bind_four();
        expect(port_ != 0, "there is a free port on " + host_);
    }
    reserved_port(const reserved_port&) = delete;
    reserved_port& operator=(const reserved_port&) = delete;
    ~reserved_port() { ::close(socket_); }

    [[nodiscard]] const std::string& host() const noexcept { return host_; }
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

private:
    void bind_four() {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        ::inet_pton(AF_INET, host_.c_str(), &at.sin_addr);
        bind(reinterpret_cast<sockaddr*>(&at), sizeof at);
        port_ = ntohs(at.sin_port);
    }
    void bind_six() {
        sockaddr_in6 at{};
        at.sin6_family = AF_INET6;
        ::inet_pton(AF_INET6, host_.c_str(), &at.sin6_addr);
        bind(reinterpret_cast<sockaddr*>(&at), sizeof at);
        port_ = ntohs(at.sin6_port);
    }
    void bind(sockaddr* at, socklen_t length) {
        socket_ = ::socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int yes = 1;
        ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (::bind(socket_, at, length) != 0) return;
        ::getsockname(socket_, at, &length);
    }

    std::string host_;
    int socket_ = -1;
    std::uint16_t port_ = 0;
};

} // namespace tutti::test
