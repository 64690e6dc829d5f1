// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../sockets/address.hpp"
#include "../sockets/errors.hpp"
#include "../sockets/socket.hpp"
#include "host.hpp"
#include "identity.hpp"
#include "names.hpp"

#include <algorithm>
#include <string>
#include <vector>

/// Where rank 0 listens, where the others look for it, and which way the data goes. Nothing here leaves loopback unless
/// the identity may.
namespace tutti::transport::bootstrap {

/// Throws the bootstrap error that says so. `what` leads beyond loopback.
[[noreturn]] inline void refuse_to_leave_loopback(const std::string& what) {
    bootstrap_failed(what + " leads beyond this host, and there is no secret to keep strangers out",
                     "set TUTTI_SECRET or TUTTI_SECRET_FILE on every rank, or TUTTI_INSECURE=1 to do without");
}

/// The rendezvous' addresses, as far as this rank may use them; empty with `why` while the name is not known, or is not
/// by `until`.
TUTTI_COLD [[nodiscard]] inline std::vector<address> rendezvous_addresses(const identity& me, std::string& why,
                                                                          clock::time_point until) {
    auto all = resolve(me.rendezvous.host, me.rendezvous.port, why, until);
    if (me.may_leave_loopback()) return all;
    const bool known = !all.empty();
    std::erase_if(all, [](const address& a) { return !a.loopback(); });
    if (known && all.empty()) refuse_to_leave_loopback("the rendezvous address " + me.rendezvous.text());
    return all;
}

/// The same within me.timeout.
[[nodiscard]] inline std::vector<address> rendezvous_addresses(const identity& me, std::string& why) {
    return rendezvous_addresses(me, why, clock::now() + me.timeout);
}

/// Where rank 0 listens: at a literal address, exactly there; at a name of loopback, at all that it means; at any other
/// name, everywhere, since a host often knows itself by another address than its peers do.
TUTTI_COLD [[nodiscard]] inline std::vector<address> listening_addresses(const identity& me) {
    std::string why;
    auto all = rendezvous_addresses(me, why);
    if (all.empty())
        bootstrap_failed("the rendezvous host " + me.rendezvous.host + " is not known: " + why,
                         "set TUTTI_ADDRESS on every rank, to an address of rank 0's host and a port");
    const bool literal = address::literal(me.rendezvous.host, 0).has_value();
    if (literal || me.rendezvous.says_loopback() || !me.may_leave_loopback()) return all;
    const auto everywhere = address::literal("::", me.rendezvous.port);
    if (listen_on(address::literal("::", 0).value())) return {*everywhere};
    return {*address::literal("0.0.0.0", me.rendezvous.port)};
}

/// Where rank 0 itself connects, given where it is bound.
TUTTI_COLD [[nodiscard]] inline address own_address(const address& bound) {
    if (std::any_of(bound.octets().begin(), bound.octets().end(), [](auto o) { return o != 0; })) return bound;
    return *address::literal("127.0.0.1", bound.port());
}

/// The address for this rank's data port, with port 0. It follows the route to the rendezvous (`control`: the local
/// address of that connection). Where that is loopback only because this rank runs beside rank 0, while others may run
/// elsewhere, the address by which they know this host is taken, else reachable_address(). So it is where that address
/// has a meaning on its link alone.
TUTTI_COLD [[nodiscard]] inline address data_address(const identity& me, address control) {
    const auto interfaces = list_interfaces();
    const bool near = control.loopback() || control.link_local();
    if (near && !me.rendezvous.says_loopback() && me.may_leave_loopback()) {
        std::string why;
        const auto known = rendezvous_addresses(me, why);
        const auto mine = std::find_if(interfaces.begin(), interfaces.end(), [&](const interface_address& i) {
            return !i.where.loopback() && std::any_of(known.begin(), known.end(), [&](const address& a) {
                return a.host() == i.where.host() && a.family() == i.where.family();
            });
        });
        control = mine != interfaces.end() ? mine->where : reachable_address(interfaces).value_or(control);
    }
    const auto chosen = choose_interface(me.interface, control, interfaces);
    if (!chosen.loopback() && !me.may_leave_loopback())
        refuse_to_leave_loopback("TUTTI_INTERFACE=" + me.interface + " (" + chosen.host() + ")");
    return chosen;
}

} // namespace tutti::transport::bootstrap
