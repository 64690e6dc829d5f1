// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../memory.hpp"

#include "channel.hpp"
#include "ranks.hpp"

#include <algorithm>

namespace tutti::transport {

TUTTI_INLINE std::shared_ptr<memory_world> memory_world::create(int size) {
    if (size < 1) reject("memory_world::create", "a world of " + std::to_string(size) + " ranks");
    return std::make_shared<detail::memory_ranks>(size);
}
TUTTI_INLINE int memory_world::size() const noexcept { return static_cast<const detail::memory_ranks*>(this)->size(); }
TUTTI_INLINE void memory_world::kill(int rank) { static_cast<detail::memory_ranks*>(this)->kill(rank); }

struct detail::memory_channel_end {
    memory_channel_end(std::shared_ptr<line> l, int self, int peer, doorbell& bell_of_peer)
        : of(std::move(l)), channel(of->way(self, peer), of->way(peer, self), bell_of_peer) {}
    std::shared_ptr<line> of;
    memory_channel channel;
};

TUTTI_INLINE memory::memory(std::shared_ptr<memory_world> world, int rank)
    : world_(std::static_pointer_cast<detail::memory_ranks>(std::move(world))), rank_(rank) {
    world_->join(rank_);
    pause_ = crowded() ? backoff(true) : backoff(false, (*world_->processors)[static_cast<std::size_t>(rank_)]);
}
TUTTI_INLINE memory::memory(memory&&) noexcept = default;
TUTTI_INLINE memory& memory::operator=(memory&& other) noexcept {
    if (this == &other) return *this;
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
}
TUTTI_INLINE memory::~memory() {
    // In a child threads that are not here may have held the locks: all stays as it is.
    if (!process_.is_this()) tutti::detail::keep_for_good(new (std::nothrow) memory(std::move(*this)));
    if (!world_) return;
    while (!ends_.empty()) close(ends_.begin()->first.first);
    world_->leave(rank_);
}

TUTTI_INLINE int memory::size() const noexcept { return world_->size(); }
TUTTI_INLINE bool memory::crowded() const noexcept { return !world_->processors; }
TUTTI_INLINE peer_name memory::name_of(int peer) const { return {"this process", "memory:" + std::to_string(peer)}; }

TUTTI_INLINE memory::channel& memory::open(context k, int peer) {
    require_own();
    const auto known = ends_.find({k, peer});
    if (known != ends_.end()) return known->second->channel;
    auto end = std::make_unique<detail::memory_channel_end>(world_->lines.connect(k, rank_, peer), rank_, peer,
                                                            world_->control.bell(peer));
    busy_.reserve(ends_.size() + 1);
    return ends_.emplace(std::pair{k, peer}, std::move(end)).first->second->channel; // whole, or not at all
}

// Relaxed: a killed rank's thread stops when it notices, and by then nobody relies on what it does.
TUTTI_INLINE bool memory::is_alive() const noexcept {
    return world_->standing_of(rank_).load(std::memory_order_relaxed) == detail::memory_ranks::standing::present;
}

TUTTI_INLINE void memory::send(channel& h, transfer& x) {
    if (!is_alive()) return;
    pause_.news();
    h.out.send(x);
    busy_.list(h);
}
TUTTI_INLINE void memory::receive(channel& h, transfer& x) {
    if (!is_alive()) return;
    pause_.news();
    h.in.receive(x);
    busy_.list(h);
}

TUTTI_INLINE const std::byte* memory::look(channel& h, const transfer&) { return h.in.look(); }
TUTTI_INLINE bool memory::release(channel& h, const transfer&) { return h.in.release(); }
TUTTI_INLINE bool memory::answer(channel& h, std::size_t offset, const std::byte* from, std::size_t bytes) {
    return h.in.answer(offset, from, bytes);
}

TUTTI_INLINE bool memory::progress() {
    const bool moved = is_alive() && busy_.advance();
    if (moved) pause_.news();
    return moved;
}

template <class Predicate>
bool memory::any_busy(Predicate holds) const {
    return is_alive() && busy_.any(holds);
}

TUTTI_INLINE void memory::wait(clock::time_point until) {
    detail::control_plane& control = world_->control;
    detail::doorbell& bell = control.bell(rank_);
    pause_.begin();
    do {
        if (bell.answer() || control.has_mail(rank_) || any_busy([](channel& h) { return h.ready(); })) return;
        const auto now = clock::now();
        if (now >= until) return;
        control.tick(now);
    } while (pause_.rest());
    // Each channel now gets the peer's promise to ring, or turns out to be ready after all.
    const bool ready = any_busy([](channel& h) { return h.ask(); });
    if (!ready) bell.sleep(std::min(until, control.next_tick()));
    pause_.woke();
    if (ready) return;
    control.tick(clock::now());
}
TUTTI_INLINE void memory::wake() { world_->control.bell(rank_).ring(); }

TUTTI_INLINE void memory::close(context k) {
    const auto first = ends_.lower_bound({k, 0});
    auto last = first;
    for (; last != ends_.end() && last->first.first == k; ++last) {
        detail::memory_channel_end& end = *last->second;
        end.channel.out.withdraw();
        busy_.forget(end.channel);
        world_->lines.disconnect(k, rank_, last->first.second, end.of);
    }
    ends_.erase(first, last);
}

TUTTI_INLINE void memory::tell(notice n) { world_->control.tell(rank_, std::move(n)); }
TUTTI_INLINE bool memory::fetch(notice& n) {
    // Ranks that are all busy never wait, and what the coordinator has to decide is due nevertheless.
    if (world_->control.next_tick() != clock::time_point::max()) world_->control.tick(clock::now());
    return world_->control.fetch(rank_, n);
}

TUTTI_INLINE std::optional<std::string> memory::broken(int peer) {
    using detail::memory_ranks;
    if (!is_alive()) return "this rank was killed";
    // Acquire first, then the look at the lanes: all that the peer had sent is seen.
    const auto peers = world_->standing_of(peer).load(std::memory_order_acquire);
    const bool gone = peers == memory_ranks::standing::killed || peers == memory_ranks::standing::left;
    if (!gone || !is_exhausted(peer)) return std::nullopt;
    return peers == memory_ranks::standing::killed ? "it was killed" : "it has left";
}

/// A peer that is gone has left nothing more to receive; or a transfer waits for it in vain, whatever still lies in
/// other channels.
TUTTI_INLINE bool memory::is_exhausted(int peer) const {
    bool needed = false;
    bool more = false;
    for (const auto& [where, end] : ends_) {
        if (where.second != peer) continue;
        needed = true;
        const bool arrived = end->channel.in.has_message();
        if (!arrived && end->channel.busy()) return true;
        more = more || arrived;
    }
    return needed && !more;
}

} // namespace tutti::transport

#if defined(TUTTI_COMPILED)
template class tutti::transport::detail::held_transport<tutti::transport::memory>;
#endif
