// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "manager.hpp"

#include "../../base/linkage.hpp"
#include "../../base/log.hpp"
#include "../sockets/handshake.hpp"
#include "connector.hpp"
#include "listener.hpp"
#include "sleeper.ipp"
#include "socket_options.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::detail::connections {

struct manager::connecting {
    connecting(bootstrap::asio::io_context& context, bootstrap::descriptor listening)
        : in(context), port(in, std::move(listening)) {}

    /// A coroutine that ends with its connector.
    bootstrap::task<> dial(std::shared_ptr<connector> c) {
        arrival a{c->fabric(), c->peer(), c->lane(), {}, {}};
        if (auto made = co_await c->connect())
            a.connected = std::move(*made);
        else
            a.why = "cannot be connected to: " + c->why();
        std::erase(connectors, c);
        arrived.push_back(std::move(a));
    }

    bootstrap::asio::io_context& in;
    int rank = 0;
    bootstrap::secret key;
    const bootstrap::world_table* world = nullptr;
    std::vector<std::shared_ptr<connector>> connectors;
    std::deque<arrival> arrived;
    listener port;
};

TUTTI_COLD TUTTI_APART manager::manager(const bootstrap::address& where, bootstrap::port_range ports)
    : listening_(listener::open(where, ports)) {}
TUTTI_COLD TUTTI_APART manager::~manager() = default;

TUTTI_COLD TUTTI_APART void manager::join(sleeper& in, int rank, const bootstrap::secret& key,
                                          const bootstrap::world_table& world, std::uint8_t fabrics) {
    all_ = std::make_unique<connecting>(in.get().in, std::move(listening_));
    all_->rank = rank;
    all_->key = key;
    all_->world = &world;
    bootstrap::hello_rules rules{bootstrap::purpose::data, rank, static_cast<std::int32_t>(world.members.size()),
                                 world.world, max_lanes};
    rules.fabrics = fabrics;
    rules.encrypted = world.encrypted;
    all_->port.begin(key, std::move(rules), [a = all_.get()](bootstrap::proven_socket&& s, const bootstrap::hello& h) {
        // A rank of this library never dials a lower one.
        if (h.rank < a->rank) a->arrived.push_back({h.fabric, h.rank, h.lane, std::move(s), {}});
    });
}

TUTTI_COLD TUTTI_APART void manager::connect(std::uint8_t fabric, int peer, int lane) {
    opening_ = true;
    last_ = clock::now();
    if (all_->rank >= peer) return;
    const auto& world = *all_->world;
    const auto& m = world.members[static_cast<std::size_t>(peer)];
    const auto where = bootstrap::address::literal(m.address, m.port);
    if (!where) {
        all_->arrived.push_back(
            {fabric, peer, lane, {}, "has no address that could be connected to: \"" + m.address + '"'});
        return;
    }
    bootstrap::hello mine{};
    mine.what = bootstrap::purpose::data;
    mine.fabric = fabric;
    mine.lane = static_cast<std::uint16_t>(lane);
    mine.rank = all_->rank;
    mine.peer = peer;
    mine.size = static_cast<std::int32_t>(world.members.size());
    mine.world = world.world;
    mine.encrypted = world.encrypted;
    auto c = std::make_shared<connector>(all_->in, *where, all_->key, mine);
    all_->connectors.push_back(c);
    bootstrap::begin(all_->in, all_->dial(std::move(c)));
}

TUTTI_APART void manager::settle(bool awaits) noexcept {
    constexpr std::chrono::seconds not_for_long{1};
    const auto now = clock::now();
    if (!all_->arrived.empty()) last_ = now;
    opening_ = (awaits || !all_->connectors.empty() || !all_->arrived.empty()) && now - last_ < not_for_long;
}

TUTTI_COLD TUTTI_APART std::optional<arrival> manager::next() {
    if (all_->arrived.empty()) return std::nullopt;
    std::optional<arrival> out(std::move(all_->arrived.front()));
    all_->arrived.pop_front();
    if (out->why.empty()) tune_within_host(out->connected.socket);
    tutti::detail::log::say(all_->rank, [&] {
        return "rank " + std::to_string(out->peer) + " " + (out->why.empty() ? "is connected" : out->why);
    });
    return out;
}

TUTTI_COLD TUTTI_APART std::optional<std::string> manager::shortage(int peer, bool awaits) const {
    for (const auto& c : all_->connectors)
        if (c->peer() == peer && c->shortage()) return c->shortage();
    return awaits && peer < all_->rank ? all_->port.shortage() : std::nullopt;
}

} // namespace tutti::transport::detail::connections
