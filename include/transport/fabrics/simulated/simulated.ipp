// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../simulated.hpp"

#include "ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::transport {

namespace detail {
[[nodiscard]] inline simulated_ranks& inside(simulated_world& w) noexcept { return static_cast<simulated_ranks&>(w); }
[[nodiscard]] inline const simulated_ranks& inside(const simulated_world& w) noexcept {
    return static_cast<const simulated_ranks&>(w);
}
} // namespace detail

TUTTI_INLINE std::shared_ptr<simulated_world> simulated_world::create(simulated_options o) {
    if (o.size < 1) reject("simulated_world::create", "a world of " + std::to_string(o.size) + " ranks");
    if (o.helpers < -1) reject("simulated_world::create", std::to_string(o.helpers) + " helpers");
    if (o.per_node < 0 || o.nics < 0 || !(o.oversubscription >= 1) || !std::isfinite(o.oversubscription))
        reject("simulated_world::create", "nodes of negative size, or a network that carries more than is sent");
    return std::make_shared<detail::simulated_ranks>(std::move(o));
}
TUTTI_INLINE int simulated_world::size() const noexcept { return detail::inside(*this).options.size; }
TUTTI_INLINE std::chrono::nanoseconds simulated_world::now() const noexcept {
    return detail::inside(*this).time.now() - detail::inside(*this).begin;
}
TUTTI_INLINE void simulated_world::kill(int rank) {
    detail::inside(*this).require_rank("simulated_world::kill", rank);
    detail::inside(*this).kill(rank);
}
TUTTI_INLINE void simulated_world::kill_at(int rank, any_duration when) {
    auto& all = detail::inside(*this);
    all.require_rank("simulated_world::kill_at", rank);
    if (when < now())
        reject("simulated_world::kill_at", std::to_string(when.count()) + " ns, which the world has seen");
    if (when >= detail::scheduler::longest) return; // it does not last as long
    all.time.at(all.begin + when, [&all, rank] { all.kill(rank); });
}
TUTTI_INLINE void simulated_world::compute(any_duration time) {
    auto& all = detail::inside(*this);
    all.time.sleep_until(all.begin_computing(time));
}
TUTTI_INLINE void simulated_world::compute(any_duration time, const std::function<void()>& work) {
    if (!work) return compute(time);
    auto& all = detail::inside(*this);
    const clock::time_point end = all.begin_computing(time);
    detail::simulated_work own(work);
    [&]() noexcept { // an exception would leave the work behind
        all.helpers.begin(own);
        all.time.sleep_until(end);
    }();
    all.helpers.finish(own);
}

TUTTI_INLINE void simulated_world::run(const std::function<void(simulated)>& program) {
    auto& all = detail::inside(*this);
    if (std::exchange(all.has_run, true)) reject("simulated_world::run", "the world has run");
    all.thread = std::this_thread::get_id();
    const std::shared_ptr<simulated_world> self = all.shared_from_this();
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(all.options.size));
    for (int rank = 0; rank < all.options.size; ++rank)
        all.time.spawn(all.options.stack_bytes, [&, rank] {
            try {
                program(simulated{self, rank});
            } catch (...) {
                failures[static_cast<std::size_t>(rank)] = std::current_exception();
            }
        });
    all.time.run();
    for (const auto& f : failures)
        if (f) std::rethrow_exception(f);
}

TUTTI_INLINE simulated::simulated(std::shared_ptr<simulated_world> world, int rank)
    : world_(std::static_pointer_cast<detail::simulated_ranks>(std::move(world))), rank_(rank) {
    world_->join(rank_);
}
TUTTI_INLINE simulated::simulated(simulated&&) noexcept = default;
TUTTI_INLINE simulated::~simulated() {
    if (!world_) return;
    while (!ends_.empty()) close(ends_.begin()->first.first);
    world_->leave(rank_);
}

TUTTI_INLINE int simulated::size() const noexcept { return world_->options.size; }
TUTTI_INLINE int simulated::node(int peer) const noexcept { return world_->messages.hardware.node(peer); }
TUTTI_INLINE peer_name simulated::name_of(int peer) const {
    return {"node " + std::to_string(node(peer)), "simulated:" + std::to_string(peer)};
}
TUTTI_INLINE clock::time_point simulated::now() const noexcept { return world_->time.now(); }

TUTTI_INLINE simulated::channel& simulated::open(context k, int peer) {
    const auto known = ends_.find({k, peer});
    if (known != ends_.end()) return *known->second;
    auto end = std::make_unique<channel>(world_->connect(k, rank_, peer), rank_, peer);
    return *ends_.emplace(std::pair{k, peer}, std::move(end)).first->second;
}
TUTTI_INLINE void simulated::close(context k) {
    const auto first = ends_.lower_bound({k, 0});
    auto last = first;
    world_->forget_what_is_taken(rank_);
    for (; last != ends_.end() && last->first.first == k; ++last) {
        world_->note_rest(rank_, *last->second);
        const auto line = last->second->line;
        last->second.reset();
        world_->disconnect(k, rank_, last->first.second, line);
    }
    ends_.erase(first, last);
}

TUTTI_INLINE void simulated::send(channel& h, transfer& x) {
    x.status = transfer_status::pending;
    x.moved = 0;
    if (world_->is_alive(rank_)) world_->messages.send(rank_, h, x);
}
TUTTI_INLINE void simulated::receive(channel& h, transfer& x) {
    x.status = transfer_status::pending;
    x.moved = 0;
    if (world_->is_alive(rank_)) world_->messages.receive(h, x);
}
TUTTI_INLINE bool simulated::progress() { return world_->is_alive(rank_) && world_->messages.complete_due(rank_); }
TUTTI_INLINE void simulated::wait(clock::time_point until) { world_->wait(rank_, until); }
TUTTI_INLINE void simulated::wake() { world_->ring(rank_); }

TUTTI_INLINE std::vector<untaken> simulated::leave(clock::time_point until) {
    notice n;
    n.kind = notice_kind::leaving;
    n.rank = rank_;
    n.request = static_cast<std::uint64_t>(
        std::chrono::ceil<std::chrono::milliseconds>(until - std::min(until, now())).count());
    tell(std::move(n));
    for (const auto& [where, end] : ends_) world_->note_rest(rank_, *end);
    return world_->linger(rank_, until);
}

TUTTI_INLINE void simulated::tell(notice n) {
    if (world_->is_alive(rank_)) world_->control.tell(rank_, std::move(n));
}
TUTTI_INLINE bool simulated::fetch(notice& n) { return world_->control.fetch(rank_, n); }

TUTTI_INLINE std::optional<std::string> simulated::broken(int peer) {
    using standing = detail::simulated_desk::standing;
    if (!world_->is_alive(rank_)) return "this rank was killed";
    const auto peers = world_->of(peer).is;
    const bool gone = peers == standing::killed || peers == standing::left;
    if (!gone || !is_exhausted(peer)) return std::nullopt;
    return peers == standing::killed ? "it was killed" : "it has left";
}

/// A peer that is gone has left nothing more to receive; or a transfer waits for it in vain, whatever still lies in
/// other channels.
TUTTI_INLINE bool simulated::is_exhausted(int peer) const {
    bool needed = false;
    bool more = false;
    for (const auto& [where, end] : ends_) {
        if (where.second != peer) continue;
        needed = true;
        const bool comes = end->has_more();
        if (!comes && end->busy()) return true;
        more = more || comes;
    }
    return needed && !more;
}

} // namespace tutti::transport

#if defined(TUTTI_COMPILED)
template class tutti::transport::detail::held_transport<tutti::transport::simulated>;
#endif
