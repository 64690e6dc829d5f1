// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "asio.hpp"
#include "handshake.hpp"
#include "socket.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <utility>

namespace tutti::transport::bootstrap {

/// A socket that coroutines of one io_context wait for. The socket itself is another's, which opens it through
/// own_descriptors, reads and writes it without waiting, and closes it after ignore(). Coroutines hold this as well.
class watched_socket : public std::enable_shared_from_this<watched_socket> {
public:
    /// Throws where the system has no memory for it.
    watched_socket(asio::io_context& in, int socket) : limit_(in), seat_(in, socket), socket_(socket) {}
    watched_socket(const watched_socket&) = delete;
    watched_socket& operator=(const watched_socket&) = delete;
    ~watched_socket() { ignore(); }

    /// Awaits that it can be read or has ended, or ignore().
    [[nodiscard]] auto readable() { return seat_.async_wait(seat::wait_read, in_task); }
    /// Awaits that it can be written, or the same.
    [[nodiscard]] auto writable() { return seat_.async_wait(seat::wait_write, in_task); }

    /// Ignores it after that time, unless told otherwise.
    TUTTI_COLD void ignore_after(std::chrono::milliseconds time) {
        limit_.expires_after(time);
        // A wait that is over may stand in the queue while the limit changes: the time that holds is looked at then.
        limit_.async_wait([self = shared_from_this()](const auto& cancelled) {
            if (!cancelled && self->limit_.expiry() <= std::chrono::steady_clock::now()) self->ignore();
        });
    }
    void ignore_never() { limit_.expires_at(std::chrono::steady_clock::time_point::max()); }

    /// Ends all waits, and none begins any more.
    TUTTI_COLD void ignore() {
        if (!seat_.is_open()) return;
        limit_.cancel();
        seat_.release();
    }
    [[nodiscard]] bool is_watched() const noexcept { return seat_.is_open(); }
    [[nodiscard]] int get() const noexcept { return socket_; }

private:
    using seat = asio::posix::basic_stream_descriptor<executor>;
    timer limit_;
    seat seat_;
    int socket_;
};

/// Starts a coroutine. An exception that leaves it leaves the run of the context.
TUTTI_COLD inline void begin(asio::io_context& in, task<> what) {
    asio::co_spawn(in, std::move(what), [](const std::exception_ptr& failed) {
        if (failed) std::rethrow_exception(failed);
    });
}

/// Goes through a handshake: until it is accepted or refused, the connection ends, or it is ignored.
inline task<> shake_hands(watched_socket& with, handshake& h) {
    while (with.is_watched() && !h.accepted()) {
        if (const auto out = h.outgoing(); !out.empty()) {
            const auto written = write_some(with.get(), out);
            if (written.ended) break;
            h.sent(written.bytes);
            if (h.refused()) break; // who is refused hears so if that costs no wait
            if (written.bytes == 0) co_await with.writable();
            continue;
        }
        if (h.refused()) break;
        std::array<std::byte, 128> landing;
        const auto read = read_some(with.get(), std::span(landing).first(std::min(h.wanted(), landing.size())));
        if (read.ended) break;
        h.feed(std::span(landing).first(read.bytes));
        if (read.bytes == 0) co_await with.readable();
    }
}

} // namespace tutti::transport::bootstrap
