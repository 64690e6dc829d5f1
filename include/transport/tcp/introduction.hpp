// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../bootstrap/handshake.hpp"
#include "socket.hpp"

#include <boost/asio/buffer.hpp>

#include <poll.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

namespace tutti::transport::detail::tcp {

/// A handshake under way on a socket. Never blocks.
class introduction {
public:
    introduction(socket&& s, bootstrap::handshake&& h) : socket_(std::move(s)), talk_(std::move(h)) {}

    /// Goes on as far as it can. True if anything moved.
    bool step() {
        bool moved = false;
        while (!done() && (write() || read())) moved = true;
        return moved || done();
    }

    [[nodiscard]] bool accepted() const { return talk_.accepted(); }
    /// It came to nothing: the socket ended or the other side was refused.
    [[nodiscard]] bool failed() const { return !why_.empty() || talk_.refused(); }
    [[nodiscard]] bool refused_for_good() const { return talk_.refused_for_good(); }
    [[nodiscard]] std::string why() const { return why_.empty() ? std::string(talk_.reason()) : why_; }

    [[nodiscard]] const bootstrap::hello& theirs() const { return talk_.theirs(); }
    [[nodiscard]] bool connected_to_itself() const {
        error_code ec;
        return socket_.local_endpoint(ec) == socket_.remote_endpoint(ec) && !ec;
    }
    [[nodiscard]] int descriptor() { return socket_.native_handle(); }
    [[nodiscard]] short events() const { return talk_.outgoing().empty() ? POLLIN : POLLOUT; }
    /// The socket, once accepted: nothing behind the handshake has been read.
    [[nodiscard]] socket&& release() { return std::move(socket_); }

private:
    [[nodiscard]] bool done() const { return accepted() || failed(); }

    bool write() {
        const auto out = talk_.outgoing();
        if (out.empty()) return false;
        error_code ec;
        talk_.sent(socket_.write_some(asio::buffer(out.data(), out.size()), ec));
        return note(ec);
    }
    bool read() {
        std::array<std::byte, 128> in{};
        const std::size_t wanted = std::min(talk_.wanted(), in.size());
        if (wanted == 0) return false;
        error_code ec;
        const std::size_t bytes = socket_.read_some(asio::buffer(in.data(), wanted), ec);
        if (!note(ec)) return false;
        talk_.feed({in.data(), bytes});
        // Politeness: a refused guest may hear so, if that costs no wait.
        if (talk_.refused()) write();
        return true;
    }
    bool note(const error_code& ec) {
        if (!ec) return true;
        if (!not_now(ec)) why_ = ec == asio::error::eof ? "closed the connection" : ec.message();
        return false;
    }

    socket socket_;
    bootstrap::handshake talk_;
    std::string why_;
};

} // namespace tutti::transport::detail::tcp
