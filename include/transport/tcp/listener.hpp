// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "introduction.hpp"

#include "../bootstrap/failure.hpp"
#include "../bootstrap/handshake.hpp"
#include "../transport.hpp"

#include <algorithm>
#include <cerrno>
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
    explicit listener(bootstrap::address where) {
        where.set_port(0);
        port_ = bootstrap::listen_on(where);
        if (port_) return;
        bootstrap::bootstrap_failed("cannot listen for data at " + where.host() + ": " +
                                        bootstrap::words_of_errno(errno),
                                    "TUTTI_INTERFACE chooses another address");
    }

    [[nodiscard]] std::uint16_t port() const { return bootstrap::local_address(port_.get()).port(); }
    [[nodiscard]] int descriptor() const noexcept { return port_.get(); }

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
            auto arrived = bootstrap::accept_any(descriptor());
            if (!arrived && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) break;
            if (!arrived && errno == ECONNABORTED) continue;
            if (!arrived) deaf_until_ = now + pause;
            if (!arrived) continue;
            tune(arrived);
            if (guests_.size() == max_guests) guests_.pop_front();
            guests_.push_back(
                {introduction(std::move(arrived), bootstrap::handshake::accepting(s, rules)), now + patience});
            any = true;
        }
        return any;
    }

    socket port_;
    std::list<guest> guests_; // the oldest first
    clock::time_point deaf_until_ = clock::time_point::min();
};

} // namespace tutti::transport::detail::tcp
