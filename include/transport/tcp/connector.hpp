// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "introduction.hpp"

#include "../transport.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tutti::transport::detail::tcp {

/// Connects one lane to a peer's data port, in the background. A peer that is busy elsewhere may take its time; one
/// that drops the connection is tried again, with growing pauses, and so is one that refuses without a proof that it
/// knows the secret; one whose port is closed is given up soon, since
/// every rank listens before any rank knows of it.
class connector {
public:
    static constexpr int max_tries = 12; ///< some ten seconds of pauses
    static constexpr int max_refusals = 4;
    static constexpr std::chrono::milliseconds first_pause{10};
    static constexpr std::chrono::milliseconds longest_pause{2000};

    connector(const bootstrap::address& where, bootstrap::secret key, bootstrap::hello mine)
        : where_(where), key_(std::move(key)), mine_(mine) {}

    [[nodiscard]] int peer() const noexcept { return mine_.peer; }
    [[nodiscard]] int lane() const noexcept { return mine_.lane; }

    /// Goes on as far as it can. True if anything moved.
    bool step(clock::time_point now) {
        if (talk_ && !connected_) return finish_connect(now);
        if (talk_) return introduce(now);
        return !failed() && again_at_ <= now && start(now);
    }

    [[nodiscard]] bool accepted() const { return talk_ && connected_ && talk_->accepted(); }
    [[nodiscard]] socket&& release() { return talk_->release(); }
    [[nodiscard]] bool failed() const noexcept { return !why_.empty(); }
    [[nodiscard]] const std::string& why() const noexcept { return why_; }

    /// -1 while it pauses.
    [[nodiscard]] int descriptor() { return talk_ ? talk_->descriptor() : -1; }
    [[nodiscard]] short events() const { return connected_ ? talk_->events() : POLLOUT; }
    /// When step() is needed though nothing came.
    [[nodiscard]] clock::time_point due() const noexcept { return talk_ ? clock::time_point::max() : again_at_; }

private:
    bool start(clock::time_point now) {
        ++tries_;
        socket s = bootstrap::new_socket(where_);
        if (s) tune(s);
        if (!s || (::connect(s.get(), where_.data(), where_.length()) != 0 && errno != EINPROGRESS))
            return retry(errno, now);
        talk_.emplace(std::move(s), bootstrap::handshake::connecting(key_, mine_));
        return true;
    }

    bool finish_connect(clock::time_point now) {
        pollfd p{talk_->descriptor(), POLLOUT, 0};
        if (::poll(&p, 1, 0) <= 0) return false;
        int code = 0;
        socklen_t length = sizeof code;
        ::getsockopt(p.fd, SOL_SOCKET, SO_ERROR, &code, &length);
        // A loopback port that nobody listens on may have been connected to itself.
        if (code == 0 && talk_->connected_to_itself()) code = ECONNREFUSED;
        if (code != 0) return retry(code, now);
        connected_ = true;
        return introduce(now);
    }

    bool introduce(clock::time_point now) {
        const bool moved = talk_->step();
        if (!talk_->failed()) return moved;
        if (talk_->refused_for_good()) tries_ = max_tries;
        return retry(talk_->why(), max_tries, now);
    }

    bool retry(int code, clock::time_point now) {
        return retry(bootstrap::words_of_errno(code), code == ECONNREFUSED ? max_refusals : max_tries, now);
    }
    bool retry(std::string why, int most_tries, clock::time_point now) {
        talk_.reset();
        connected_ = false;
        if (tries_ >= most_tries) why_ = std::move(why);
        again_at_ = now + std::min(longest_pause, first_pause * (1 << std::min(tries_, 10)));
        return true;
    }

    bootstrap::address where_;
    bootstrap::secret key_;
    bootstrap::hello mine_;
    std::optional<introduction> talk_;
    bool connected_ = false;
    int tries_ = 0;
    clock::time_point again_at_ = clock::time_point::min();
    std::string why_;
};

} // namespace tutti::transport::detail::tcp
