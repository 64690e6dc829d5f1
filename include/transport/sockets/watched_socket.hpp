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
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
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

/// Lets coroutines whose waits were ended come to their end, before what they use is gone.
TUTTI_COLD inline void finish(asio::io_context& in) {
    in.restart();
    in.poll();
}

/// What a handshake waits for that has gone on as far as it can.
enum class shaking : std::uint8_t { reads, writes, over };

/// Goes on as far as it can without waiting. Over: it is accepted or refused, or the connection ended; `why` says then how.
TUTTI_COLD inline shaking shake(int socket, handshake& h, std::string& why) {
    const auto ended = [&why](const io_result& r) {
        if (r.ended) why = r.error == 0 ? "closed the connection" : words_of_errno(r.error);
        return r.ended;
    };
    while (!h.accepted()) {
        if (const auto out = h.outgoing(); !out.empty()) {
            const auto written = write_some(socket, out);
            if (ended(written)) return shaking::over;
            h.sent(written.bytes);
            if (written.bytes == 0 && !h.refused()) return shaking::writes;
            if (written.bytes > 0) continue; // else who is refused does not hear so: that would cost a wait
        }
        if (h.refused()) {
            why = h.reason();
            return shaking::over;
        }
        std::array<std::byte, 128> landing;
        const auto read = read_some(socket, std::span(landing).first(std::min(h.wanted(), landing.size())));
        if (ended(read)) return shaking::over;
        h.feed(std::span(landing).first(read.bytes));
        if (read.bytes == 0) return shaking::reads;
    }
    return shaking::over;
}

/// Goes through a handshake: until it is over as above, or the socket is ignored. Why nothing came of it; else empty.
inline task<std::string> shake_hands(watched_socket& with, handshake& h) {
    std::string why;
    while (with.is_watched()) {
        const auto waits = shake(with.get(), h, why);
        if (waits == shaking::over) break;
        if (waits == shaking::reads)
            co_await with.readable();
        else
            co_await with.writable();
    }
    co_return why;
}

} // namespace tutti::transport::bootstrap
