// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "socket_options.hpp"

#include "../contract/transport.hpp"
#include "../sockets/errors.hpp"
#include "../sockets/jitter.hpp"
#include "../sockets/proven_socket.hpp"
#include "../sockets/watched_socket.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace tutti::transport::detail::connections {

/// Connects one lane to a peer's data port, in the background, for as long as its owner wants.
///
/// A peer that is busy elsewhere may take its time. One that drops the connection, since too many come at once, is
/// tried again and again: to give up would accuse a rank that others reach, and the call has a deadline. Given up are
/// - a port that is closed, soon, since every rank listens before any rank knows of it;
/// - a way on which nothing comes back, after unanswered_patience;
/// - a refusal with the proof of the secret, at once; a refusal without one, after some tries.
///
/// Where this process lacks something for the connection, it says so after a few tries, and tries on: see shortage().
class connector {
public:
    static constexpr int max_closed = 4;    ///< tries at a closed port
    static constexpr int max_refusals = 12; ///< without a proof; some ten seconds of pauses
    static constexpr int max_shortages = 4;
    static constexpr std::chrono::milliseconds first_pause{10};
    static constexpr std::chrono::milliseconds longest_pause{2000};
    /// The system asks again after 1 and 3 s. A port whose queue is full does not answer either, which can last in a
    /// large world: it is so much longer for each 1,000 ranks.
    static constexpr std::chrono::seconds unanswered_patience{4};

    connector(bootstrap::asio::io_context& in, const bootstrap::address& where, bootstrap::secret key,
              bootstrap::hello mine)
        : in_(in), where_(where), key_(std::move(key)), mine_(mine), pause_(in) {
        mine_.at = bootstrap::place_of(where);
    }

    [[nodiscard]] std::uint8_t fabric() const noexcept { return mine_.fabric; }
    [[nodiscard]] int peer() const noexcept { return mine_.peer; }
    [[nodiscard]] int lane() const noexcept { return mine_.lane; }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }
    /// The resource that this process lacks for it, with the remedy: the peer is not at fault. Empty while it lacks
    /// none.
    [[nodiscard]] const std::optional<std::string>& shortage() const noexcept { return shortage_; }

    /// The connection; nothing where it has given up, which why() tells. The coroutine uses this.
    TUTTI_COLD bootstrap::task<std::optional<bootstrap::proven_socket>> connect() {
        for (int starved = 0;;) {
            try {
                if (auto made = co_await try_once()) co_return std::move(made);
                if (!why_.empty()) co_return std::nullopt;
                pause_.expires_after(pause());
                co_await pause_.async_wait(bootstrap::in_task);
                starved = 0;
            } catch (const std::bad_alloc&) {
                if (++starved > bootstrap::most_starved) throw;
                note_error(ENOMEM, {});
            }
        }
    }

private:
    /// The failure of an attempt, and the next action.
    enum class trouble { closed_port, no_answer, refusal, shortage, dropped };

    TUTTI_COLD bootstrap::task<std::optional<bootstrap::proven_socket>> try_once() {
        socket s = bootstrap::new_socket(where_);
        if (!s) co_return note_error(errno, s);
        tune(s);
        const auto patience = unanswered_patience * (1 + mine_.size / 1000);
        const int code = co_await bootstrap::connect(in_, s, where_, patience, waits_);
        if (code != 0) co_return note_error(code, s);
        shortages_ = 0;
        shortage_.reset();
        auto talk = bootstrap::handshake::connecting(key_, mine_);
        const auto problem = co_await bootstrap::shake_hands(*waits_, talk);
        waits_->ignore();
        if (talk.accepted()) co_return bootstrap::proven_socket{std::move(s), talk.release()};
        if (talk.refused_for_good()) refusals_ = max_refusals;
        co_return note(talk.refused() ? trouble::refusal : trouble::dropped, problem, s);
    }
    TUTTI_COLD std::nullopt_t note_error(int code, const socket& s) {
        if (const auto lack = bootstrap::shortage_in_words(code)) return note(trouble::shortage, *lack, s);
        const auto words = bootstrap::words_of_errno(code);
        switch (code) {
        case ECONNREFUSED: return note(trouble::closed_port, words, s);
        case ETIMEDOUT:
        case EHOSTUNREACH:
        case ENETUNREACH:
        case EACCES: // so a firewall of this host says no
        case EPERM: return note(trouble::no_answer, words, s);
        default: return note(trouble::dropped, words, s);
        }
    }
    TUTTI_COLD std::nullopt_t note(trouble what, const std::string& why, const socket& s) {
        if (waits_) waits_->ignore();
        if (what == trouble::shortage && ++shortages_ >= max_shortages) shortage_ = why;
        if (is_over(what)) why_ = what == trouble::no_answer ? unanswered(why, s) : why;
        return std::nullopt;
    }
    [[nodiscard]] bool is_over(trouble what) {
        switch (what) {
        case trouble::closed_port: return ++closed_ >= max_closed;
        case trouble::refusal: return ++refusals_ >= max_refusals;
        case trouble::no_answer: return true;
        case trouble::shortage:
        case trouble::dropped: return false;
        }
        return false;
    }
    /// With where this rank calls from, as far as the system has decided that.
    [[nodiscard]] std::string unanswered(const std::string& why, const socket& s) const {
        const auto own = s ? bootstrap::local_address(s.get()) : bootstrap::address{};
        return "its data port " + where_.text() + " does not answer " +
               (own.octets().empty() ? "this host" : own.host()) + " (" + why +
               "): a firewall may be between them; TUTTI_PORTS and TUTTI_INTERFACE choose other ways";
    }
    /// It doubles, and half of it is random: ranks that were dropped together do not come together again.
    [[nodiscard]] clock::duration pause() {
        const auto whole =
            std::min<std::chrono::microseconds>(longest_pause, first_pause * (1 << std::min(tries_++, 10)));
        return whole / 2 + std::chrono::microseconds(random_.below(static_cast<std::uint64_t>(whole.count() / 2)));
    }

    bootstrap::asio::io_context& in_;
    bootstrap::address where_;
    bootstrap::secret key_;
    bootstrap::hello mine_;
    bootstrap::timer pause_;
    std::shared_ptr<bootstrap::watched_socket> waits_; // of this try
    bootstrap::jitter random_;
    int tries_ = 0, closed_ = 0, refusals_ = 0, shortages_ = 0;
    std::string why_;
    std::optional<std::string> shortage_;
};

} // namespace tutti::transport::detail::connections
