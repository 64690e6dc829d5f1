// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "address.hpp"
#include "errors.hpp"
#include "own_descriptors.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>
#include <utility>

/// Plain non-blocking TCP sockets: a dozen system calls.
namespace tutti::transport::bootstrap {

/// An open file, closed with its owner.
class [[nodiscard]] descriptor {
public:
    descriptor() = default;
    explicit descriptor(int fd) noexcept : fd_(fd) {}
    /// The socket of `open()`, which children of this process shall not keep; see own_descriptors.
    template <class Open>
    [[nodiscard]] static descriptor unshared(Open&& open) {
        return descriptor(opened_within_limit([&] { return own_descriptors::list().add(open); }));
    }
    descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    descriptor& operator=(descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~descriptor() { reset(); }
    TUTTI_COLD void reset() noexcept {
        if (fd_ < 0) return;
        own_descriptors::list().remove(fd_, [this] { ::close(fd_); });
        fd_ = -1;
    }
    [[nodiscard]] int get() const noexcept { return fd_; }
    [[nodiscard]] explicit operator bool() const noexcept { return fd_ >= 0; }

private:
    int fd_ = -1;
};

[[nodiscard]] inline std::string words_of_errno(int code) { return std::generic_category().message(code); }

TUTTI_COLD [[nodiscard]] inline address local_address(int fd) {
    sockaddr_storage s{};
    socklen_t length = sizeof s;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&s), &length) != 0) return {};
    return address(reinterpret_cast<sockaddr*>(&s), length).unmapped();
}

TUTTI_COLD [[nodiscard]] inline address remote_address(int fd) {
    sockaddr_storage s{};
    socklen_t length = sizeof s;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&s), &length) != 0) return {};
    return address(reinterpret_cast<sockaddr*>(&s), length).unmapped();
}

namespace detail {

template <class T>
void set(int fd, int level, int option, const T& value) noexcept {
    ::setsockopt(fd, level, option, &value, sizeof value);
}

/// Notices are small and urgent; a host that vanished without a word shows within about ten seconds.
TUTTI_COLD inline void tune_control_socket(int fd) noexcept {
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 4);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 2);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 10'000);
}

} // namespace detail

/// A new socket for that kind of address. Empty on failure, errno says why.
[[nodiscard]] inline descriptor new_socket(const address& where) {
    return descriptor::unshared(
        [&] { return ::socket(where.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); });
}

/// A listening socket; the wildcard of IPv6 also takes IPv4. So many may wait to be accepted as the system allows,
/// since a whole world may come at once. Empty on failure, errno says why.
TUTTI_COLD [[nodiscard]] inline descriptor listen_on(const address& where) {
    descriptor fd = new_socket(where);
    if (!fd) return fd;
    detail::set(fd.get(), SOL_SOCKET, SO_REUSEADDR, 1);
    if (where.family() == AF_INET6) detail::set(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (::bind(fd.get(), where.data(), where.length()) != 0 || ::listen(fd.get(), 65'535) != 0) {
        const int why = errno;
        fd.reset();
        errno = why;
    }
    return fd;
}

/// The same on the first free port of a range, or on one that the system chooses.
[[nodiscard]] inline descriptor listen_on(address where, port_range ports) {
    descriptor fd;
    for (unsigned p = ports.first; p <= ports.last && !fd; ++p) {
        where.set_port(static_cast<std::uint16_t>(p));
        fd = listen_on(where);
        if (!fd && errno != EADDRINUSE) break;
    }
    return fd;
}

/// The next connection, if one waits. Empty otherwise, errno says why.
[[nodiscard]] inline descriptor accept_from(int listener) {
    return descriptor::unshared([&] { return ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); });
}

/// The result of a read or write: a count, nothing for now, or the end (`error` 0: the other side closed).
struct io_result {
    std::size_t bytes = 0;
    bool ended = false;
    int error = 0;
};

/// Nothing for now, and no failure. EWOULDBLOCK is EAGAIN on Linux.
[[nodiscard]] constexpr bool is_for_now(int error) noexcept { return error == EAGAIN || error == EINTR; }

[[nodiscard]] inline io_result result_of(ssize_t n) noexcept {
    if (n > 0) return {static_cast<std::size_t>(n), false, 0};
    if (n == 0) return {0, true, 0};
    if (is_for_now(errno)) return {};
    return {0, true, errno};
}

[[nodiscard]] inline io_result read_some(int fd, std::span<std::byte> into) noexcept {
    return result_of(::recv(fd, into.data(), into.size(), 0));
}

/// Precondition: `from` is not empty.
[[nodiscard]] inline io_result write_some(int fd, std::span<const std::byte> from) {
    return result_of(::send(fd, from.data(), from.size(), MSG_NOSIGNAL));
}

/// For write_some(), which only reads it.
[[nodiscard]] inline iovec piece(std::span<const std::byte> bytes) noexcept {
    return {const_cast<std::byte*>(bytes.data()), bytes.size()};
}

/// Writes several pieces in one system call. Precondition: one of them is not empty.
[[nodiscard]] inline io_result write_some(int fd, std::span<const iovec> pieces) noexcept {
    msghdr message{};
    message.msg_iov = const_cast<iovec*>(pieces.data()); // sendmsg(2) only reads them
    message.msg_iovlen = pieces.size();
    return result_of(::sendmsg(fd, &message, MSG_NOSIGNAL));
}

} // namespace tutti::transport::bootstrap
