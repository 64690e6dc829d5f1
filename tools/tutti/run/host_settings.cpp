// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "host_settings.hpp"

#include "../common/own_variables.hpp"
#include "../common/within.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

// No questions, which nobody could answer; a host that does not answer, now or later, is given up.
constexpr auto ssh_command = "ssh -x -T -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=10 "
                             "-o ServerAliveCountMax=3";

std::string read_text(const std::string& path) {
    std::ifstream file{path};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (!file) throw std::runtime_error("cannot read the hostfile " + path);
    return text;
}

// As the shell calls it, if that is the same folder: the way through links may be the one that other hosts have too.
std::string this_directory() {
    namespace fs = std::filesystem;
    const char* const called = std::getenv("PWD");
    std::error_code none;
    if (called && *called == '/' && fs::equivalent(called, ".", none)) return called;
    return fs::current_path().string();
}

} // namespace

void add_host_options(CLI::App& command, host_settings& s) {
    CLI::Option* const hosts =
        command.add_option("--hosts", s.hosts, "Start the ranks on these hosts, as a:4,b:4; see below")
            ->type_name("LIST");
    command.add_option("--hostfile", s.hostfile, "The same from a file: a host on a line, as a:4 or a slots=4")
        ->type_name("FILE")
        ->excludes(hosts);
    command
        .add_option("--launch-agent", s.launch_agent,
                    fmt::format("What connects to a host, instead of ssh [default: {}]", ssh_command))
        ->type_name("COMMAND");
    command.add_option("--tutti", s.tutti, "The path of the tutti command on the hosts [default: as here]")
        ->type_name("PATH");
    command.add_option("--directory", s.directory, "Where the ranks start on the hosts [default: this folder]")
        ->type_name("PATH");
    command.add_option("--reach", s.reach_s, "Seconds for all hosts to answer [default: 30]")
        ->check(within(0.001, 1e6))
        ->type_name("S");
}

void require_hosts(const CLI::App& command, const host_settings& s) {
    for (const char* const option : {"--launch-agent", "--tutti", "--directory", "--reach"})
        if (!s.given() && command.count(option) > 0)
            throw CLI::ValidationError(fmt::format("{} means nothing without --hosts or --hostfile", option));
}

host_options host_options_of(const host_settings& s, int ranks, const std::string& address) {
    host_options o;
    o.where =
        first_slots(s.hosts.empty() ? parse_hostfile(read_text(s.hostfile), s.hostfile) : parse_hosts(s.hosts), ranks);
    o.launch_agent = s.launch_agent.empty() ? ssh_command : s.launch_agent;
    o.tutti = s.tutti.empty() ? std::filesystem::read_symlink("/proc/self/exe").string() : s.tutti;
    o.directory = s.directory.empty() ? this_directory() : s.directory;
    o.reach = std::chrono::milliseconds{static_cast<long long>(s.reach_s * 1000)};
    const bool bare_ipv6 = transport::bootstrap::address::literal(address, 0) && address.find(':') != address.npos;
    o.any_port = !address.empty() && (bare_ipv6 || address.find(':') == address.npos);
    if (!address.empty() && !o.any_port) static_cast<void>(transport::bootstrap::parse_endpoint(address, "--address"));
    return o;
}

std::vector<std::pair<std::string, std::string>> carried_environment() {
    constexpr std::array<std::string_view, 6> own{"TUTTI_RANK",   "TUTTI_SIZE",        "TUTTI_ADDRESS",
                                                  "TUTTI_SECRET", "TUTTI_SECRET_FILE", "TUTTI_HOST"};
    auto carried = own_variables();
    std::erase_if(carried, [&](const auto& v) { return std::find(own.begin(), own.end(), v.first) != own.end(); });
    return carried;
}

std::pair<std::string, std::string> parse_variable(const std::string& text) {
    const std::size_t equals = text.find('=');
    std::string name = text.substr(0, equals);
    if (name.empty()) throw std::invalid_argument(fmt::format("'{}' is no variable: write NAME=VALUE, or NAME", text));
    if (equals != text.npos) return {std::move(name), text.substr(equals + 1)};
    const char* const value = std::getenv(name.c_str());
    if (!value) throw std::invalid_argument(fmt::format("{} is not set here: write {}=VALUE", name, name));
    return {std::move(name), value};
}

} // namespace tutti::tools
