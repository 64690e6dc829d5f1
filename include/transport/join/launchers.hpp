// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "identity.hpp"
#include "launchers/explicitly.hpp"
#include "launchers/kubernetes.hpp"
#include "launchers/launcher.hpp"
#include "launchers/open_mpi.hpp"
#include "launchers/pmi.hpp"
#include "launchers/slurm.hpp"
#include "launchers/torchrun.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

namespace tutti::transport::bootstrap {

/// In the order in which they are asked. A new launcher is a file in launchers/ and a new line here.
inline constexpr std::array launchers{
    detail::explicitly::itself, detail::torchrun::itself, detail::open_mpi::itself,
    detail::pmi::itself,        detail::slurm::itself,    detail::kubernetes::itself,
};

/// The launcher that started this process: the first whose marks are in the environment. Null if there is none.
[[nodiscard]] inline const launcher* present_launcher() {
    for (const auto& l : launchers)
        if (l.present()) return &l;
    return nullptr;
}

namespace detail {

TUTTI_COLD [[nodiscard]] inline secret secret_from_environment() {
    const char* spoken = std::getenv("TUTTI_SECRET"); // not copied: the copy would have to be wiped
    const auto file = variable("TUTTI_SECRET_FILE");
    const std::size_t bytes = spoken ? std::strlen(spoken) : 0;
    if (bytes > 0 && bytes < secret::least_bytes) secret::refuse_short("TUTTI_SECRET", bytes);
    if (file.empty()) return secret(spoken ? spoken : "");
    if (spoken && *spoken) bootstrap_failed("both TUTTI_SECRET and TUTTI_SECRET_FILE are set", "unset one of them");
    return read_secret_file(file);
}

inline constexpr std::size_t max_host_bytes = 255;

/// The settings that are the same under every launcher, and without one; but for the secret.
TUTTI_COLD inline void read_settings(identity& me) {
    me.host = variable("TUTTI_HOST");
    if (me.host.size() > max_host_bytes)
        bootstrap_failed("TUTTI_HOST has more than " + std::to_string(max_host_bytes) + " characters");
    if (me.host.empty() && slurm::is_task(me)) me.host = variable("SLURMD_NODENAME").substr(0, max_host_bytes);
    me.interface = variable("TUTTI_INTERFACE");
    if (const auto ports = variable("TUTTI_PORTS"); !ports.empty()) me.ports = parse_ports(ports, "TUTTI_PORTS");
    me.insecure = yes_or_no("TUTTI_INSECURE");
    me.encrypt = yes_or_no("TUTTI_ENCRYPT");
    if (is_set("TUTTI_BOOTSTRAP_TIMEOUT"))
        me.timeout = std::chrono::seconds(whole_number("TUTTI_BOOTSTRAP_TIMEOUT", 1, 86'400));
}

/// A world of one rank on each of several processes would look well. It comes of variables that an outer launcher, or
/// an earlier one, has left. The other way round is common: an outer launcher starts one process, which starts many
/// ranks.
inline void refuse_contradiction(const identity& me, const launcher& from) {
    if (me.size > 1) return;
    for (const auto& other : launchers) {
        const bool says_more = other.present() && number_in(variable(other.size)).value_or(1) > 1;
        if (says_more)
            bootstrap_failed(std::string(from.size) + " of " + from.name + " says that there is 1 rank, and " +
                                 other.size + " of " + other.name + " that there are " + variable(other.size),
                             "unset the variables of the one that did not start this program");
    }
}

/// What the user says of the world overrides what the launcher says, and must not contradict it.
TUTTI_COLD inline void read_overrides(identity& me, const launcher& from) {
    if (const auto where = variable("TUTTI_ADDRESS"); !where.empty()) {
        me.rendezvous = parse_endpoint(where, "TUTTI_ADDRESS");
        me.exchange = nullptr;
    }
    if (const auto size = variable("TUTTI_SIZE"); !size.empty() && size != std::to_string(me.size))
        bootstrap_failed("TUTTI_SIZE is \"" + size + "\", and " + from.name + " says that there are " +
                             std::to_string(me.size) + " ranks",
                         "unset TUTTI_SIZE, or set TUTTI_RANK as well");
}

} // namespace detail

} // namespace tutti::transport::bootstrap
