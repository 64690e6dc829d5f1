// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/bytes.hpp"
#include "port.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace tutti::transport::detail::verbs {

/// Ports of a rank that long messages are striped over.
inline constexpr std::size_t max_rails = 4;

/// The data by which a peer reaches a port.
struct rail_card {
    addressing how{};
    ibv_gid gid{};
    std::uint16_t lid = 0;
    std::uint8_t mtu = 0; ///< as libibverbs numbers them
    std::string device;   ///< for errors
};

/// A rank's ports as it tells them: none where it has no RDMA device.
[[nodiscard]] inline std::vector<std::byte> encode(std::span<const rail_card> rails) {
    std::vector<std::byte> bytes;
    tutti::detail::byte_writer w(bytes);
    w.integer(static_cast<std::uint8_t>(rails.size()));
    for (const rail_card& r : rails) {
        w.integer(static_cast<std::uint8_t>(r.how));
        w.raw(std::as_bytes(std::span(r.gid.raw)));
        w.integer(r.lid);
        w.integer(r.mtu);
        w.text(r.device, 64);
    }
    return bytes;
}

/// Empty where the bytes are no card.
[[nodiscard]] inline std::vector<rail_card> decode_card(std::span<const std::byte> bytes) {
    tutti::detail::byte_reader r(bytes);
    std::vector<rail_card> rails(std::min<std::size_t>(r.integer<std::uint8_t>(), max_rails));
    for (rail_card& c : rails) {
        c.how = static_cast<addressing>(r.integer<std::uint8_t>());
        const auto gid = r.raw(sizeof c.gid.raw);
        if (gid.size() == sizeof c.gid.raw) std::memcpy(c.gid.raw, gid.data(), gid.size());
        c.lid = r.integer<std::uint16_t>();
        c.mtu = r.integer<std::uint8_t>();
        c.device = r.text(64);
        const bool known = c.how >= addressing::infiniband && c.how <= addressing::roce_v2_ip6;
        if (!known || c.mtu < IBV_MTU_256 || c.mtu > IBV_MTU_4096) return {};
    }
    return r.ok() ? rails : std::vector<rail_card>{};
}

/// Two ports can exchange packets, as far as their addresses tell.
[[nodiscard]] inline bool reach_each_other(const rail_card& a, const rail_card& b, bool same_host) noexcept {
    if (a.how != b.how || is_loopback(a.gid) != is_loopback(b.gid)) return false;
    if (is_loopback(a.gid)) return same_host;
    return a.how != addressing::infiniband || a.gid.global.subnet_prefix == b.gid.global.subnet_prefix;
}

/// How many ports, from the first on, two ranks have in common.
[[nodiscard]] inline std::size_t rails_between(std::span<const rail_card> a, std::span<const rail_card> b,
                                               bool same_host) noexcept {
    std::size_t n = 0;
    while (n < std::min(a.size(), b.size()) && reach_each_other(a[n], b[n], same_host)) ++n;
    return n;
}

} // namespace tutti::transport::detail::verbs
