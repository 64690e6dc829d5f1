// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../../base/log.hpp"
#include "session.hpp"

#include "../contract/members.ipp"
#include "../contract/process_fence.hpp"
#include "../join/addresses.hpp"
#include "../join/host.hpp"
#include "../join/launchers.ipp"
#include "../join/offer.hpp"
#include "../join/start_turn.hpp"
#include "../sockets/held_ports.hpp"
#include "../sockets/shared_listener.hpp"
#include "../sockets/tls.ipp"
#include "control.hpp"
#include "rendezvous_thread.hpp"
#include "status/own_page.hpp"
#include "status/reading.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

struct session::connections {
    std::optional<status::own_page> page;    // goes last: a rank that leaves slowly is still there
    std::optional<start_turn> turn;          // until all have come
    std::optional<rendezvous_thread> server; // rank 0's; outlives the connection to it
    std::optional<bootstrap::control> control;

    /// Begins the rendezvous, and gives rank 0's connection to it: of its own, since another world of this process may
    /// listen at the same address, and a world of one rank listens nowhere.
    TUTTI_COLD [[nodiscard]] bootstrap::descriptor serve(const identity& me) {
        rendezvous_thread::settings how;
        how.timeout = me.timeout;
        how.encrypted = me.encrypt;
        std::array<int, 2> ends{-1, -1};
        auto own = bootstrap::descriptor::unshared([&] {
            return ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()) == 0 ? ends[0]
                                                                                                          : -1;
        });
        if (!own) bootstrap_failed("rank 0 cannot speak to its own rendezvous: " + reason_in_words(errno));
        auto other = bootstrap::descriptor::unshared([&] { return ends[1]; });
        rendezvous_thread::listeners places;
        if (auto offered = held_ports::list().take(me.rendezvous))
            places.push_back(std::make_shared<shared_listener>(std::move(offered)));
        else if (me.size > 1)
            places = rendezvous_thread::listen(listening_addresses(me), how.any_port);
        server.emplace(me.size, std::move(places), me.key, how, std::move(other));
        return own;
    }
};

TUTTI_COLD TUTTI_APART session::session(identity me) : me_(std::move(me)), open_(std::make_unique<connections>()) {
    transport::detail::process_fence::prepare(); // before others can wait for this rank, and rank 0 has two threads
    try {
        if (me_.group.size() > max_group_bytes)
            bootstrap_failed("the name of the group has more than " + std::to_string(max_group_bytes) + " bytes");
    } catch (const error& e) {
        if (me_.rank == 0 && me_.exchange && me_.size > 1) detail::refuse_others(me_, e, clock::now() + me_.timeout);
        throw;
    }
    exchange_offers(me_);
    if (me_.encrypt && !me_.key.configured() && me_.size > 1)
        bootstrap_failed("data are to be encrypted, and there is no secret to make keys of",
                         "set TUTTI_SECRET or TUTTI_SECRET_FILE on every rank, or unset TUTTI_ENCRYPT");
    tutti::detail::log::say(me_.rank, [&] {
        return (me_.global_rank < 0 ? "joins" : "global rank " + std::to_string(me_.global_rank) + " joins") +
               (me_.group.empty() ? "" : " group " + me_.group) + " as one of " + std::to_string(me_.size) +
               (me_.size > 1 ? ", at " + me_.rendezvous.text() : "");
    });
    if (me_.size > 1) open_->turn.emplace(me_);
    bootstrap::descriptor own;
    if (me_.rank == 0) own = open_->serve(me_);
    open_->control.emplace(me_, std::move(own));
    table_ = &open_->control->table();
}
TUTTI_COLD TUTTI_APART session::~session() = default;

TUTTI_COLD TUTTI_APART address session::data_address() {
    if (me_.size == 1) return *address::literal("127.0.0.1", 0);
    try {
        return bootstrap::data_address(me_, open_->server ? own_address(open_->server->bound()) : plane().route());
    } catch (const error& e) {
        plane().give_up(e.facts().detail); // the others need not wait, and this process may end at once
        open_->control.reset();
        open_->server.reset();
        throw;
    }
}

TUTTI_COLD TUTTI_APART const world_table& session::join(const address& data, std::vector<fabric_card> cards) {
    member mine = me_.host.empty() ? this_process() : this_process(me_.host);
    mine.address = data.host();
    mine.port = data.port();
    mine.cards = std::move(cards);
    mine.group = me_.group;
    mine.global_rank = me_.global_rank;
    const world_table& all = plane().join(std::move(mine));
    nodes_ = all.nodes();
    tutti::detail::log::say(me_.rank, [&] { return "all have come; its data address is " + data.text(); });
    open_->turn.reset();
    return all;
}

TUTTI_APART control& session::plane() noexcept { return *open_->control; }
TUTTI_APART void session::tell(const notice& n) { plane().tell(n); }
TUTTI_APART bool session::fetch(notice& n) {
    while (plane().fetch(n)) {
        if (n.kind != notice_kind::survey) return true;
        try {
            tell(status::answer_about(n.rank, table_->world, open_->page.has_value()));
        } catch (const std::exception&) { // no memory: a question from outside fails no call
        }
    }
    return false;
}
TUTTI_COLD TUTTI_APART void session::publish_page() {
    if (auto own = status::own_page::made(me_.rank, table())) open_->page.emplace(std::move(*own));
}
TUTTI_APART status::page* session::status_page() noexcept { return open_->page ? &open_->page->get() : nullptr; }
TUTTI_APART int session::descriptor() const noexcept { return open_->control->descriptor(); }
TUTTI_APART bool session::wants_write() const noexcept { return open_->control->wants_write(); }
TUTTI_APART bool session::gone() const noexcept { return open_->control->gone(); }
TUTTI_APART clock::time_point session::next_tick() const { return open_->control->next_tick(); }

} // namespace tutti::transport::bootstrap
