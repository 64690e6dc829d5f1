// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <collectives/error.hpp>

#include "../bootstrap/address.hpp"
#include "../bootstrap/member.hpp"
#include "connector.hpp"
#include "listener.hpp"
#include "peer_link.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tutti::transport::detail::tcp {

/// This rank's data connections to all others: opened when a context first needs them, moved by whoever calls.
class fabric {
public:
    using channel = tcp::channel;

    /// With so few sockets it is quicker to try them than to ask which of them are ready.
    static constexpr std::size_t few_lanes = 4;
    /// So often, even then, everybody is looked at: strangers at the port, peers nobody waits for.
    static constexpr std::uint32_t look_around = 64;
    static constexpr int max_lanes = 16;

    /// Throws tutti::error (invalid_argument) where they make no sense.
    static const tcp_limits& checked(const tcp_limits& limits) {
        if (limits.lanes < 1 || limits.lanes > max_lanes)
            reject("tcp", "lanes must be from 1 to " + std::to_string(max_lanes));
        if (limits.fragment_bytes < outbox::least_fragment || limits.fragment_bytes > max_fragment_bytes)
            reject("tcp", "fragment_bytes must be from 4096 to 16777216");
        if (limits.window_bytes < 4 * outbox::least_fragment) reject("tcp", "window_bytes must be at least 16384");
        return limits;
    }

    /// Listens on a port of that address.
    fabric(const tcp_limits& limits, const bootstrap::address& where)
        : limits_(limits), port_(where), landing_(std::max(limits.landing_bytes, stream::beyond_bytes)) {}
    fabric(const fabric&) = delete;
    fabric& operator=(const fabric&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_.port(); }

    /// To be called once, before anything below.
    void join(int rank, const bootstrap::secret& key, const bootstrap::world_table& world) {
        rank_ = rank;
        key_ = key;
        world_ = &world;
        links_.resize(world.members.size());
    }

    [[nodiscard]] channel& open(context k, int peer) {
        closed_.reopen(k);
        const bool first = !links_[static_cast<std::size_t>(peer)];
        peer_link& link = link_to(peer);
        if (first && rank_ < peer) connect(peer);
        return link.open(k);
    }
    void send(channel& c, transfer& x) { links_[static_cast<std::size_t>(c.peer)]->send(c, x); }
    void receive(channel& c, transfer& x) { links_[static_cast<std::size_t>(c.peer)]->receive(c, x); }
    void close(context k) {
        closed_.add(k);
        for (peer_link* link : active_) link->close(k);
    }

    [[nodiscard]] std::optional<std::string> broken(int peer) const {
        const auto& link = links_[static_cast<std::size_t>(peer)];
        return link ? link->broken() : std::nullopt;
    }

    /// Moves what can be moved without blocking. True if anything did.
    bool progress() {
        if (++calls_ % look_around == 0) return look(clock::time_point::min(), {});
        if (lanes_ > few_lanes) return anyone_waits() && look(clock::time_point::min(), {});
        bool moved = false;
        for (peer_link* link : active_)
            if (link->busy()) moved |= link->pump(landing_);
        return moved;
    }

    /// Sleeps until something can be moved, one of the `others` is ready, or `until`; then moves what can be. True if
    /// anything moved.
    bool look(clock::time_point until, std::span<const pollfd> others) {
        // What no lane has taken yet is in nobody's poll(2).
        bool moved = false;
        for (peer_link* link : active_) moved |= link->push();
        auto now = clock::now();
        gather(now, others);
        sleep(moved ? now : std::min(until, due(now)), now);
        if (until > now) now = clock::now();
        for (std::size_t i = 0; i < ready_.size(); ++i)
            if (polled_[i].revents != 0 || ready_[i].lane->paused())
                moved |= ready_[i].link->pump(*ready_[i].lane, landing_);
        for (peer_link* link : active_) moved |= link->go_on();
        check(now);
        return (anyone_at_the_door(now, others.size()) && meet(now)) || moved;
    }

    /// Gives what was sent a second to reach the peers' kernels.
    void flush() {
        const auto until = clock::now() + std::chrono::seconds{1};
        for (peer_link* link : active_)
            for (stream& s : link->lanes()) s.finish();
        while (unsent() && clock::now() < until) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }

private:
    struct lane_of {
        peer_link* link;
        stream* lane;
    };

    [[nodiscard]] bool anyone_waits() const {
        return std::any_of(active_.begin(), active_.end(), [](const peer_link* link) { return link->busy(); });
    }

    peer_link& link_to(int peer) {
        auto& link = links_[static_cast<std::size_t>(peer)];
        if (!link) {
            link = std::make_unique<peer_link>(peer, limits_, closed_);
            active_.push_back(link.get());
        }
        return *link;
    }

    void connect(int peer) {
        const auto& m = world_->members[static_cast<std::size_t>(peer)];
        const auto where = bootstrap::address::literal(m.address, m.port);
        if (!where) return link_to(peer).fail("has no address that could be connected to: \"" + m.address + '"');
        bootstrap::hello mine{
            bootstrap::purpose::data, 0, rank_, peer, static_cast<std::int32_t>(links_.size()), world_->world};
        for (int lane = 0; lane < limits_.lanes; ++lane) {
            mine.lane = static_cast<std::uint16_t>(lane);
            connectors_.emplace_back(*where, key_, mine);
        }
        for (connector& c : connectors_) c.step(clock::now());
    }

    void add(peer_link& link, socket&& s, int lane) {
        tune_within_host(s);
        link.add(std::move(s), lane);
        lanes_ = 0;
        for (peer_link* each : active_) lanes_ += each->lanes().size();
        link.pump(landing_);
    }

    /// Without events to look for, poll(2) would still report errors again and again.
    void watch(int descriptor, int events) {
        polled_.push_back({events == 0 ? -1 : descriptor, static_cast<short>(events), 0});
    }

    /// Everything to be polled: the lanes first, in the order of ready_; then the port and who is on the way in or out.
    void gather(clock::time_point now, std::span<const pollfd> others) {
        polled_.clear();
        ready_.clear();
        for (peer_link* link : active_)
            for (stream& s : link->lanes())
                if (!s.ended()) {
                    watch(s.descriptor(), s.events());
                    ready_.push_back({link, &s});
                }
        port_.descriptors(now, [this](int descriptor, int events) { watch(descriptor, events); });
        for (connector& c : connectors_) watch(c.descriptor(), c.events());
        polled_.insert(polled_.end(), others.begin(), others.end());
    }

    void sleep(clock::time_point until, clock::time_point now) {
        std::chrono::nanoseconds left{0};
        if (until > now) left = std::min<std::chrono::nanoseconds>(until - now, check_interval);
        const auto whole = std::chrono::duration_cast<std::chrono::seconds>(left);
        const timespec limit{whole.count(), (left - whole).count()};
        if (::ppoll(polled_.data(), polled_.size(), &limit, nullptr) >= 0) return;
        for (pollfd& p : polled_) p.revents = 0; // a signal came
    }

    /// When strangers or connectors need a step though nothing came.
    [[nodiscard]] clock::time_point due(clock::time_point now) const {
        auto first = port_.due(now);
        for (const connector& c : connectors_) first = std::min(first, c.due());
        return first;
    }

    /// While someone waits, looks every second whether the peers' hosts are there.
    void check(clock::time_point now) {
        if (now < check_at_) return;
        check_at_ = now + check_interval;
        for (peer_link* link : active_)
            if (link->busy()) link->check(landing_);
    }

    [[nodiscard]] bool anyone_at_the_door(clock::time_point now, std::size_t others) const {
        const auto first = polled_.begin() + static_cast<std::ptrdiff_t>(ready_.size());
        return due(now) <= now || std::any_of(first, polled_.end() - static_cast<std::ptrdiff_t>(others),
                                              [](const pollfd& p) { return p.revents != 0; });
    }

    /// Goes on with the connections that come and those that go out.
    bool meet(clock::time_point now) {
        const auto size = static_cast<std::int32_t>(links_.size());
        const bootstrap::guest_rules rules{bootstrap::purpose::data, rank_, size, world_->world, max_lanes};
        bool moved = port_.step(key_, rules, now, [this](socket&& s, const bootstrap::hello& theirs) {
            // The lower rank connects; who proved to know the secret and does otherwise is no rank of this library.
            if (theirs.rank < rank_) add(link_to(theirs.rank), std::move(s), theirs.lane);
        });
        for (auto c = connectors_.begin(); c != connectors_.end();) {
            moved |= c->step(now);
            if (c->accepted()) add(link_to(c->peer()), c->release(), c->lane());
            if (c->failed()) link_to(c->peer()).fail("cannot be connected to: " + c->why());
            c = c->accepted() || c->failed() ? connectors_.erase(c) : std::next(c);
        }
        return moved;
    }

    [[nodiscard]] bool unsent() {
        bool any = false;
        for (peer_link* link : active_)
            for (stream& s : link->lanes()) {
                s.discard(landing_);
                any |= !s.ended() && s.unsent();
            }
        return any;
    }

    static constexpr std::chrono::seconds check_interval{1};

    tcp_limits limits_;
    listener port_;
    std::vector<std::byte> landing_;
    int rank_ = 0;
    bootstrap::secret key_;
    const bootstrap::world_table* world_ = nullptr;

    closed_contexts closed_;
    std::vector<std::unique_ptr<peer_link>> links_; // by rank; null until one side wants it
    std::vector<peer_link*> active_;                // those that are not null
    std::list<connector> connectors_;
    std::size_t lanes_ = 0; // in all
    clock::time_point check_at_ = clock::time_point::min();
    std::uint32_t calls_ = 0; // of progress()
    std::vector<pollfd> polled_;
    std::vector<lane_of> ready_;
};

} // namespace tutti::transport::detail::tcp
