// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "host_launch.hpp"

#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace tutti::tools {

/// The options of `tutti run` that are about other hosts.
struct host_settings {
    std::string hosts;
    std::string hostfile;
    std::string launch_agent;
    std::string tutti;
    std::string directory;
    double reach_s = 30;

    [[nodiscard]] bool given() const noexcept { return !hosts.empty() || !hostfile.empty(); }
};

void add_host_options(CLI::App& command, host_settings& s);

/// Throws CLI::ValidationError where an option was given that means nothing without hosts.
void require_hosts(const CLI::App& command, const host_settings& s);

/// What a launch is told of hosts; `ranks` of their slots, or all if it is 0. `address`: as the user gave it, or empty.
/// Throws std::invalid_argument, or std::runtime_error for a hostfile that cannot be read.
[[nodiscard]] host_options host_options_of(const host_settings& s, int ranks, const std::string& address);

/// The variables of this process that go to other hosts: those that begin with TUTTI_, but for those that the launch
/// sets itself, and TUTTI_HOST, which is this host's name.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> carried_environment();

/// Reads "NAME=VALUE", or "NAME" for the value that it has here. Throws std::invalid_argument.
[[nodiscard]] std::pair<std::string, std::string> parse_variable(const std::string& text);

} // namespace tutti::tools
