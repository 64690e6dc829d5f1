// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../contract/members.hpp"
#include "../control/dial.hpp"
#include "../sockets/address.hpp"
#include "../sockets/secret.hpp"
#include "connector.hpp"
#include "listener.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail::connections {

/// A connection that a fabric has waited for, or why it cannot be had.
struct arrival {
    std::uint8_t fabric; ///< its number
    int peer;
    int lane;
    bootstrap::proven_socket connected;
    std::string why; ///< empty if it is connected
};

/// Makes this rank's data connections to others, for all of its fabrics: listens at one port, and dials in the
/// background. Both sides have proven to know the secret before a fabric gets the socket. Of two ranks the lower one
/// dials.
class manager {
public:
    static constexpr std::uint16_t max_lanes = 16;

    /// Listens at a port of that address: of the range, if there is one.
    manager(const bootstrap::address& where, bootstrap::port_range ports) : port_(where, ports) {}
    /// Of a world of one rank.
    manager() = default;
    manager(const manager&) = delete;
    manager& operator=(const manager&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_.port(); }

    /// To be called once, before anything below.
    void join(int rank, const bootstrap::secret& key, const bootstrap::world_table& world, std::uint8_t fabrics) {
        rank_ = rank;
        key_ = key;
        world_ = &world;
        fabrics_ = fabrics;
    }

    /// A fabric wants a lane to a peer: it is dialled, or will be by the peer.
    void connect(std::uint8_t fabric, int peer, int lane) {
        opening_ = true;
        if (rank_ < peer) dial(fabric, peer, lane);
    }
    /// A connection is on its way, in or out: meanwhile there is little else to do, and the peer waits too.
    [[nodiscard]] bool opening() const noexcept { return opening_; }
    /// `awaits`: a fabric still waits for peers to dial.
    void settle(bool awaits) noexcept { opening_ = awaits || !connectors_.empty(); }

    /// Goes on with the connections that come and those that go out, and hands each that is made, or given up, to
    /// `use(arrival&&)`. True if anything moved.
    template <class Use>
    bool step(clock::time_point now, Use&& use) {
        bootstrap::hello_rules rules{bootstrap::purpose::data, rank_, size(), world_->world, max_lanes};
        rules.fabrics = fabrics_;
        rules.encrypted = world_->encrypted;
        bool moved = port_.step(key_, rules, now, [&](bootstrap::proven_socket&& s, const bootstrap::hello& theirs) {
            // A rank of this library never dials a lower one.
            if (theirs.rank < rank_) hand(theirs.fabric, theirs.rank, theirs.lane, std::move(s), use);
        });
        for (auto next = connectors_.begin(); next != connectors_.end();) {
            const auto c = next++;
            moved |= c->step(now);
            if (!c->accepted() && !c->failed()) continue;
            std::list<connector> done; // out of the list first: an exception of `use` must not bring it here again
            done.splice(done.end(), connectors_, c);
            if (c->accepted())
                hand(c->fabric(), c->peer(), c->lane(), c->release(), use);
            else
                use(arrival{c->fabric(), c->peer(), c->lane(), {}, "cannot be connected to: " + c->why()});
        }
        for (arrival& a : std::exchange(failed_, {})) use(std::move(a));
        return moved;
    }

    /// The resource that this process lacks to connect to a peer, with the limit and the remedy; empty while it
    /// lacks nothing. `awaits`: a fabric waits for peers to dial.
    [[nodiscard]] std::optional<std::string> shortage(int peer, bool awaits) const {
        for (const connector& c : connectors_)
            if (c.peer() == peer && c.shortage()) return c.shortage();
        return awaits && peer < rank_ ? port_.shortage() : std::nullopt;
    }

    /// Calls `use(descriptor, events)` for whatever may make a step() worth while.
    template <class Use>
    void descriptors(clock::time_point now, Use&& use) {
        port_.descriptors(now, use);
        for (connector& c : connectors_) use(c.descriptor(), c.events());
    }

    /// When step() is wanted though nothing came.
    [[nodiscard]] clock::time_point due(clock::time_point now) const {
        auto first = failed_.empty() ? port_.due(now) : now;
        for (const connector& c : connectors_) first = std::min(first, c.due());
        return first;
    }

private:
    void dial(std::uint8_t fabric, int peer, int lane) {
        const auto& m = world_->members[static_cast<std::size_t>(peer)];
        const auto where = bootstrap::address::literal(m.address, m.port);
        if (!where) {
            failed_.push_back(
                {fabric, peer, lane, {}, "has no address that could be connected to: \"" + m.address + '"'});
            return;
        }
        bootstrap::hello mine{};
        mine.what = bootstrap::purpose::data;
        mine.fabric = fabric;
        mine.lane = static_cast<std::uint16_t>(lane);
        mine.rank = rank_;
        mine.peer = peer;
        mine.size = size();
        mine.world = world_->world;
        mine.encrypted = world_->encrypted;
        connectors_.emplace_back(*where, key_, mine).step(clock::now());
    }

    [[nodiscard]] std::int32_t size() const noexcept { return static_cast<std::int32_t>(world_->members.size()); }

    template <class Use>
    static void hand(std::uint8_t fabric, int peer, int lane, bootstrap::proven_socket&& s, Use&& use) {
        tune_within_host(s.socket);
        use(arrival{fabric, peer, lane, std::move(s), {}});
    }

    listener port_;
    int rank_ = 0;
    bootstrap::secret key_;
    const bootstrap::world_table* world_ = nullptr;
    std::uint8_t fabrics_ = 1;
    std::list<connector> connectors_;
    std::vector<arrival> failed_; // before they could begin
    bool opening_ = false;
};

} // namespace tutti::transport::detail::connections
