// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "address.hpp"
#include "errors.hpp"
#include "host.hpp"
#include "secret.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace tutti::transport::bootstrap {

/// This rank's number, and the address of the rendezvous.
struct identity {
    int rank = 0;        ///< this one
    int size = 1;        ///< how many there are
    endpoint rendezvous; ///< where rank 0 listens; port 0 only where rank 0 hands the real one on itself
    secret key;          ///< the secret that all ranks know; empty where there is none
    /// The name of this rank's host, if not its own. Ranks of one kernel with the same name share a host, others do
    /// not. That tells apart hosts of one name, or pretends several.
    std::string host;
    std::string interface; ///< rule for the data port's interface, see choose_interface()
    port_range ports;      ///< of which the data port is one
    bool insecure = false; ///< without a secret: leave loopback nevertheless
    /// Data over TCP are encrypted and authenticated, which needs a secret; equal on all ranks.
    bool encrypt = false;
    std::chrono::milliseconds timeout{60'000}; ///< for all ranks to meet

    /// May this rank listen at or connect to addresses beyond loopback?
    [[nodiscard]] bool may_leave_loopback() const { return key.configured() || insecure; }
};

namespace detail {

inline std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

inline int whole_number(const char* name, int least, int most) {
    const std::string text = variable(name);
    int value = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty())
        bootstrap_failed(std::string(name) + " is not set", "start the program with tutti run, or set it");
    if (bad != std::errc{} || end != text.data() + text.size() || value < least || value > most)
        bootstrap_failed(std::string(name) + " is \"" + text + "\": it must be a whole number from " +
                         std::to_string(least) + " to " + std::to_string(most));
    return value;
}

/// 0 or 1; 0 if it is not set.
inline bool yes_or_no(const char* name) {
    const std::string text = variable(name);
    if (!text.empty() && text != "0" && text != "1")
        bootstrap_failed(std::string(name) + " is \"" + text + "\": it must be 0 or 1");
    return text == "1";
}

inline secret secret_from_environment() {
    const char* spoken = std::getenv("TUTTI_SECRET"); // not copied: the copy would have to be wiped
    const auto file = variable("TUTTI_SECRET_FILE");
    const std::size_t bytes = spoken ? std::strlen(spoken) : 0;
    if (bytes > 0 && bytes < secret::least_bytes) secret::refuse_short("TUTTI_SECRET", bytes);
    if (file.empty()) return secret(spoken ? spoken : "");
    if (spoken && *spoken) bootstrap_failed("both TUTTI_SECRET and TUTTI_SECRET_FILE are set", "unset one of them");
    return read_secret_file(file);
}

inline bool started_by_tutti() {
    return !variable("TUTTI_RANK").empty() || !variable("TUTTI_SIZE").empty() || !variable("TUTTI_ADDRESS").empty();
}

inline identity read_tutti() {
    identity me;
    me.size = whole_number("TUTTI_SIZE", 1, 1 << 20);
    me.rank = whole_number("TUTTI_RANK", 0, me.size - 1);
    const auto where = variable("TUTTI_ADDRESS");
    if (where.empty()) bootstrap_failed("TUTTI_ADDRESS is not set", "set it to rank 0's host:port on every rank");
    me.rendezvous = parse_endpoint(where, "TUTTI_ADDRESS");
    return me;
}

inline constexpr std::size_t max_host_bytes = 255;

/// The settings that are the same under every launcher.
inline void read_settings(identity& me) {
    me.key = secret_from_environment();
    me.host = variable("TUTTI_HOST");
    if (me.host.size() > max_host_bytes)
        bootstrap_failed("TUTTI_HOST has more than " + std::to_string(max_host_bytes) + " characters");
    me.interface = variable("TUTTI_INTERFACE");
    if (const auto ports = variable("TUTTI_PORTS"); !ports.empty()) me.ports = parse_ports(ports, "TUTTI_PORTS");
    me.insecure = yes_or_no("TUTTI_INSECURE");
    me.encrypt = yes_or_no("TUTTI_ENCRYPT");
    if (!variable("TUTTI_BOOTSTRAP_TIMEOUT").empty())
        me.timeout = std::chrono::seconds(whole_number("TUTTI_BOOTSTRAP_TIMEOUT", 1, 86'400));
}

} // namespace detail

/// A program that starts ranks and tells each its number.
struct launcher {
    bool (*present)();  ///< its marks are in the environment
    identity (*read)(); ///< rank, size and rendezvous from them; throws a bootstrap error that names the wrong variable
};

/// In the order in which they are asked. A new launcher is a new line here.
inline constexpr std::array launchers{
    launcher{detail::started_by_tutti, detail::read_tutti},
};

/// The identity of this process, from the environment that its launcher made:
/// TUTTI_RANK, TUTTI_SIZE, TUTTI_ADDRESS (rank 0's host:port) from tutti's own; and under any launcher TUTTI_SECRET or
/// TUTTI_SECRET_FILE, TUTTI_HOST, TUTTI_INTERFACE, TUTTI_PORTS (5000-5063), TUTTI_INSECURE and TUTTI_ENCRYPT (0 or 1),
/// TUTTI_BOOTSTRAP_TIMEOUT (seconds, 60). Throws a bootstrap error that names the variable which is missing or wrong.
[[nodiscard]] inline identity identity_from_environment() {
    for (const auto& l : launchers) {
        if (!l.present()) continue;
        identity me = l.read();
        detail::read_settings(me);
        return me;
    }
    bootstrap_failed("TUTTI_RANK, TUTTI_SIZE and TUTTI_ADDRESS are not set: no launcher started this program",
                     "start it with tutti run -n 4 -- PROGRAM, or set them for every rank");
}

} // namespace tutti::transport::bootstrap

/// Where rank 0 listens, where the others look for it, and which way the data goes. Nothing here leaves loopback unless
/// the identity may.
namespace tutti::transport::bootstrap {

/// Throws the bootstrap error that says so. `what` leads beyond loopback.
[[noreturn]] inline void refuse_to_leave_loopback(const std::string& what) {
    bootstrap_failed(what + " leads beyond this host, and there is no secret to keep strangers out",
                     "set TUTTI_SECRET or TUTTI_SECRET_FILE on every rank, or TUTTI_INSECURE=1 to do without");
}

/// The rendezvous' addresses, as far as this rank may use them; empty with `why` while the name is not known.
[[nodiscard]] inline std::vector<address> rendezvous_addresses(const identity& me, std::string& why) {
    auto all = resolve(me.rendezvous.host, me.rendezvous.port, why);
    if (me.may_leave_loopback()) return all;
    const bool known = !all.empty();
    std::erase_if(all, [](const address& a) { return !a.loopback(); });
    if (known && all.empty()) refuse_to_leave_loopback("the rendezvous address " + me.rendezvous.text());
    return all;
}

/// Where rank 0 listens: at a literal address, exactly there; at a name of loopback, at all that it means; at any other
/// name, everywhere, since a host often knows itself by another address than its peers do.
[[nodiscard]] inline std::vector<address> listening_addresses(const identity& me) {
    std::string why;
    auto all = rendezvous_addresses(me, why);
    if (all.empty()) bootstrap_failed("the rendezvous host " + me.rendezvous.host + " is not known: " + why);
    const bool literal = address::literal(me.rendezvous.host, 0).has_value();
    if (literal || me.rendezvous.says_loopback() || !me.may_leave_loopback()) return all;
    const auto everywhere = address::literal("::", me.rendezvous.port);
    if (listen_on(address::literal("::", 0).value())) return {*everywhere};
    return {*address::literal("0.0.0.0", me.rendezvous.port)};
}

/// Where rank 0 itself connects, given where it is bound.
[[nodiscard]] inline address own_address(const address& bound) {
    if (std::any_of(bound.octets().begin(), bound.octets().end(), [](auto o) { return o != 0; })) return bound;
    return *address::literal("127.0.0.1", bound.port());
}

/// The address for this rank's data port, with port 0. It follows the route to the rendezvous (`control`: the local
/// address of that connection). Where that is loopback only because this rank runs beside rank 0, while others may run
/// elsewhere, the address by which they know this host is taken, else that of the default route.
[[nodiscard]] inline address data_address(const identity& me, address control) {
    const auto interfaces = list_interfaces();
    if (control.loopback() && !me.rendezvous.says_loopback() && me.may_leave_loopback()) {
        std::string why;
        const auto known = rendezvous_addresses(me, why);
        const auto mine = std::find_if(interfaces.begin(), interfaces.end(), [&](const interface_address& i) {
            return !i.where.loopback() && std::any_of(known.begin(), known.end(), [&](const address& a) {
                return a.host() == i.where.host() && a.family() == i.where.family();
            });
        });
        control = mine != interfaces.end() ? mine->where : outward_address().value_or(control);
    }
    const auto chosen = choose_interface(me.interface, control, interfaces);
    if (!chosen.loopback() && !me.may_leave_loopback())
        refuse_to_leave_loopback("TUTTI_INTERFACE=" + me.interface + " (" + chosen.host() + ")");
    return chosen;
}

} // namespace tutti::transport::bootstrap
