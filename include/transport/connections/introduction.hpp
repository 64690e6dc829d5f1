// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../control/dial.hpp"
#include "../sockets/handshake.hpp"
#include "socket_options.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace tutti::transport::detail::connections {

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
    /// Refused by the other side or by this one, rather than broken off.
    [[nodiscard]] bool refused() const { return talk_.refused(); }
    [[nodiscard]] bool greeted() const noexcept { return talk_.greeted(); }
    /// It came to nothing: the socket ended or the other side was refused.
    [[nodiscard]] bool failed() const { return !why_.empty() || talk_.refused(); }
    [[nodiscard]] bool refused_for_good() const { return talk_.refused_for_good(); }
    [[nodiscard]] std::string why() const {
        return talk_.refused() || why_.empty() ? std::string(talk_.reason()) : why_;
    }

    [[nodiscard]] const bootstrap::hello& theirs() const { return talk_.theirs(); }
    [[nodiscard]] bool connected_to_itself() const { return is_connected_to_itself(socket_); }
    [[nodiscard]] int descriptor() const noexcept { return socket_.get(); }
    [[nodiscard]] short events() const { return talk_.outgoing().empty() ? POLLIN : POLLOUT; }
    /// The connection, once accepted: nothing behind the handshake has been read.
    [[nodiscard]] bootstrap::proven_socket release() { return {std::move(socket_), talk_.keys()}; }

private:
    [[nodiscard]] bool done() const { return accepted() || failed(); }

    bool write() {
        const auto out = talk_.outgoing();
        if (out.empty()) return false;
        const auto done = bootstrap::write_some(descriptor(), out);
        talk_.sent(done.bytes);
        return note(done);
    }
    bool read() {
        std::array<std::byte, 128> in{};
        const std::size_t wanted = std::min(talk_.wanted(), in.size());
        if (wanted == 0) return false;
        const auto got = bootstrap::read_some(descriptor(), std::span(in).first(wanted));
        if (!note(got)) return false;
        talk_.feed({in.data(), got.bytes});
        // Politeness: a refused guest may hear so, if that costs no wait.
        if (talk_.refused()) write();
        return true;
    }
    bool note(const io_result& r) {
        if (r.ended) why_ = r.error == 0 ? "closed the connection" : bootstrap::words_of_errno(r.error);
        return r.bytes > 0;
    }

    socket socket_;
    bootstrap::handshake talk_;
    std::string why_;
};

} // namespace tutti::transport::detail::connections
