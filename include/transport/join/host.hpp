// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/members.hpp"
#include "../sockets/address.hpp"
#include "../sockets/errors.hpp"
#include "../sockets/socket.hpp"
#include "own_allotment.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

namespace tutti::transport::bootstrap {

[[nodiscard]] inline std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
    return name.data();
}

/// This process as a member of a world, on a host of that name; rank, size and data port are the caller's to fill in.
TUTTI_COLD [[nodiscard]] inline member this_process(const std::string& host = host_name()) {
    member m;
    m.host = host;
    const descriptor id(
        opened_within_limit([] { return ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC); }));
    // Without it this rank would seem to be of another host, and share no memory.
    if (const auto lack = id ? std::nullopt : shortage_in_words(errno))
        bootstrap_failed("this rank cannot read which host it is on: " + *lack);
    static_cast<void>(can_spare_descriptors(id.get())); // what own_allotment() reads takes some
    std::array<char, 37> boot{};                        // 36 digits; none where the system has no such file
    static_cast<void>(!::read(id.get(), boot.data(), boot.size() - 1));
    m.host_id = boot.data() + ("/" + m.host);
    m.may_use = own_allotment();
    m.pid = ::getpid();
    return m;
}

/// An address that this host has.
struct interface_address {
    std::string name;
    address where;
};

/// The addresses of the interfaces that are up; link-local IPv6 ones, which are no use without a scope, left out.
TUTTI_COLD [[nodiscard]] inline std::vector<interface_address> list_interfaces() {
    ifaddrs* first = nullptr;
    if (opened_within_limit([&] { return ::getifaddrs(&first); }) != 0)
        bootstrap_failed("cannot list the network interfaces: " + reason_in_words(errno));
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, &::freeifaddrs);
    std::vector<interface_address> out;
    for (auto* i = first; i; i = i->ifa_next) {
        if (!i->ifa_addr || !(i->ifa_flags & IFF_UP)) continue;
        const int family = i->ifa_addr->sa_family;
        if (family != AF_INET && family != AF_INET6) continue;
        address a(i->ifa_addr, family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
        if (a.link_local()) continue;
        out.push_back({i->ifa_name, a});
    }
    return out;
}

namespace detail {

/// "10.0.0.0/8", "fd00::/8": is the address inside? Nothing if the text is no network.
TUTTI_COLD inline std::optional<bool> inside(const address& a, std::string_view network) {
    const auto slash = network.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto base = address::literal(std::string(network.substr(0, slash)), 0);
    const auto digits = network.substr(slash + 1);
    unsigned bits = 0;
    const auto [end, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (!base || bad != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
    if (bits > base->octets().size() * 8) return std::nullopt;
    if (base->family() != a.family()) return false;
    for (unsigned i = 0; i < bits; ++i) {
        const unsigned differ = static_cast<unsigned>(base->octets()[i / 8]) ^ a.octets()[i / 8];
        if (differ & (0x80u >> (i % 8))) return false;
    }
    return true;
}

/// Is `name` in "eth0,eth1"?
inline bool listed(std::string_view names, std::string_view name) {
    while (!names.empty()) {
        const auto comma = names.find(',');
        if (names.substr(0, comma) == name) return true;
        names = comma == std::string_view::npos ? std::string_view{} : names.substr(comma + 1);
    }
    return false;
}

inline bool admits(std::string_view rule, const interface_address& i) {
    if (rule.empty()) return true;
    if (rule.front() == '^') return !listed(rule.substr(1), i.name) && !i.where.loopback();
    return inside(i.where, rule).value_or(rule == i.name);
}

TUTTI_COLD inline std::string candidates_in_words(const std::vector<interface_address>& all) {
    std::string text;
    for (const auto& i : all) text += (text.empty() ? "" : ", ") + i.name + " (" + i.where.host() + ")";
    return text.empty() ? "none" : text;
}

} // namespace detail

/// The address for this rank's data port: `route`, the local address of the connection to the rendezvous, unless the
/// rule says otherwise: an interface's name, a network in CIDR notation, or `^name[,name]` for any but these and
/// loopback. Of several that fit, `route` itself is taken, else one of its family, else the first. The port is 0.
/// Throws a bootstrap error that lists the candidates if none fits.
TUTTI_COLD [[nodiscard]] inline address choose_interface(std::string_view rule, address route,
                                                         const std::vector<interface_address>& all) {
    route.set_port(0);
    if (rule.empty()) return route;
    const interface_address* best = nullptr;
    for (const auto& i : all) {
        if (!detail::admits(rule, i)) continue;
        if (i.where.octets().size() == route.octets().size() &&
            std::equal(route.octets().begin(), route.octets().end(), i.where.octets().begin()))
            return route;
        const bool better_family = best && best->where.family() != route.family() && i.where.family() == route.family();
        if (!best || better_family) best = &i;
    }
    if (!best)
        bootstrap_failed("no network interface fits TUTTI_INTERFACE=" + std::string(rule) + "; this host has " +
                             detail::candidates_in_words(all),
                         "name one of them, a network such as 10.0.0.0/8, or ^name to exclude one");
    address chosen = best->where;
    chosen.set_port(0);
    return chosen;
}

/// The local address that leads out of this host, by the default route; nothing is sent. Nothing if there is none.
TUTTI_COLD [[nodiscard]] inline std::optional<address> outward_address() {
    for (const char* anywhere : {"192.0.2.1", "2001:db8::1"}) {
        const auto far = address::literal(anywhere, 9);
        const descriptor probe(::socket(far->family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
        if (!probe || ::connect(probe.get(), far->data(), far->length()) != 0) continue;
        auto mine = local_address(probe.get());
        mine.set_port(0);
        if (!mine.loopback()) return mine;
    }
    return std::nullopt;
}

/// The address by which other hosts most likely reach this one, with port 0: that of the default route, else the first
/// beyond loopback. Nothing if there is none.
[[nodiscard]] inline std::optional<address> reachable_address(const std::vector<interface_address>& all) {
    if (const auto outward = outward_address()) return outward;
    const auto outside = std::ranges::find_if(all, [](const auto& i) { return !i.where.loopback(); });
    return outside != all.end() ? std::optional(outside->where) : std::nullopt;
}

} // namespace tutti::transport::bootstrap
