// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/linkage.hpp"
#include "../host.hpp"
#include "../names.hpp"
#include "launcher.hpp"

#include <array>
#include <string>

/// An indexed job of Kubernetes, with a rank a pod. The job does not tell its size: TUTTI_SIZE holds it. It has no
/// place for an address and a secret. Ranks meet at "<job>-0.<subdomain>", port 29400, where a headless service gives
/// the pods a subdomain; the secret is mounted as a file.
namespace tutti::transport::bootstrap::detail::kubernetes {

inline constexpr std::array marks{"JOB_COMPLETION_INDEX"};
inline constexpr std::array variables{"TUTTI_SIZE", "TUTTI_ADDRESS", "HOSTNAME"};
inline constexpr std::uint16_t port = 29'400; // each pod has an address of its own

TUTTI_COLD inline bool present() { return all_set(marks); }

/// The name of pod 0, given the full name of pod `index`: "train-3.ring.default.svc.cluster.local" is of "train-3".
/// Empty where the name has no subdomain or another index.
TUTTI_COLD [[nodiscard]] inline std::string pod_zero(const std::string& full_name, int index) {
    const auto dot = full_name.find('.');
    const auto ending = "-" + std::to_string(index);
    if (dot == std::string::npos || dot <= ending.size()) return {};
    const auto pod = full_name.substr(0, dot);
    if (!pod.ends_with(ending)) return {};
    return pod.substr(0, pod.size() - ending.size()) + "-0" + full_name.substr(dot);
}

TUTTI_COLD inline identity read() {
    identity me;
    me.size = whole_number("TUTTI_SIZE", 1, most_ranks,
                           "an indexed job of Kubernetes does not say how many pods it has: set it to its completions");
    me.rank = whole_number("JOB_COMPLETION_INDEX", 0, me.size - 1);
    me.one_host = me.size == 1;
    if (is_set("TUTTI_ADDRESS") || me.size == 1) return me;
    const auto own = full_name_of(host_name(), clock::now() + longest_look_up);
    const auto zero = pod_zero(own, me.rank);
    if (zero.empty())
        bootstrap_failed("the name of this pod, " + own + ", does not tell that of pod 0",
                         "give the job's pods a subdomain with a headless service, or set TUTTI_ADDRESS to "
                         "<job>-0.<subdomain>:" +
                             std::to_string(port));
    me.rendezvous = {zero, port};
    return me;
}

inline constexpr launcher itself{"Kubernetes", "TUTTI_SIZE", present, read, marks, variables};

} // namespace tutti::transport::bootstrap::detail::kubernetes
