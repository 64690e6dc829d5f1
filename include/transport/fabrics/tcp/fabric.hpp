// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/error.hpp"

#include "../../connections/manager.hpp"
#include "../../contract/fabric.hpp"
#include "../../flow/lane_set.hpp"
#include "../../sockets/address.hpp"
#include "../../world/busy_channels.hpp"
#include "peer_link.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail::tcp {

/// This rank's links to all others: connected when a context first needs them, driven by the calling thread.
class fabric {
public:
    using channel = tcp::channel;

    /// Up to so many lanes with waiting transfers, trying all of them is quicker than epoll.
    static constexpr std::size_t few_lanes = 4;
    /// So often, even then, all lanes are looked at, also those without waiting transfers.
    static constexpr std::uint32_t look_around = 64;

    /// Throws tutti::error (invalid_argument) where they make no sense.
    static const tcp_limits& checked(const tcp_limits& limits) {
        if (limits.lanes < 1 || limits.lanes > connections::manager::max_lanes)
            reject("tcp", "lanes must be from 1 to " + std::to_string(connections::manager::max_lanes));
        if (limits.fragment_bytes < outbox::least_fragment || limits.fragment_bytes > max_fragment_bytes)
            reject("tcp", "fragment_bytes must be from 4096 to 16777216");
        if (limits.window_bytes < 4 * outbox::least_fragment) reject("tcp", "window_bytes must be at least 16384");
        if (limits.contexts_ahead < 1) reject("tcp", "contexts_ahead must be at least 1");
        return limits;
    }

    explicit fabric(const tcp_limits& limits)
        : limits_(limits), landing_(std::max(limits.landing_bytes, stream::beyond_bytes)) {}
    fabric(const fabric&) = delete;
    fabric& operator=(const fabric&) = delete;

    [[nodiscard]] std::vector<std::byte> card() const { return {}; } // the world tells address and port
    [[nodiscard]] static bool reaches(const fabric_end&, const fabric_end&) noexcept { return true; }
    [[nodiscard]] static std::string name_of(const bootstrap::member& m) {
        return bootstrap::endpoint{m.address, m.port}.text();
    }

    void join(const joined_world& w) {
        world_.emplace(w);
        links_.resize(w.table.members.size());
    }

    [[nodiscard]] channel* open(context k, int peer) {
        closed_.reopen(k);
        const bool first = !links_[static_cast<std::size_t>(peer)];
        peer_link& link = link_to(peer);
        for (int lane = 0; first && lane < limits_.lanes; ++lane) world_->sockets->connect(world_->fabric, peer, lane);
        channel& c = link.open(k);
        busy_.list(link); // the peer may wait to hear of it
        return &c;
    }
    void send(channel& c, transfer& x) {
        peer_link& link = *links_[static_cast<std::size_t>(c.peer)];
        link.send(c, x);
        busy_.list(link);
    }
    void receive(channel& c, transfer& x) {
        peer_link& link = *links_[static_cast<std::size_t>(c.peer)];
        link.receive(c, x);
        busy_.list(link);
    }
    void close(context k) {
        closed_.add(k);
        for (peer_link* link : active_) {
            link->close(k);
            busy_.list(*link);
        }
    }

    /// A lane that was dialled, here or by the peer, is there; or it never will be.
    void connected(connections::arrival&& a) {
        peer_link& link = link_to(a.peer);
        if (!a.why.empty()) return link.fail(a.why);
        auto sealed = world_->table.encrypted
                          ? std::make_unique<cipher>(std::move(a.connected.inside), a.connected.socket.get())
                          : nullptr;
        link.add(std::move(a.connected.socket), a.lane, std::move(sealed));
        link.pump();
        watch(link);
        busy_.list(link);
    }

    void blame(const culprit& by) {
        for (peer_link* link : active_) {
            link->blame(by);
            busy_.list(*link);
        }
    }
    [[nodiscard]] culprit blamed_by(int peer) const {
        const auto& link = links_[static_cast<std::size_t>(peer)];
        return link ? link->blamed() : culprit{};
    }
    [[nodiscard]] std::optional<std::string> broken(int peer) const {
        const auto& link = links_[static_cast<std::size_t>(peer)];
        return link ? link->broken() : std::nullopt;
    }

    /// A peer is to connect to this rank, and has not.
    [[nodiscard]] bool awaits_connections() const {
        return std::any_of(active_.begin(), active_.end(), [this](peer_link* link) {
            return link->peer() < world_->rank && link->busy() && !link->broken() &&
                   link->lanes().size() < static_cast<std::size_t>(limits_.lanes);
        });
    }

    bool progress() {
        const bool few = busy_.size() * static_cast<std::size_t>(limits_.lanes) <= few_lanes;
        bool moved = few && busy_.advance([this](peer_link& link) { return pump(link); });
        if (!few || ++calls_ % look_around == 0 || (slept_ && !moved)) moved = look() || moved;
        return moved;
    }

    /// Hands the lanes the frames that none has taken yet, since epoll does not know of them.
    [[nodiscard]] bool arm() {
        return busy_.advance([this](peer_link& link) {
            const bool moved = link.push();
            return (!watch(link) && link.pump()) || moved;
        });
    }
    [[nodiscard]] int descriptor() const noexcept { return lanes_.descriptor(); }
    [[nodiscard]] clock::time_point due() const noexcept {
        return busy_.size() == 0 ? clock::time_point::max() : check_at_;
    }
    void disarm() noexcept { slept_ = true; }

    void finish() {
        for (peer_link* link : active_)
            for (stream& s : link->lanes()) s.finish();
    }
    /// What the peer's kernel has is taken: it survives that this rank goes, unless something comes from the peer that
    /// nobody reads.
    [[nodiscard]] std::size_t untaken(int peer) {
        std::size_t bytes = 0;
        if (const auto& link = links_[static_cast<std::size_t>(peer)])
            for (stream& s : link->lanes()) {
                s.discard(landing_);
                if (!s.ended()) bytes += s.unacknowledged();
            }
        return bytes;
    }

private:
    peer_link& link_to(int peer) {
        auto& link = links_[static_cast<std::size_t>(peer)];
        if (!link) {
            busy_.reserve(active_.size() + 1);
            link = std::make_unique<peer_link>(peer, limits_, closed_, landing_);
            active_.push_back(link.get());
        }
        return *link;
    }

    /// A paused lane is not watched, and may go on here. So a link that leaves the busy ones is watched again.
    bool pump(peer_link& link) {
        const bool moved = link.pump();
        if (!link.busy()) watch(link);
        return moved;
    }

    /// Moves all data that can move on ready lanes, with or without waiting transfers.
    bool look() {
        slept_ = false;
        bool moved = arm();
        lanes_.each_ready([&](lane_set::name ready) {
            peer_link& link = *links_[ready.peer];
            moved = link.pump(static_cast<int>(ready.lane)) || moved;
            watch(link);
            busy_.list(link);
        });
        examine(clock::now());
        return moved;
    }

    /// Registers with epoll the events that the lanes of a link wait for now. False where the system lacks memory for
    /// that.
    bool watch(peer_link& link) noexcept {
        bool all = true;
        for (stream& s : link.lanes()) {
            const short events = s.ended() ? short{0} : s.events();
            if (events == s.watched) continue;
            const lane_set::name whose{static_cast<std::uint32_t>(link.peer()), static_cast<std::uint32_t>(s.lane())};
            if (lanes_.watch(s.descriptor(), s.watched, events, whose))
                s.watched = events;
            else
                all = false;
        }
        return all;
    }

    /// While someone waits, looks every second whether the peers' hosts are there.
    void examine(clock::time_point now) {
        if (now < check_at_) return;
        check_at_ = now + check_interval;
        busy_.advance([this](peer_link& link) {
            link.examine();
            watch(link);
            return false;
        });
    }

    static constexpr std::chrono::seconds check_interval{1};

    tcp_limits limits_;
    std::vector<std::byte> landing_;
    std::optional<joined_world> world_;
    lane_set lanes_;

    closed_contexts closed_;
    std::vector<std::unique_ptr<peer_link>> links_; // by rank; null until one side wants it
    std::vector<peer_link*> active_;                // those that are not null
    busy_channels<peer_link> busy_;
    clock::time_point check_at_ = clock::time_point::min();
    std::uint32_t calls_ = 0; // of progress()
    bool slept_ = false;      // since all lanes were looked at
};

} // namespace tutti::transport::detail::tcp
