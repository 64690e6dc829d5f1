// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "asio.hpp"
#include "errors.hpp"
#include "handshake.hpp"
#include "jitter.hpp"
#include "socket.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// A socket that coroutines of one io_context wait for. The socket itself is another's, which opens it through
/// own_descriptors, reads and writes it without waiting, and closes it after ignore(). Coroutines hold this as well.
class watched_socket : public std::enable_shared_from_this<watched_socket> {
public:
    /// Throws std::system_error where the system has no memory for it.
    watched_socket(asio::io_context& in, int socket) : limit_(in), seat_(in), socket_(socket) {
        boost_system::error_code failed;
        seat_.assign(socket, failed);
        if (failed) throw std::system_error(failed.value(), std::generic_category(), "a socket cannot be awaited");
    }
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
        limit_.async_wait([weak = weak_from_this()](const auto& cancelled) {
            const auto self = cancelled ? nullptr : weak.lock();
            if (self && self->limit_.expiry() <= std::chrono::steady_clock::now()) self->ignore();
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

/// Starts a coroutine. Within the context it goes on at once, to its end where it has nothing to wait for. An exception
/// that leaves it leaves the run of the context.
TUTTI_COLD inline void begin(asio::io_context& in, task<> what) {
    asio::co_spawn(in, std::move(what), [](const std::exception_ptr& failed) {
        if (failed) std::rethrow_exception(failed);
    });
}

/// So often in a row a coroutine goes on without memory, before it ends.
inline constexpr int most_starved = 100;

/// So many strangers may always prove themselves at a port, or nobody could.
inline constexpr std::size_t few_strangers = 8;

/// A context, though this process may first have to raise its limit of descriptors. Throws a bootstrap error.
TUTTI_COLD [[nodiscard]] inline std::unique_ptr<asio::io_context> made_context() {
    for (bool again = false;; again = true) {
        try {
            auto made = std::make_unique<asio::io_context>(1);
            const timer opens_descriptors(*made); // now, and not when somebody first waits
            return made;
        } catch (const boost_system::system_error& e) {
            if (again || e.code().value() != EMFILE || !raise_descriptor_limit())
                bootstrap_failed("this process cannot wait for events: " + reason_in_words(e.code().value()));
        }
    }
}

/// So many handshakes may begin in so long. Who floods with hellos, which anyone can send who has heard one, so takes a
/// part of a core's time at most; all of it while a world starts, and they may be ranks'. Of those that wait the next
/// are drawn, so that a rank among them has its share however many come.
class handshake_limit {
public:
    static constexpr int at_once = 16;
    static constexpr std::chrono::milliseconds breath{10};

    explicit handshake_limit(asio::io_context& in) : in_(in), next_(in) {}

    /// Awaits a turn, or that `who` is ignored. `more`: may begin beside at_once.
    TUTTI_COLD task<> turn(watched_socket& who, int more = 0) {
        more_ = more;
        if (waiting_.empty()) breathe();
        if (waiting_.empty() && left_-- > 0) co_return;
        const auto me = std::make_shared<waiter>(who.shared_from_this(), timer(in_, clock::time_point::max()));
        waiting_.push_back(me);
        try {
            if (!waits_) wait();
            co_await me->turn.async_wait(in_task);
        } catch (const std::bad_alloc&) {
            std::erase(waiting_, me);
            throw;
        }
    }
    /// All go on.
    TUTTI_COLD void end() {
        for (const auto& w : waiting_) w->turn.cancel();
        waiting_.clear();
        next_.cancel();
    }

private:
    using clock = std::chrono::steady_clock;
    struct waiter {
        waiter(std::shared_ptr<watched_socket> s, timer t) : who(std::move(s)), turn(std::move(t)) {}
        std::shared_ptr<watched_socket> who;
        timer turn;
    };

    void breathe() {
        if (clock::now() - began_ < breath) return;
        began_ = clock::now();
        left_ = at_once + more_;
    }
    TUTTI_COLD void wait() {
        next_.expires_at(began_ + breath);
        next_.async_wait([this](const auto& cancelled) {
            waits_ = false;
            if (!cancelled) draw();
        });
        waits_ = true;
    }
    TUTTI_COLD void draw() {
        breathe();
        const auto ignored =
            std::partition(waiting_.begin(), waiting_.end(), [](const auto& w) { return w->who->is_watched(); });
        auto last = ignored;
        for (; last != waiting_.begin() && left_ > 0; --left_, --last) {
            const auto all = static_cast<std::uint64_t>(last - waiting_.begin());
            std::swap(waiting_[random_.below(all)], *std::prev(last));
        }
        for (auto w = last; w != waiting_.end(); ++w) (*w)->turn.cancel();
        waiting_.erase(last, waiting_.end());
        try {
            if (!waiting_.empty()) wait();
        } catch (const std::bad_alloc&) {
            end();
        }
    }

    asio::io_context& in_;
    timer next_; // breath
    std::vector<std::shared_ptr<waiter>> waiting_;
    jitter random_;
    clock::time_point began_{};
    int left_ = 0;
    int more_ = 0;
    bool waits_ = false;
};

/// What a handshake waits for that has gone on as far as it can.
enum class shaking : std::uint8_t { reads, writes, knocks, over };

/// Goes on as far as it can without waiting. Over: it is accepted or refused, or the connection ended; `why` says then
/// how.
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
        if (h.knocks()) return shaking::knocks;
        std::array<std::byte, 512> landing;
        const auto read = read_some(socket, std::span(landing).first(std::min(h.wanted(), landing.size())));
        if (ended(read)) return shaking::over;
        h.feed(std::span(landing).first(read.bytes));
        if (read.bytes == 0) return shaking::reads;
    }
    return shaking::over;
}

/// Goes through a handshake: until it is over as above, or the socket is ignored. Why nothing came of it; else empty.
/// Without a limit, who knocks is let in at once; `more`: see there.
inline task<std::string> shake_hands(watched_socket& with, handshake& h, handshake_limit* limit = nullptr,
                                     int more = 0) {
    std::string why;
    while (with.is_watched()) {
        const auto waits = shake(with.get(), h, why);
        if (waits == shaking::over) break;
        if (waits == shaking::knocks && limit) co_await limit->turn(with, more);
        if (waits == shaking::knocks && with.is_watched()) h.let_in();
        if (waits == shaking::reads) co_await with.readable();
        if (waits == shaking::writes) co_await with.writable();
    }
    co_return why;
}

/// Connects `s` within `limit`, and makes `waits` of it. 0, or an error of the system.
inline task<int> connect(asio::io_context& in, const descriptor& s, const address& where,
                         std::chrono::milliseconds limit, std::shared_ptr<watched_socket>& waits) {
    int code = ::connect(s.get(), where.data(), where.length()) == 0 ? 0 : errno;
    if (code != 0 && code != EINPROGRESS) co_return code;
    try {
        waits = std::make_shared<watched_socket>(in, s.get());
        waits->ignore_after(limit);
        while (code == EINPROGRESS) {
            co_await waits->writable();
            socklen_t length = sizeof code;
            ::getsockopt(s.get(), SOL_SOCKET, SO_ERROR, &code, &length);
            if (code == 0 && remote_address(s.get()).octets().empty()) code = EINPROGRESS; // of an earlier socket
            if (waits->is_watched()) continue;
            if (code == EINPROGRESS) co_return ETIMEDOUT;
            waits = std::make_shared<watched_socket>(in, s.get()); // it has answered, and nobody looked for so long
        }
    } catch (const std::system_error& e) {
        co_return e.code().value() == ENOSPC ? ENOMEM : e.code().value();
    }
    // A loopback port without a listener may have been connected to itself.
    if (code == 0 && local_address(s.get()) == remote_address(s.get())) code = ECONNREFUSED;
    if (code == 0)
        waits->ignore_never();
    else
        waits->ignore();
    co_return code;
}

} // namespace tutti::transport::bootstrap
