// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "introduction.hpp"

#include "../transport.hpp"

#include <algorithm>
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

    connector(asio::io_context& io, asio::ip::tcp::endpoint where, bootstrap::secret key, bootstrap::hello mine)
        : io_(io), where_(std::move(where)), key_(std::move(key)), mine_(mine) {}

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
        socket s(io_);
        error_code ec;
        s.open(where_.protocol(), ec);
        if (!ec) tune(s, ec);
        // Asio's own connect() would wait for the outcome.
        if (!ec && ::connect(s.native_handle(), where_.data(), static_cast<socklen_t>(where_.size())) != 0)
            ec.assign(errno, boost::system::system_category());
        if (ec && ec != asio::error::in_progress) return retry(ec.message(), ec, now);
        talk_.emplace(std::move(s), bootstrap::handshake::connecting(key_, mine_));
        return true;
    }

    bool finish_connect(clock::time_point now) {
        pollfd p{talk_->descriptor(), POLLOUT, 0};
        if (::poll(&p, 1, 0) <= 0) return false;
        int code = 0;
        socklen_t length = sizeof code;
        ::getsockopt(p.fd, SOL_SOCKET, SO_ERROR, &code, &length);
        error_code ec(code, boost::system::system_category());
        // A loopback port that nobody listens on may have been connected to itself.
        if (!ec && talk_->connected_to_itself()) ec = asio::error::connection_refused;
        if (ec) return retry(ec.message(), ec, now);
        connected_ = true;
        return introduce(now);
    }

    bool introduce(clock::time_point now) {
        const bool moved = talk_->step();
        if (!talk_->failed()) return moved;
        if (talk_->refused_for_good()) tries_ = max_tries;
        return retry(talk_->why(), {}, now);
    }

    bool retry(std::string why, const error_code& ec, clock::time_point now) {
        talk_.reset();
        connected_ = false;
        if (tries_ >= (ec == asio::error::connection_refused ? max_refusals : max_tries)) why_ = std::move(why);
        again_at_ = now + std::min(longest_pause, first_pause * (1 << std::min(tries_, 10)));
        return true;
    }

    asio::io_context& io_;
    asio::ip::tcp::endpoint where_;
    bootstrap::secret key_;
    bootstrap::hello mine_;
    std::optional<introduction> talk_;
    bool connected_ = false;
    int tries_ = 0;
    clock::time_point again_at_ = clock::time_point::min();
    std::string why_;
};

} // namespace tutti::transport::detail::tcp
