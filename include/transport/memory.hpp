// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#if __cplusplus < 202002L
#error "tutti needs C++20: compile with -std=c++20"
#endif

#include "backoff.hpp"
#include "busy_channels.hpp"
#include "memory/channel.hpp"
#include "memory/world.hpp"
#include "transport.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace tutti::transport {

/// Ranks are threads of one process: the reference model of the contract in transport.hpp.
///
/// Messages of up to 2 KiB are copied into a slot of the channel, and their sends are then complete; larger ones are
/// read by the receiver straight from the sender's memory, once, whether it keeps or reduces them. Each channel has 16
/// slots in each direction, in which at most 32 KiB of completed sends wait for their receives; no message allocates.
/// Every message can be viewed.
///
/// A context that was closed may be opened again: a channel of it is a new one then, met by the peer when it has
/// closed its old one too.
class memory {
public:
    using channel = detail::memory_channel;
    static constexpr medium near = medium::memory, far = medium::memory;

    /// Takes the place of rank `rank`. Throws `error` (invalid_argument) when there is none or it has been taken.
    memory(std::shared_ptr<memory_world> world, int rank) : world_(std::move(world)), rank_(rank) {
        world_->join(rank_);
    }
    memory(memory&&) noexcept = default;
    memory& operator=(memory&& other) noexcept {
        memory old{std::move(*this)};
        world_ = std::move(other.world_);
        rank_ = other.rank_;
        ends_ = std::move(other.ends_);
        busy_ = std::move(other.busy_);
        return *this;
    }
    ~memory() {
        if (!world_) return;
        while (!ends_.empty()) close(ends_.begin()->first.first);
        world_->leave(rank_);
    }

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return world_->size(); }
    [[nodiscard]] int node(int) const noexcept { return 0; }
    [[nodiscard]] bool crowded() const noexcept { return world_->crowded_; }
    [[nodiscard]] peer_name name_of(int peer) const { return {"this process", "memory:" + std::to_string(peer)}; }

    channel& open(context k, int peer) {
        auto& end = ends_[{k, peer}];
        if (!end) {
            auto line = world_->switchboard_.connect(k, rank_, peer);
            end = std::make_unique<channel_end>(std::move(line), rank_, peer, world_->control_.bell(peer));
            busy_.reserve(ends_.size());
        }
        return end->channel;
    }

    void send(channel& h, transfer& x) {
        if (!is_alive()) return;
        h.out.send(x);
        busy_.list(h);
    }

    void receive(channel& h, transfer& x) {
        if (!is_alive()) return;
        h.in.receive(x);
        busy_.list(h);
    }

    [[nodiscard]] const std::byte* look(channel& h, const transfer&) { return h.in.look(); }
    [[nodiscard]] bool release(channel& h, const transfer&) { return h.in.release(); }

    bool progress() {
        if (!is_alive()) return false;
        return busy_.advance();
    }

    void wait(clock::time_point until) {
        detail::control_plane& control = world_->control_;
        detail::doorbell& bell = control.bell(rank_);
        backoff pause{crowded()};
        do {
            if (bell.answer() || control.has_mail(rank_) || any_busy([](channel& h) { return h.ready(); })) return;
            const auto now = clock::now();
            if (now >= until) return;
            control.tick(now);
        } while (pause.rest());
        // Each channel now gets the peer's promise to ring, or turns out to be ready after all.
        if (any_busy([](channel& h) { return h.ask(); })) return;
        bell.sleep(std::min(until, control.next_tick()));
        control.tick(clock::now());
    }

    void wake() { world_->control_.bell(rank_).ring(); }

    void close(context k) {
        const auto first = ends_.lower_bound({k, 0});
        auto last = first;
        for (; last != ends_.end() && last->first.first == k; ++last) {
            channel_end& end = *last->second;
            end.channel.out.withdraw();
            busy_.forget(end.channel);
            world_->switchboard_.disconnect(k, rank_, last->first.second, end.line);
        }
        ends_.erase(first, last);
    }

    void tell(notice n) { world_->control_.tell(rank_, std::move(n)); }
    [[nodiscard]] bool fetch(notice& n) { return world_->control_.fetch(rank_, n); }

    [[nodiscard]] std::optional<std::string> broken(int peer) {
        if (!is_alive()) return "this rank was killed";
        // Acquire first, then the look at the lanes: all that the peer had sent is seen.
        const auto peers = world_->standing_of(peer).load(std::memory_order_acquire);
        const bool gone = peers == memory_world::standing::killed || peers == memory_world::standing::left;
        if (!gone || !is_exhausted(peer)) return std::nullopt;
        return peers == memory_world::standing::killed ? "it was killed" : "it has left";
    }

private:
    struct channel_end {
        channel_end(std::shared_ptr<detail::line> l, int self, int peer, detail::doorbell& bell_of_peer)
            : line(std::move(l)), channel(line->way(self, peer), line->way(peer, self), bell_of_peer) {}
        std::shared_ptr<detail::line> line;
        memory::channel channel;
    };

    // Relaxed: a killed rank's thread stops when it notices, and by then nobody relies on what it does.
    [[nodiscard]] bool is_alive() const noexcept {
        return world_->standing_of(rank_).load(std::memory_order_relaxed) == memory_world::standing::present;
    }

    template <class Predicate>
    [[nodiscard]] bool any_busy(Predicate holds) const {
        return is_alive() && busy_.any(holds);
    }

    /// A peer that is gone has left nothing more to receive; or a transfer waits for it in vain, whatever still lies in
    /// other channels.
    [[nodiscard]] bool is_exhausted(int peer) const {
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

    std::shared_ptr<memory_world> world_; ///< null when moved from
    int rank_;
    std::map<std::pair<context, int>, std::unique_ptr<channel_end>> ends_;
    detail::busy_channels<channel> busy_;
};

static_assert(viewing_transport<memory>);

} // namespace tutti::transport
