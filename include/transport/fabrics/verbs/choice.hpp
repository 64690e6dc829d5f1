// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../sockets/errors.hpp"
#include "card.hpp"
#include "options.hpp"
#include "port.hpp"

#include <charconv>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::transport::detail::verbs {

[[nodiscard]] inline std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

[[nodiscard]] inline std::string list_of(const std::vector<candidate>& all) {
    std::string text;
    for (const candidate& c : all) text += (text.empty() ? "" : "; ") + words_of(c);
    return text.empty() ? "this host has none" : "this host has " + text;
}

/// Why two ranks, this one first, have no port in common.
[[nodiscard]] inline std::string why_apart(std::span<const rail_card> self, std::span<const rail_card> peer, int rank) {
    if (self.empty())
        return "this rank uses no RDMA port: " + list_of(all_candidates()) + " (TUTTI_VERBS_DEVICE chooses)";
    if (peer.empty()) return "rank " + std::to_string(rank) + " uses no RDMA port";
    return "their RDMA ports differ in kind, subnet or GID type";
}

/// Of the candidates that `wanted` allows, the one of most worth. Null if there is none.
template <class Wanted>
[[nodiscard]] const candidate* best(const std::vector<candidate>& all, const ibv_gid& address, Wanted wanted) {
    const candidate* found = nullptr;
    for (const candidate& c : all)
        if (wanted(c) && worth(c, address) >= 0 && (!found || worth(c, address) > worth(*found, address))) found = &c;
    return found;
}

/// The index that a user wants, or -1. Throws a bootstrap error.
[[nodiscard]] inline int wanted_gid(const verbs_limits& limits) {
    if (limits.gid_index >= 0) return limits.gid_index;
    const std::string text = variable("TUTTI_VERBS_GID");
    if (text.empty()) return -1;
    int index = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc{} || end != text.data() + text.size() || index < 0)
        bootstrap::bootstrap_failed("TUTTI_VERBS_GID must be a number from 0 on, not \"" + text + '"');
    return index;
}

/// The port that "mlx5_0" or "mlx5_0:1" names. Throws a bootstrap error that lists the candidates.
[[nodiscard]] inline candidate named(const std::vector<candidate>& all, std::string_view name, int gid,
                                     const ibv_gid& address) {
    const std::string device(name.substr(0, name.find(':')));
    const std::string whole = name.find(':') == name.npos ? std::string() : std::string(name);
    const auto fits = [&](const candidate& c) {
        return c.device == device && (whole.empty() || c.device + ":" + std::to_string(c.port) == whole) &&
               (gid < 0 || c.index == gid);
    };
    if (const candidate* const c = best(all, address, fits)) return *c;
    bootstrap::bootstrap_failed("no active RDMA port is \"" + std::string(name) + '"' +
                                    (gid < 0 ? "" : " with GID index " + std::to_string(gid)) + ": " + list_of(all),
                                "correct TUTTI_VERBS_DEVICE or TUTTI_VERBS_GID, or verbs_limits");
}

/// The ports that a rank uses: those that are named, or the best one for its data address; none where there is none, or
/// where "none" is named.
/// Throws a bootstrap error.
[[nodiscard]] inline std::vector<candidate> chosen(const std::vector<candidate>& all, const verbs_limits& limits,
                                                   const std::string& data_address) {
    const ibv_gid address = gid_of(data_address);
    const int gid = wanted_gid(limits);
    std::string names = limits.devices.empty() ? variable("TUTTI_VERBS_DEVICE") : limits.devices;
    std::vector<candidate> those;
    if (names == "none") return those;
    if (names.empty()) {
        const auto any = [&](const candidate& c) { return gid < 0 || c.index == gid; };
        const candidate* const c = best(all, address, any);
        if (c) those.push_back(*c);
        if (!c && gid >= 0 && !all.empty())
            bootstrap::bootstrap_failed("no active RDMA port has GID index " + std::to_string(gid) + ": " +
                                            list_of(all),
                                        "correct TUTTI_VERBS_GID, or verbs_limits");
        return those;
    }
    for (names += ','; !names.empty(); names.erase(0, names.find(',') + 1))
        if (const std::string name = names.substr(0, names.find(',')); !name.empty())
            those.push_back(named(all, name, gid, address));
    return those;
}

} // namespace tutti::transport::detail::verbs
