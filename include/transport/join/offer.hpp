// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/address.hpp"
#include "../sockets/held_ports.hpp"
#include "../sockets/secret.hpp"
#include "host.hpp"
#include "identity.hpp"
#include "names.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace tutti::transport::bootstrap {

/// What the other ranks must know to join rank 0: where it listens, and the secret. As text it has no blanks and no
/// '=', so that every launcher's key-value space takes it: "tutti-1:SECRET@HOST:PORT".
struct offer {
    static constexpr std::size_t most_characters = 127;

    endpoint where;  ///< a literal address
    std::string key; ///< the secret; empty: the ranks have it from elsewhere

    [[nodiscard]] std::string text() const { return std::string(prefix) + key + "@" + where.text(); }

    /// In place of an offer, where there is none: the others need not wait.
    TUTTI_COLD [[nodiscard]] static std::string refusal(std::string_view why) {
        std::string text(no_prefix);
        for (const char c : why.substr(0, most_characters - no_prefix.size()))
            text += c > ' ' && c < 0x7f && c != '=' && c != '"' && c != '\'' ? c : '~';
        return text;
    }

    /// Throws a bootstrap error that calls the text `what`, and does not quote it, since it holds a secret; or that
    /// tells a refusal.
    TUTTI_COLD [[nodiscard]] static offer parse(std::string_view text, const std::string& what) {
        if (text.starts_with(no_prefix)) {
            std::string why(text.substr(no_prefix.size(), most_characters));
            std::replace_if(
                why.begin(), why.end(), [](char c) { return c <= ' ' || c >= '~'; }, ' ');
            bootstrap_failed("rank 0 could not invite: " + why, "look at rank 0's own output");
        }
        const auto at = text.find('@');
        if (!text.starts_with(prefix) || at == std::string_view::npos || text.size() > most_characters)
            bootstrap_failed(what + " is none of this library: it does not read \"" + std::string(prefix) +
                                 "...@host:port\"",
                             "pass it on unchanged, all of its characters and no others");
        offer out;
        out.key = text.substr(prefix.size(), at - prefix.size());
        out.where = parse_endpoint(text.substr(at + 1), "the address in " + what);
        if (!address::literal(out.where.host, 0))
            bootstrap_failed("the address in " + what + " is \"" + out.where.host + "\", which is no literal address");
        return out;
    }

private:
    static constexpr std::string_view prefix = "tutti-1:", no_prefix = "tutti-none:";
};

namespace detail {

/// An address of this host by which other hosts most likely reach it, with port 0; `rule` as for choose_interface().
[[nodiscard]] inline address offered_address(std::string_view rule) {
    const auto interfaces = list_interfaces();
    return choose_interface(rule, reachable_address(interfaces).value_or(*address::literal("127.0.0.1", 0)),
                            interfaces);
}

/// The address that rank 0 offers, with port 0.
[[nodiscard]] inline address offered_address(const identity& me) {
    const bool near = me.one_host && me.interface.empty();
    return near ? *address::literal("127.0.0.1", 0) : offered_address(me.interface);
}

/// The address of this host that a name or literal means, with port 0. Throws a bootstrap error if it means none.
[[nodiscard]] inline address own_address_of(const std::string& host) {
    std::string why = "it is none of this host's addresses";
    for (const auto& a : resolve(host, 0, why, clock::now() + longest_look_up))
        if (listen_on(a)) return a;
    bootstrap_failed("rank 0 cannot listen at " + host + ": " + why);
}

/// Listens there, on a port of the range or any, and holds the port.
TUTTI_COLD [[nodiscard]] inline endpoint hold_port(const address& where, port_range ports) {
    descriptor listening = listen_on(where, ports);
    if (!listening)
        bootstrap_failed("rank 0 cannot listen at " + where.host() +
                             (ports.last ? ", ports " + ports.text() + " of TUTTI_PORTS" : std::string()) + ": " +
                             reason_in_words(errno),
                         "TUTTI_INTERFACE chooses another address, TUTTI_PORTS other ports");
    const auto bound = local_address(listening.get());
    held_ports::list().add(std::move(listening));
    return {bound.host(), bound.port()};
}

} // namespace detail

/// Where and by what secret a rank joins, after rank 0's offer.
inline void accept(identity& me, const offer& from) {
    me.rendezvous = from.where;
    if (!from.key.empty()) me.key = secret(from.key);
}

namespace detail {

/// Tells the other ranks that there is no offer.
TUTTI_COLD inline void refuse_others(const identity& me, const std::exception& why,
                                     std::chrono::steady_clock::time_point until) {
    const auto* const known = dynamic_cast<const error*>(&why);
    try {
        static_cast<void>(me.exchange(offer::refusal(known ? known->facts().detail : why.what()), until));
    } catch (const std::exception&) { // then they wait
    }
}
/// Either all ranks have a secret from elsewhere, which none that is handed out replaces, or rank 0 hands one out.
TUTTI_COLD inline void refuse_other_secret(const offer& from, bool has_own) {
    if (has_own && !from.key.empty())
        bootstrap_failed("this rank was given a secret, and rank 0 was not", "give all ranks the same secret, or none");
    if (!has_own && from.key.empty())
        bootstrap_failed("rank 0 was given a secret, and this rank was not", "give all ranks the same secret, or none");
}

} // namespace detail

/// Where the launcher has a place for rank 0's offer: rank 0 listens, draws a secret if it was given none, and hands
/// both to the others. The time that it takes is taken off me.timeout. Throws a bootstrap error.
TUTTI_COLD inline void exchange_offers(identity& me) {
    if (!me.exchange || me.size == 1) return; // nobody else would need it
    const auto until = std::chrono::steady_clock::now() + me.timeout;
    offer mine;
    if (me.rank == 0) {
        try {
            if (!me.key.configured()) mine.key = drawn_key();
            mine.where = detail::hold_port(detail::offered_address(me), me.ports);
        } catch (const std::exception& e) {
            detail::refuse_others(me, e, until);
            throw;
        }
        try {
            static_cast<void>(me.exchange(mine.text(), until));
        } catch (...) {
            static_cast<void>(held_ports::list().take(mine.where)); // nobody will come
            throw;
        }
    } else {
        mine = offer::parse(me.exchange({}, until), "rank 0's offer");
        detail::refuse_other_secret(mine, me.key.configured());
    }
    accept(me, mine);
    me.exchange = nullptr;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    me.timeout = std::max(left, std::chrono::milliseconds(1));
}

} // namespace tutti::transport::bootstrap
