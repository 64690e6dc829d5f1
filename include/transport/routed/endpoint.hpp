// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../backoff.hpp"
#include "../bootstrap/session.hpp"
#include "../fabric.hpp"
#include "../routed.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::transport::detail {

/// One rank's control plane, and its two ways to other ranks; stays where it is.
template <class Near, class Far>
class routed_endpoint {
    static_assert(ringing_fabric<Near> && polling_fabric<Far>);

public:
    using channel = routed_channel<typename Near::channel, typename Far::channel>;

    template <class NearLimits, class FarLimits>
    routed_endpoint(bootstrap::identity me, const NearLimits& near, const FarLimits& far)
        : session_(std::move(me)), near_(near), far_(far, session_.data_address()) {
        near_.sleep_in_poll();
        auto where = session_.data_address();
        where.set_port(far_.port());
        const auto& world = session_.join(where, near_.mine().file(), near_.mine().key());
        const auto& who = session_.who();
        near_.join(who.rank, world);
        far_.join(who.rank, who.key, world);
        crowded_ = world.crowded(who.rank);
    }
    routed_endpoint(const routed_endpoint&) = delete;
    routed_endpoint& operator=(const routed_endpoint&) = delete;
    // Before `left` is said: who hears that a rank has left may take it that all its data is there.
    ~routed_endpoint() { far_.flush(); }

    [[nodiscard]] bootstrap::session& session() noexcept { return session_; }
    [[nodiscard]] Near& near() noexcept { return near_; }
    [[nodiscard]] bool crowded() const noexcept { return crowded_; }
    [[nodiscard]] bool is_near(int peer) const noexcept {
        return session_.node(peer) == session_.node(session_.who().rank);
    }

    [[nodiscard]] channel& open(context k, int peer) {
        const auto known = channels_.find({k, peer});
        if (known != channels_.end()) return known->second;
        const channel made =
            is_near(peer) ? channel{&near_.open(k, peer), nullptr} : channel{nullptr, &far_.open(k, peer)};
        return channels_.emplace(std::pair{k, peer}, made).first->second;
    }
    void send(channel& c, transfer& x) {
        if (c.near) return near_.send(*c.near, x);
        far_.send(*c.far, x);
    }
    void receive(channel& c, transfer& x) {
        if (c.near) return near_.receive(*c.near, x);
        far_.receive(*c.far, x);
    }
    void close(context k) {
        near_.close(k);
        far_.close(k);
        const auto first = channels_.lower_bound({k, 0});
        auto last = first;
        while (last != channels_.end() && last->first.first == k) ++last;
        channels_.erase(first, last);
    }
    bool progress() {
        const bool moved = near_.progress();
        return far_.progress() || moved;
    }
    [[nodiscard]] std::optional<std::string> broken(int peer) {
        return is_near(peer) ? near_.broken(peer) : far_.broken(peer);
    }

    /// Spinning looks at both ways. There is one sleep for all there is to wait for, in poll(2): sockets, the control
    /// plane, and the bell that peers of this host ring. Neither way waits for a timer of the other, no core burns, and
    /// whatever ends a wait ends it at once. The price is on the near way: to write to a pipe and come out of poll(2)
    /// takes about half as long again as to wake from a futex.
    void wait(clock::time_point until) {
        backoff pause(crowded_);
        for (unsigned looks = 1;; ++looks) {
            if (near_.ready() || near_.rung() || far_.progress()) return;
            if (looks % looks_a_clock == 0 && clock::now() >= until) return;
            if (!pause.rest()) break;
        }
        // Each near channel now gets the peer's promise to ring, or turns out to be ready after all.
        if (!near_.ask()) sleep(until);
    }

    [[nodiscard]] bool fetch(notice& n) {
        const bool any = session_.plane().fetch(n);
        heard_the_last_ = !any && session_.plane().gone();
        return any;
    }

private:
    static constexpr unsigned looks_a_clock = 16;

    void sleep(clock::time_point until) {
        const auto& plane = session_.plane();
        if (plane.gone() && !heard_the_last_) return;
        const int events = plane.wants_write() ? POLLIN | POLLOUT : POLLIN;
        const std::array<pollfd, 2> others{
            pollfd{near_.bell(), POLLIN, 0},
            pollfd{plane.gone() ? -1 : plane.descriptor(), static_cast<short>(events), 0}};
        if (near_.lie_down()) far_.look(std::min(until, plane.next_tick()), others);
        near_.get_up();
    }

    bootstrap::session session_;
    Near near_; // they go first
    Far far_;
    std::map<std::pair<context, int>, channel> channels_;
    bool crowded_ = false;
    bool heard_the_last_ = false; // the control plane is gone, and whoever fetches knows
};

} // namespace tutti::transport::detail
