// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../common/own_variables.hpp"
#include "../common/text_output.hpp"
#include "commands.hpp"
#include "findings.hpp"

#include <transport/join/launchers.hpp>

#include <exception>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tutti::tools {
namespace {

using namespace transport::bootstrap;

constexpr auto env_description = "Say which launcher started this process, and how it would join the others";

constexpr auto env_footer =
    R"(It reads the environment as a program with from_environment() does, connects to nobody, and prints:
  launcher   the one that is taken: the first of the list whose marks are set
  also       launchers whose marks are set as well, and which come later in the list
  variables  what it has set
  settings   the TUTTI_ variables that are set; of a secret its length alone
  place      rank and size
  host       by which ranks find out that they share a host
  memory     whether it can be shared with other ranks of the host
  processors that this process may run on; with more ranks there, a host is crowded, and they wait otherwise
  address    where the ranks meet
  secret     where it comes from
  fails      what would go wrong, as far as that can be known without connecting

Examples:
  tutti env
  mpirun -n 2 tutti env
  srun tutti env

Exit status:
  0  nothing is known that would fail
  1  something would fail, or no launcher is found)";

std::string assignments(std::span<const char* const> names) {
    std::vector<std::string> all;
    for (const char* name : names)
        if (transport::bootstrap::detail::is_set(name))
            all.push_back(fmt::format("{}={}", name, transport::bootstrap::detail::variable(name)));
    return all.empty() ? "none" : fmt::format("{}", fmt::join(all, " "));
}

std::string settings() {
    std::vector<std::string> all;
    for (const auto& [name, value] : own_variables())
        if (!value.empty())
            all.push_back(name == "TUTTI_SECRET" ? fmt::format("{} (of {} characters)", name, value.size())
                                                 : fmt::format("{}={}", name, value));
    return all.empty() ? "none" : fmt::format("{}", fmt::join(all, " "));
}

/// A line for each fact, and those that would fail.
class account {
public:
    void add(const char* what, const std::string& text) { lines_.push_back(fmt::format("{:<10} {}", what, text)); }
    void fails(const std::string& text) {
        add("fails", text);
        failed_ = true;
    }
    /// In one piece, so that ranks do not write into each other's lines.
    int print(const std::string& prefix) const {
        std::string all;
        for (const auto& line : lines_) all += prefix + line + "\n";
        write_whole(all, "");
        return failed_ ? 1 : 0;
    }

private:
    std::vector<std::string> lines_;
    bool failed_ = false;
};

void add_launcher(account& told) {
    const auto* const taken = present_launcher();
    if (!taken) {
        told.add("launcher", "none: the marks of no launcher are set");
        return;
    }
    told.add("launcher", fmt::format("{}: {}", taken->name, assignments(taken->marks)));
    for (const auto* l = taken + 1; l != launchers.data() + launchers.size(); ++l)
        if (l->present()) told.add("also", fmt::format("{}: {}", l->name, assignments(l->marks)));
    told.add("variables", assignments(taken->variables));
}

void add_identity(account& told, const identity& me) {
    told.add("place", fmt::format("rank {} of {}", me.rank, me.size));
    told.add("host", host_in_words(me));
    told.add("address", address_in_words(me));
    told.add("secret", secret_in_words(me));
    for (const auto& fault : faults_of(me)) told.fails(fault);
}

int env() {
    account told;
    std::string prefix;
    add_launcher(told);
    told.add("settings", settings());
    told.add("memory", memory_in_words());
    told.add("processors", processors_in_words(own_allotment()));
    try {
        const auto me = identity_from_environment();
        if (present_launcher() != &launchers.front() && me.size > 1) prefix = fmt::format("[{}] ", me.rank);
        add_identity(told, me);
    } catch (const std::exception& e) {
        told.fails(e.what());
    }
    return told.print(prefix);
}

} // namespace

void add_env(CLI::App& app, action& chosen) {
    CLI::App* const command = app.add_subcommand("env", env_description);
    command->footer(env_footer);
    command->callback([&chosen] { chosen = env; });
}

} // namespace tutti::tools
