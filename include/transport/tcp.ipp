// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tcp.hpp"

#include "backoff.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/session.hpp"
#include "tcp/fabric.hpp"
#include "tcp/waker.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <utility>

namespace tutti::transport {

namespace detail::tcp {

/// One rank's control plane and data connections; stays where it is.
struct endpoint {
    endpoint(bootstrap::identity me, const tcp_limits& how)
        : session(std::move(me)), data(how, session.data_address()) {
        auto where = session.data_address();
        where.set_port(data.port());
        const auto& world = session.join(where);
        data.join(session.who().rank, session.who().key, world);
        crowded = world.crowded(session.who().rank);
    }
    endpoint(const endpoint&) = delete;
    endpoint& operator=(const endpoint&) = delete;
    // Before `left` is said: who hears that a rank has left may take it that all its data is there.
    ~endpoint() { data.flush(); }

    bootstrap::session session;
    fabric data; // goes first
    waker bell;
    bool crowded = false;
    bool heard_the_last = false; // the control plane is gone, and whoever fetches knows
};

} // namespace detail::tcp

TUTTI_INLINE tcp tcp::from_environment(const tcp_limits& how) {
    return tcp(bootstrap::identity_from_environment(), how);
}

TUTTI_INLINE tcp::tcp(bootstrap::identity me, const tcp_limits& how)
    : it_(std::make_unique<detail::tcp::endpoint>(std::move(me), fabric::checked(how))) {}
TUTTI_INLINE tcp::tcp(tcp&&) noexcept = default;
TUTTI_INLINE tcp& tcp::operator=(tcp&&) noexcept = default;
TUTTI_INLINE tcp::~tcp() = default;

TUTTI_INLINE int tcp::rank() const noexcept { return it_->session.who().rank; }
TUTTI_INLINE int tcp::size() const noexcept { return it_->session.who().size; }
TUTTI_INLINE int tcp::node(int peer) const noexcept { return it_->session.node(peer); }
TUTTI_INLINE bool tcp::crowded() const noexcept { return it_->crowded; }

TUTTI_INLINE tcp::channel& tcp::open(context k, int peer) { return it_->data.open(k, peer); }
TUTTI_INLINE void tcp::send(channel& c, transfer& x) { it_->data.send(c, x); }
TUTTI_INLINE void tcp::receive(channel& c, transfer& x) { it_->data.receive(c, x); }
TUTTI_INLINE void tcp::close(context k) { it_->data.close(k); }
TUTTI_INLINE bool tcp::progress() { return it_->data.progress(); }

TUTTI_INLINE void tcp::wait(clock::time_point until) {
    constexpr unsigned looks_a_clock = 8;
    backoff pause(crowded());
    for (unsigned looks = 1;; ++looks) {
        if (it_->bell.take() || progress()) return;
        if (looks % looks_a_clock == 0 && clock::now() >= until) return;
        if (!pause.rest()) break;
    }
    sleep(until);
}
TUTTI_INLINE void tcp::wake() noexcept { it_->bell.wake(); }

TUTTI_INLINE void tcp::tell(const notice& n) { it_->session.plane().tell(n); }
TUTTI_INLINE bool tcp::fetch(notice& n) {
    const bool any = it_->session.plane().fetch(n);
    it_->heard_the_last = !any && it_->session.plane().gone();
    return any;
}

TUTTI_INLINE std::optional<std::string> tcp::broken(int peer) const { return it_->data.broken(peer); }
TUTTI_INLINE peer_name tcp::name_of(int peer) const {
    const auto& m = it_->session.table().members[static_cast<std::size_t>(peer)];
    return {m.host, bootstrap::endpoint{m.address, m.port}.text()};
}

TUTTI_INLINE void tcp::sleep(clock::time_point until) {
    const auto& plane = it_->session.plane();
    if (plane.gone() && !it_->heard_the_last) return;
    const int events = plane.wants_write() ? POLLIN | POLLOUT : POLLIN;
    const std::array<pollfd, 2> others{pollfd{it_->bell.descriptor(), POLLIN, 0},
                                       pollfd{plane.gone() ? -1 : plane.descriptor(), static_cast<short>(events), 0}};
    it_->data.look(std::min(until, plane.next_tick()), others);
    it_->bell.reset();
}

} // namespace tutti::transport
