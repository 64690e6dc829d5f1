// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../sockets/address.hpp"
#include "handles.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::transport::detail::verbs {

/// How packets of a port find their way. Two ports reach each other only by the same kind.
enum class addressing : std::uint8_t {
    infiniband = 1, ///< local identifiers of one subnet
    roce_v1 = 2,    ///< Ethernet frames: one layer-2 network
    roce_v2_ip4 = 3,
    roce_v2_ip6 = 4,
};

/// One entry of a port's table of GIDs, with the port.
struct candidate {
    std::string device;
    std::uint8_t port = 0;
    int index = 0; ///< of the GID
    addressing how{};
    ibv_gid gid{};
    std::uint16_t lid = 0;
    ibv_mtu mtu{};
    bool active = false;
    bool is_loopback = false;   ///< reaches this host only
    bool is_link_local = false; ///< IPv6 fe80::, or no address at all
};

[[nodiscard]] inline std::string text_of(const ibv_gid& gid) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, gid.raw, text.data(), text.size());
    return text.data();
}

[[nodiscard]] inline std::string words_of(const candidate& c) {
    static constexpr std::array<std::string_view, 5> kinds{"", "InfiniBand", "RoCE v1", "RoCE v2", "RoCE v2"};
    return c.device + ":" + std::to_string(c.port) + " gid " + std::to_string(c.index) + " " + text_of(c.gid) + " (" +
           std::string(kinds[static_cast<std::size_t>(c.how)]) + (c.active ? "" : ", not active") + ")";
}

[[nodiscard]] inline bool is_mapped_ip4(const ibv_gid& gid) noexcept {
    static constexpr std::array<std::uint8_t, 12> prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return std::memcmp(gid.raw, prefix.data(), prefix.size()) == 0;
}
[[nodiscard]] inline bool is_zero(const ibv_gid& gid) noexcept {
    return gid.global.subnet_prefix == 0 && gid.global.interface_id == 0;
}
[[nodiscard]] inline bool is_loopback(const ibv_gid& gid) noexcept {
    const ibv_gid one = [] {
        ibv_gid g{};
        g.raw[15] = 1;
        return g;
    }();
    return is_mapped_ip4(gid) ? gid.raw[12] == 127 : std::memcmp(gid.raw, one.raw, sizeof one.raw) == 0;
}

[[nodiscard]] inline addressing addressing_of(const ibv_gid_entry& e) noexcept {
    if (e.gid_type == IBV_GID_TYPE_IB) return addressing::infiniband;
    if (e.gid_type == IBV_GID_TYPE_ROCE_V1) return addressing::roce_v1;
    return is_mapped_ip4(e.gid) ? addressing::roce_v2_ip4 : addressing::roce_v2_ip6;
}

/// All that the ports of a device offer.
inline void list_ports(ibv_context* device, const std::string& name, std::vector<candidate>& all) {
    constexpr std::size_t most_entries = 1024; // in 64 KiB, the most that the kernel takes; one query an entry is slow
    std::vector<ibv_gid_entry> entries(most_entries);
    const auto count = ibv_query_gid_table(device, entries.data(), entries.size(), 0);
    for (const ibv_gid_entry& e : std::span(entries).first(static_cast<std::size_t>(std::max<ssize_t>(count, 0)))) {
        ibv_port_attr p{};
        const auto port = static_cast<std::uint8_t>(e.port_num);
        if (ibv_query_port(device, port, &p) != 0 || is_zero(e.gid)) continue;
        if (e.gid_index > 255) continue; // no address of a packet could name it
        candidate c{name,  port,         static_cast<int>(e.gid_index), addressing_of(e), e.gid,
                    p.lid, p.active_mtu, p.state == IBV_PORT_ACTIVE};
        c.is_loopback = is_loopback(e.gid);
        c.is_link_local = e.gid.raw[0] == 0xfe && (e.gid.raw[1] & 0xc0) == 0x80;
        all.push_back(c);
    }
}

/// All that this host offers; empty where it has no RDMA device, or no driver for one.
[[nodiscard]] inline std::vector<candidate> all_candidates() {
    std::vector<candidate> all;
    int count = 0;
    const device_list devices(ibv_get_device_list(&count));
    for (int i = 0; i < count; ++i) {
        ibv_device* const d = devices[static_cast<std::size_t>(i)];
        if (const owned<ibv_context> opened{ibv_open_device(d)}) list_ports(opened.get(), ibv_get_device_name(d), all);
    }
    return all;
}

/// The GID that a literal address has.
[[nodiscard]] inline ibv_gid gid_of(const std::string& address) noexcept {
    ibv_gid gid{};
    in_addr four{};
    if (::inet_pton(AF_INET, address.c_str(), &four) == 1) {
        gid.raw[10] = gid.raw[11] = 0xff;
        std::memcpy(gid.raw + 12, &four, sizeof four);
    } else if (::inet_pton(AF_INET6, address.c_str(), gid.raw) != 1) {
        gid = {};
    }
    return gid;
}

/// The preference for a port: the largest value is used first, a negative one not at all.
[[nodiscard]] inline int worth(const candidate& c, const ibv_gid& data_address) noexcept {
    if (!c.active) return -1;
    const bool is_here = std::memcmp(c.gid.raw, data_address.raw, sizeof c.gid.raw) == 0;
    if (c.is_loopback && !is_loopback(data_address)) return -1;
    int value = is_here ? 100 : 0;
    switch (c.how) {
    case addressing::infiniband: value += 40; break;
    case addressing::roce_v1: value += 10; break;
    case addressing::roce_v2_ip4: value += is_mapped_ip4(data_address) ? 30 : 20; break;
    case addressing::roce_v2_ip6: value += is_mapped_ip4(data_address) ? 20 : 30; break;
    }
    return value - (c.is_link_local && c.how != addressing::infiniband ? 15 : 0);
}

} // namespace tutti::transport::detail::verbs
