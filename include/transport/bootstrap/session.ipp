// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "session.hpp"

#include "../process_fence.hpp"
#include "control.hpp"
#include "held_ports.hpp"
#include "host.hpp"
#include "identity.hpp"
#include "offer.hpp"
#include "rendezvous_thread.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

struct session::connections {
    std::optional<rendezvous_thread> server; // outlives the connection to it
    std::optional<bootstrap::control> control;
};

TUTTI_INLINE session::session(identity me) : me_(std::move(me)), open_(std::make_unique<connections>()) {
    transport::detail::process_fence::prepare(); // before others can wait for this rank, and rank 0 has two threads
    exchange_offers(me_);
    if (me_.encrypt && !me_.key.configured())
        bootstrap_failed("data are to be encrypted, and there is no secret to make keys of",
                         "set TUTTI_SECRET or TUTTI_SECRET_FILE on every rank, or unset TUTTI_ENCRYPT");
    auto& server = open_->server;
    if (me_.rank == 0) {
        rendezvous_thread::settings how;
        how.timeout = me_.timeout;
        how.encrypted = me_.encrypt;
        std::vector<bootstrap::descriptor> held;
        if (auto offered = held_ports::list().take(me_.rendezvous)) held.push_back(std::move(offered));
        if (held.empty())
            server.emplace(me_.size, listening_addresses(me_), me_.key, how);
        else
            server.emplace(me_.size, std::move(held), me_.key, how);
    }
    open_->control.emplace(me_, server ? std::optional(server->bound()) : std::nullopt);
    table_ = &open_->control->table();
}
TUTTI_INLINE session::~session() = default;

TUTTI_INLINE address session::data_address() {
    try {
        return bootstrap::data_address(me_, plane().route());
    } catch (const error& e) {
        plane().give_up(e.facts().detail); // the others need not wait
        throw;
    }
}

TUTTI_INLINE const world_table& session::join(const address& data, std::vector<fabric_card> cards) {
    member mine = me_.host.empty() ? this_process() : this_process(me_.host);
    mine.address = data.host();
    mine.port = data.port();
    mine.cards = std::move(cards);
    const world_table& all = plane().join(std::move(mine));
    nodes_ = all.nodes();
    return all;
}

TUTTI_INLINE control& session::plane() noexcept { return *open_->control; }
TUTTI_INLINE void session::tell(const notice& n) { plane().tell(n); }
TUTTI_INLINE bool session::fetch(notice& n) { return plane().fetch(n); }
TUTTI_INLINE int session::descriptor() const noexcept { return open_->control->descriptor(); }
TUTTI_INLINE bool session::wants_write() const noexcept { return open_->control->wants_write(); }
TUTTI_INLINE bool session::gone() const noexcept { return open_->control->gone(); }
TUTTI_INLINE clock::time_point session::next_tick() const { return open_->control->next_tick(); }

} // namespace tutti::transport::bootstrap
