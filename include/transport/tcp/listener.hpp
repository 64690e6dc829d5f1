// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "introduction.hpp"

#include "../bootstrap/failure.hpp"
#include "../bootstrap/handshake.hpp"
#include "../transport.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <list>
#include <utility>

namespace tutti::transport::detail::tcp {

/// This rank's data port: lets in who proves to know the secret. Strangers, the slow and the silent cost nothing but
/// their own connection: there are at most max_guests that have proven nothing, the oldest of which makes room for a
/// new one, and none may take longer than the deadline.
class listener {
public:
    static constexpr std::size_t max_guests = 64;
    static constexpr std::chrono::seconds patience{5};
    /// New guests a step, so that a flood of strangers leaves others the time to prove themselves.
    static constexpr int at_once = 16;
    /// Without descriptors for new connections the port is not looked at for so long.
    static constexpr std::chrono::milliseconds pause{100};

    /// Listens at once, on a port that the kernel chooses.
    /// Throws a bootstrap error.
    listener(asio::io_context& io, const asio::ip::address& where)
        : io_(io), protocol_(where.is_v6() ? asio::ip::tcp::v6() : asio::ip::tcp::v4()), acceptor_(io) {
        const asio::ip::tcp::endpoint any_port(where, 0);
        error_code ec;
        acceptor_.open(protocol_, ec);
        if (!ec) acceptor_.bind(any_port, ec);
        if (!ec) acceptor_.listen(1024, ec);
        if (!ec) acceptor_.non_blocking(true, ec);
        if (!ec) return;
        bootstrap::bootstrap_failed("cannot listen for data at " + where.to_string() + ": " + ec.message(),
                                    "TUTTI_INTERFACE chooses another address");
    }

    [[nodiscard]] std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    [[nodiscard]] int descriptor() { return acceptor_.native_handle(); }

    /// Lets in new guests, goes on with those that are there, and hands who is accepted to
    /// `welcome(socket&&, const bootstrap::hello&)`. True if anything moved.
    template <class Welcome>
    bool step(const bootstrap::secret& s, const bootstrap::guest_rules& rules, clock::time_point now,
              Welcome&& welcome) {
        bool moved = accept(s, rules, now);
        for (auto each = guests_.begin(); each != guests_.end();) {
            moved |= each->talk.step();
            if (each->talk.accepted()) welcome(each->talk.release(), each->talk.theirs());
            const bool over = each->talk.accepted() || each->talk.failed() || each->until <= now;
            each = over ? guests_.erase(each) : std::next(each);
        }
        return moved;
    }

    /// Calls `use(descriptor, events)` for whatever may wake it.
    template <class Use>
    void descriptors(clock::time_point now, Use&& use) {
        if (deaf_until_ <= now) use(descriptor(), POLLIN);
        for (guest& g : guests_) use(g.talk.descriptor(), g.talk.events());
    }

    /// When step() is needed though nothing came.
    [[nodiscard]] clock::time_point due(clock::time_point now) const {
        clock::time_point first = deaf_until_ > now ? deaf_until_ : clock::time_point::max();
        return guests_.empty() ? first : std::min(first, guests_.front().until);
    }

private:
    struct guest {
        introduction talk;
        clock::time_point until;
    };

    bool accept(const bootstrap::secret& s, const bootstrap::guest_rules& rules, clock::time_point now) {
        bool any = false;
        for (int i = 0; i < at_once && deaf_until_ <= now; ++i) {
            error_code ec;
            socket s_new(io_);
            s_new.accept(descriptor(), protocol_, ec);
            if (not_now(ec)) break;
            if (ec == asio::error::connection_aborted) continue;
            if (ec)
                deaf_until_ = now + pause;
            else
                tune(s_new, ec);
            if (ec) continue;
            if (guests_.size() == max_guests) guests_.pop_front();
            guests_.push_back(
                {introduction(std::move(s_new), bootstrap::handshake::accepting(s, rules)), now + patience});
            any = true;
        }
        return any;
    }

    asio::io_context& io_;
    asio::ip::tcp protocol_;
    acceptor acceptor_;
    std::list<guest> guests_; // the oldest first
    clock::time_point deaf_until_ = clock::time_point::min();
};

} // namespace tutti::transport::detail::tcp
