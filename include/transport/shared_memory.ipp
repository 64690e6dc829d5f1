// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "shared_memory.hpp"

#include "backoff.hpp"
#include "bootstrap/environment.hpp"
#include "bootstrap/session.hpp"
#include "shared_memory/fabric.hpp"

#include <algorithm>
#include <utility>

namespace tutti::transport {

namespace detail::shm {

/// One rank's control plane and data channels; stays where it is.
struct endpoint {
    endpoint(bootstrap::identity me, const shared_memory_limits& how) : session(std::move(me)), data(how) {
        const auto& mine = data.mine();
        const auto& world = session.join(session.data_address(), mine.file(), mine.key());
        const auto& self = world.members[static_cast<std::size_t>(session.who().rank)];
        for (const auto& m : world.members)
            if (m.host_id != self.host_id)
                bootstrap::bootstrap_failed("rank " + std::to_string(m.rank) + " runs on " + m.host + ", this one on " +
                                                self.host + ": shared memory does not reach that far",
                                            "use transport::routed or tcp, or one TUTTI_HOST where it is one host",
                                            m.rank);
        data.join(session.who().rank, world);
        crowded = world.crowded(session.who().rank);
    }

    bootstrap::session session;
    fabric data; // goes first: who hears that a rank has left may take it that all its data is there
    std::uint32_t seen_alarm = 0;
    int hurried_waits = 0; // left of those that look at the control plane soon
    bool crowded = false;
};

} // namespace detail::shm

TUTTI_INLINE shared_memory shared_memory::from_environment(const shared_memory_limits& how) {
    return shared_memory(bootstrap::identity_from_environment(), how);
}

TUTTI_INLINE shared_memory::shared_memory(bootstrap::identity me, const shared_memory_limits& how)
    : it_(std::make_unique<detail::shm::endpoint>(std::move(me), how)) {}
TUTTI_INLINE shared_memory::shared_memory(shared_memory&&) noexcept = default;
TUTTI_INLINE shared_memory& shared_memory::operator=(shared_memory&&) noexcept = default;
TUTTI_INLINE shared_memory::~shared_memory() = default;

TUTTI_INLINE int shared_memory::rank() const noexcept { return it_->session.who().rank; }
TUTTI_INLINE int shared_memory::size() const noexcept { return it_->session.who().size; }
TUTTI_INLINE bool shared_memory::crowded() const noexcept { return it_->crowded; }

TUTTI_INLINE std::shared_ptr<std::byte> shared_memory::allocate(std::size_t bytes) const {
    return it_->data.allocate(bytes);
}

TUTTI_INLINE shared_memory::channel& shared_memory::open(context k, int peer) { return it_->data.open(k, peer); }
TUTTI_INLINE void shared_memory::send(channel& c, transfer& x) { it_->data.send(c, x); }
TUTTI_INLINE void shared_memory::receive(channel& c, transfer& x) { it_->data.receive(c, x); }
TUTTI_INLINE const std::byte* shared_memory::look(channel& c, const transfer& x) { return it_->data.look(c, x); }
TUTTI_INLINE bool shared_memory::release(channel& c, const transfer&) { return it_->data.release(c); }
TUTTI_INLINE void shared_memory::close(context k) { it_->data.close(k); }
TUTTI_INLINE bool shared_memory::progress() { return it_->data.progress(); }

TUTTI_INLINE void shared_memory::wait(clock::time_point until) {
    constexpr unsigned looks_a_clock = 16; // the clock takes as long as several looks
    auto& bell = it_->data.mine().top().bell;
    backoff pause(crowded());
    for (unsigned looks = 1;; ++looks) {
        if (it_->data.ready() || bell.answer()) return;
        if (looks % looks_a_clock == 0 && clock::now() >= until) return;
        if (!pause.rest()) break;
    }
    // Each channel now gets the peer's promise to ring, or turns out to be ready after all.
    if (it_->data.ask()) return;
    bell.sleep(std::min({until, it_->session.plane().next_tick(), clock::now() + longest_sleep()}));
}
TUTTI_INLINE void shared_memory::wake() noexcept { it_->data.mine().top().bell.ring(); }

TUTTI_INLINE void shared_memory::tell(const notice& n) {
    it_->session.plane().tell(n);
    if (n.kind == notice_kind::abort) it_->data.raise_alarm();
}
TUTTI_INLINE bool shared_memory::fetch(notice& n) { return it_->session.plane().fetch(n); }

TUTTI_INLINE std::optional<std::string> shared_memory::broken(int peer) { return it_->data.broken(peer); }
TUTTI_INLINE peer_name shared_memory::name_of(int peer) const {
    const auto& m = it_->session.table().members[static_cast<std::size_t>(peer)];
    return {m.host, "process " + std::to_string(m.pid)};
}

/// A futex cannot wait for a socket too, so the control plane gets its looks between sleeps.
TUTTI_INLINE std::chrono::milliseconds shared_memory::longest_sleep() noexcept {
    constexpr int waits_in_hurry = 50;
    // Relaxed: a hint, the ring that follows it wakes.
    const auto alarm = it_->data.mine().top().alarm.load(std::memory_order_relaxed);
    if (alarm != std::exchange(it_->seen_alarm, alarm)) it_->hurried_waits = waits_in_hurry;
    return std::chrono::milliseconds{it_->hurried_waits > 0 && --it_->hurried_waits > 0 ? 1 : 20};
}

} // namespace tutti::transport
