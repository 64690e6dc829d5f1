// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../gpu_host.hpp"
#include "json.hpp"

#include <string>

/// The GPUs of a host as JSON, and back.
namespace tutti::model::detail {

/// Binds all members, as to_json() of a machine does.
[[nodiscard]] inline json to_json(const gpu_signals& s) {
    const auto& [latency, meeting, signal] = s;
    return {{"latency_s", latency}, {"meeting_s", meeting}, {"signal_s", signal}};
}
[[nodiscard]] inline gpu_signals gpu_signals_from(const json& j, const std::string& where) {
    expect_keys(j, where, {"latency_s", "meeting_s", "signal_s"});
    return {number_of(j, where, "latency_s"), number_of(j, where, "meeting_s"), number_of(j, where, "signal_s")};
}

[[nodiscard]] inline json to_json(const gpu_links& l) {
    const auto& [between, s_per_byte, devices_per_switch, uplink] = l;
    return {{"signals", to_json(between)},
            {"s_per_byte", s_per_byte},
            {"devices_per_switch", devices_per_switch},
            {"uplink_s_per_byte", uplink}};
}
[[nodiscard]] inline gpu_links gpu_links_from(const json& j, const std::string& where) {
    expect_keys(j, where, {"signals", "s_per_byte", "devices_per_switch", "uplink_s_per_byte"});
    return {gpu_signals_from(j.at("signals"), where + ", signals"), number_of(j, where, "s_per_byte"),
            count_of(j, where, "devices_per_switch"), number_of(j, where, "uplink_s_per_byte")};
}

/// A single GPU has no links: null.
[[nodiscard]] inline json to_json(const gpu_host& g) {
    const auto& [devices, launch, memory, within, links] = g;
    return {{"devices", devices},
            {"launch_s", launch},
            {"memory_s_per_byte", memory},
            {"within", to_json(within)},
            {"links", devices > 1 ? to_json(links) : json(nullptr)}};
}
[[nodiscard]] inline gpu_host gpu_host_from(const json& j, const std::string& where) {
    expect_keys(j, where, {"devices", "launch_s", "memory_s_per_byte", "within", "links"});
    gpu_host g{count_of(j, where, "devices"),
               number_of(j, where, "launch_s"),
               number_of(j, where, "memory_s_per_byte"),
               gpu_signals_from(j.at("within"), where + ", within"),
               {}};
    if (g.devices < 1) refuse_machine(where, "has no GPU in \"devices\"");
    if ((g.devices > 1) == j.at("links").is_null())
        refuse_machine(where, g.devices > 1 ? "has several GPUs, and no \"links\"" : "has one GPU, and \"links\"");
    if (g.devices > 1) g.links = gpu_links_from(j.at("links"), where + ", links");
    return g;
}

} // namespace tutti::model::detail
