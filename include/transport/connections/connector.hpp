// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "introduction.hpp"

#include "../contract/transport.hpp"
#include "../sockets/errors.hpp"
#include "../sockets/jitter.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
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

    connector(const bootstrap::address& where, bootstrap::secret key, bootstrap::hello mine)
        : where_(where), key_(std::move(key)), mine_(mine) {
        mine_.at = bootstrap::place_of(where);
    }

    [[nodiscard]] std::uint8_t fabric() const noexcept { return mine_.fabric; }
    [[nodiscard]] int peer() const noexcept { return mine_.peer; }
    [[nodiscard]] int lane() const noexcept { return mine_.lane; }

    /// Goes on as far as it can. True if anything moved.
    bool step(clock::time_point now) {
        if (talk_ && !connected_) return finish_connect(now);
        if (talk_) return introduce(now);
        return !failed() && again_at_ <= now && start(now);
    }

    [[nodiscard]] bool accepted() const { return talk_ && connected_ && talk_->accepted(); }
    [[nodiscard]] bootstrap::proven_socket release() { return talk_->release(); }
    [[nodiscard]] bool failed() const noexcept { return !why_.empty(); }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }
    /// The resource that this process lacks for it, with the remedy: the peer is not at fault. Empty while it lacks
    /// none.
    [[nodiscard]] const std::optional<std::string>& shortage() const noexcept { return shortage_; }

    /// -1 while it pauses.
    [[nodiscard]] int descriptor() { return talk_ ? talk_->descriptor() : -1; }
    [[nodiscard]] short events() const { return connected_ ? talk_->events() : POLLOUT; }
    /// When step() is needed though nothing came.
    [[nodiscard]] clock::time_point due() const noexcept {
        if (!talk_) return again_at_;
        return connected_ ? clock::time_point::max() : unanswered_at();
    }

private:
    /// The failure of an attempt, and the next action.
    enum class trouble { closed_port, no_answer, refusal, shortage, dropped };

    [[nodiscard]] clock::time_point unanswered_at() const noexcept {
        return asked_at_ + unanswered_patience * (1 + mine_.size / 1000);
    }

    bool start(clock::time_point now) {
        socket s = bootstrap::new_socket(where_);
        if (!s) return retry_after_error(errno, now);
        shortages_ = 0;
        shortage_.reset();
        tune(s);
        if (::connect(s.get(), where_.data(), where_.length()) != 0 && errno != EINPROGRESS)
            return retry_after_error(errno, now);
        talk_.emplace(std::move(s), bootstrap::handshake::connecting(key_, mine_));
        asked_at_ = now;
        return true;
    }

    bool finish_connect(clock::time_point now) {
        pollfd p{talk_->descriptor(), POLLOUT, 0};
        if (::poll(&p, 1, 0) <= 0) {
            if (now < unanswered_at()) return false;
            return retry(trouble::no_answer, "nothing comes back", now);
        }
        int code = 0;
        socklen_t length = sizeof code;
        ::getsockopt(p.fd, SOL_SOCKET, SO_ERROR, &code, &length);
        // A loopback port without a listener may have been connected to itself.
        if (code == 0 && talk_->connected_to_itself()) code = ECONNREFUSED;
        if (code != 0) return retry_after_error(code, now);
        connected_ = true;
        return introduce(now);
    }

    bool introduce(clock::time_point now) {
        const bool moved = talk_->step();
        if (!talk_->failed()) return moved;
        if (talk_->refused_for_good()) refusals_ = max_refusals;
        return retry(talk_->refused() ? trouble::refusal : trouble::dropped, talk_->why(), now);
    }

    bool retry_after_error(int code, clock::time_point now) {
        if (const auto lack = bootstrap::shortage_in_words(code)) return retry(trouble::shortage, *lack, now);
        const auto words = bootstrap::words_of_errno(code);
        switch (code) {
        case ECONNREFUSED: return retry(trouble::closed_port, words, now);
        case ETIMEDOUT:
        case EHOSTUNREACH:
        case ENETUNREACH:
        case EACCES: // so a firewall of this host says no
        case EPERM: return retry(trouble::no_answer, words, now);
        default: return retry(trouble::dropped, words, now);
        }
    }

    bool retry(trouble what, std::string why, clock::time_point now) {
        const std::string from = what == trouble::no_answer ? own_address() : std::string{};
        talk_.reset();
        connected_ = false;
        if (what == trouble::shortage && ++shortages_ >= max_shortages) shortage_ = why;
        if (is_over(what)) give_up(what, why, from);
        again_at_ = now + pause();
        return true;
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
    void give_up(trouble what, const std::string& why, const std::string& from) {
        why_ = why;
        if (what == trouble::no_answer)
            why_ = "its data port " + where_.text() + " does not answer " + from + " (" + why +
                   "): a firewall may be between them; TUTTI_PORTS and TUTTI_INTERFACE choose other ways";
    }

    /// Where this rank calls from, as far as the system has decided that.
    [[nodiscard]] std::string own_address() {
        const auto own = talk_ ? bootstrap::local_address(talk_->descriptor()) : bootstrap::address{};
        return own.octets().empty() ? "this host" : own.host();
    }

    /// It doubles, and half of it is random: ranks that were dropped together do not come together again.
    [[nodiscard]] clock::duration pause() {
        const auto whole =
            std::min<std::chrono::microseconds>(longest_pause, first_pause * (1 << std::min(tries_++, 10)));
        return whole / 2 + std::chrono::microseconds(random_.below(static_cast<std::uint64_t>(whole.count() / 2)));
    }

    bootstrap::address where_;
    bootstrap::secret key_;
    bootstrap::hello mine_;
    bootstrap::jitter random_;
    std::optional<introduction> talk_;
    bool connected_ = false;
    int tries_ = 0, closed_ = 0, refusals_ = 0, shortages_ = 0;
    clock::time_point asked_at_ = clock::time_point::min();
    clock::time_point again_at_ = clock::time_point::min();
    std::string why_;
    std::optional<std::string> shortage_;
};

} // namespace tutti::transport::detail::connections
