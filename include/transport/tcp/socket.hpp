// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../bootstrap/own_descriptors.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

/// Sockets are Asio's, always in non-blocking mode; waiting is ppoll(2) on their descriptors, because Asio's reactor
/// would cost more system calls a message.
namespace tutti::transport::detail::tcp {

namespace asio = boost::asio;
using boost::system::error_code;

/// One of Asio's sockets, which children of this process do not keep: closed on exec from its first moment, and see
/// bootstrap::own_descriptors.
template <class Base>
class unshared : public Base {
public:
    explicit unshared(asio::io_context& io) : Base(io) {}
    unshared(unshared&&) = default;
    unshared& operator=(unshared&&) = delete;
    ~unshared() {
        if (!this->is_open()) return;
        error_code ec;
        bootstrap::own_descriptors::list().remove(this->native_handle(), [&] { this->close(ec); });
    }

    void open(const asio::ip::tcp& protocol, error_code& ec) {
        take(protocol, ec, [&] { return ::socket(protocol.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); });
    }
    /// Becomes the next connection that waits at `listener`.
    void accept(int listener, const asio::ip::tcp& protocol, error_code& ec) {
        take(protocol, ec, [&] { return ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
    }

private:
    template <class Open>
    void take(const asio::ip::tcp& protocol, error_code& ec, Open&& make) {
        const int fd = bootstrap::own_descriptors::list().add(make);
        if (fd < 0)
            ec.assign(errno, boost::system::system_category());
        else
            this->assign(protocol, fd, ec);
        if (fd >= 0 && ec) bootstrap::own_descriptors::list().remove(fd, [fd] { ::close(fd); });
    }
};
using socket = unshared<asio::ip::tcp::socket>;
using acceptor = unshared<asio::ip::tcp::acceptor>;

/// Nothing for now; try again.
[[nodiscard]] inline bool not_now(const error_code& ec) noexcept {
    return ec == asio::error::would_block || ec == asio::error::try_again || ec == asio::error::interrupted;
}

inline void set_option(int fd, int level, int option, int value) noexcept {
    ::setsockopt(fd, level, option, &value, sizeof value);
}

/// Makes a socket non-blocking, its small messages prompt, and the silent end of an idle peer's host noticed within ten
/// seconds.
///
/// Not TCP_USER_TIMEOUT: Linux applies it also to a host that acknowledges but has no room, and a rank that computes
/// between two calls, and so reads nothing, is no dead rank. See stream::check() instead.
inline void tune(socket& s, error_code& ec) {
    s.non_blocking(true, ec);
    const int fd = s.native_handle();
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 5);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 5);
}

/// Of a connected socket: within a host, where nothing can be congested, takes the plainest congestion control, which
/// every Linux has. BBR, where it is the system's default, paces its sender by a timer: the bare-socket probe of
/// tools/compare-peers, which keeps to the default, then takes half as long again, or twice as long, for 2 MiB.
inline void tune_within_host(socket& s) {
    error_code ec;
    const auto here = s.local_endpoint(ec).address(), there = s.remote_endpoint(ec).address();
    if (!ec && (there.is_loopback() || there == here))
        ::setsockopt(s.native_handle(), IPPROTO_TCP, TCP_CONGESTION, "reno", 4);
}

} // namespace tutti::transport::detail::tcp
