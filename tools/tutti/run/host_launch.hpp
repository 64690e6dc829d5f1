// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "hosts.hpp"
#include "launch.hpp"

#include <chrono>
#include <string>

namespace tutti::tools {

/// How the ranks of a launch are spread over hosts, and started there.
struct host_options {
    placement where;          ///< of all `ranks`
    std::string launch_agent; ///< a line of shell that connects to a host; it gets the host's name and a command for it
    std::string tutti;        ///< the path of this command on the hosts
    std::string directory;    ///< in which the ranks start, on every host
    bool any_port = false;    ///< the address of the launch is a host alone
    std::chrono::milliseconds reach{30'000}; ///< for all hosts to answer
};

/// What launch() does, on several hosts, by an agent on each. Only what `options.environment` says goes there of the
/// environment. The ranks begin when all hosts have answered. They meet at the host of rank 0. When a connection ends,
/// or this process does, however that happens, the agents kill all ranks. `inherited`, `plain_rank` and `pretended`
/// must be as they are by default.
[[nodiscard]] launch_result launch_on_hosts(const launch_options& options, const host_options& where);

} // namespace tutti::tools
