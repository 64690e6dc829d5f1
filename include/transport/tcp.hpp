// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#endif

#include "backoff.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/session.hpp"
#include "tcp/fabric.hpp"
#include "tcp/options.hpp"
#include "tcp/waker.hpp"
#include "transport.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::transport {

namespace detail::tcp {

/// One rank's control plane and data connections; stays where it is.
struct endpoint {
    endpoint(bootstrap::identity me, const tcp_limits& limits)
        : session(std::move(me)), data(limits, session.data_address()) {
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

/// Ranks anywhere, over TCP: IPv4 or IPv6, on the interface of the route to the rendezvous unless told otherwise.
///
/// - Everything happens in the calls of the one thread that drives it; rank 0 alone has a second thread, for the
///   rendezvous, which is on no data path.
/// - Connections are made when a context first needs them, by the lower rank; both ranks must open a channel before
///   they are. All contexts of two ranks share their connection (or its lanes). A peer is let in only after it has
///   proven to know the secret.
/// - A send completes when the kernel has all of it. Without a receive it gets at most tcp_limits::window_bytes ahead,
///   in each channel.
/// - A plain receive of 16 KiB or more is read straight to its place, but for the beginning of each message; all else
///   passes through a landing buffer that stays in the cache. The reducer gets its pieces in order, on any number of
///   lanes.
/// - A context that was closed may be opened again only when both sides have closed it after all that was sent in it
///   had been received, and each knows that of the other: the wire cannot tell the old one from the new.
/// - Memory: per rank tcp_limits::landing_bytes, per connection some kilobytes beside the kernel's buffers, per channel
///   some hundred bytes, and up to the window once messages come before their receives.
class tcp {
public:
    using fabric = detail::tcp::fabric;
    using limits = tcp_limits;
    using channel = fabric::channel;
    static constexpr medium near = medium::network, far = medium::network;

    /// Joins the world that the environment describes, see bootstrap::identity_from_environment(). Blocks until all
    /// ranks have come. Precondition on all ranks: the same size, rendezvous and secret. Throws a bootstrap error.
    [[nodiscard]] static tcp from_environment(const tcp_limits& limits = {}) {
        return tcp(bootstrap::identity_from_environment(), limits);
    }

    /// The same for a rank that knows who it is. Precondition on all ranks: equal limits.window_bytes.
    explicit tcp(bootstrap::identity me, const tcp_limits& limits = {})
        : it_(std::make_unique<detail::tcp::endpoint>(std::move(me), fabric::checked(limits))) {}

    [[nodiscard]] int rank() const noexcept { return it_->session.who().rank; }
    [[nodiscard]] int size() const noexcept { return it_->session.who().size; }
    [[nodiscard]] int node(int peer) const noexcept { return it_->session.node(peer); }
    [[nodiscard]] bool crowded() const noexcept { return it_->crowded; }

    channel& open(context k, int peer) { return it_->data.open(k, peer); }
    void send(channel& c, transfer& x) { it_->data.send(c, x); }
    void receive(channel& c, transfer& x) { it_->data.receive(c, x); }
    void close(context k) { it_->data.close(k); }
    bool progress() { return it_->data.progress(); }

    void wait(clock::time_point until) {
        backoff pause(crowded());
        for (unsigned looks = 1;; ++looks) {
            if (it_->bell.take() || progress()) return;
            if (looks % looks_a_clock == 0 && clock::now() >= until) return;
            if (!pause.rest()) break;
        }
        sleep(until);
    }
    void wake() noexcept { it_->bell.wake(); }

    void tell(const notice& n) { it_->session.plane().tell(n); }
    bool fetch(notice& n) {
        const bool any = it_->session.plane().fetch(n);
        it_->heard_the_last = !any && it_->session.plane().gone();
        return any;
    }

    [[nodiscard]] std::optional<std::string> broken(int peer) const { return it_->data.broken(peer); }
    [[nodiscard]] peer_name name_of(int peer) const {
        const auto& m = it_->session.table().members[static_cast<std::size_t>(peer)];
        return {m.host, bootstrap::endpoint{m.address, m.port}.text()};
    }

private:
    static constexpr unsigned looks_a_clock = 8;

    void sleep(clock::time_point until) {
        const auto& plane = it_->session.plane();
        if (plane.gone() && !it_->heard_the_last) return;
        const int events = plane.wants_write() ? POLLIN | POLLOUT : POLLIN;
        const std::array<pollfd, 2> others{
            pollfd{it_->bell.descriptor(), POLLIN, 0},
            pollfd{plane.gone() ? -1 : plane.descriptor(), static_cast<short>(events), 0}};
        it_->data.look(std::min(until, plane.next_tick()), others);
        it_->bell.reset();
    }

    std::unique_ptr<detail::tcp::endpoint> it_;
};

static_assert(transport<tcp>);

} // namespace tutti::transport
