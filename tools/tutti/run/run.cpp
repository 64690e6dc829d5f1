// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../common/parsed_option.hpp"
#include "../common/within.hpp"
#include "agent.hpp"
#include "commands.hpp"
#include "common/lists.hpp"
#include "guarded.hpp"
#include "host_settings.hpp"
#include "launch.hpp"
#include "spawn.hpp"

#include <transport/sockets/wait_ready.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

constexpr auto run_description = "Start a program on several ranks, of this host or of several";

constexpr auto run_footer = R"(Usage: tutti run -n P [OPTIONS] [--] PROGRAM [ARGS...]
       tutti run --hosts a:4,b:4 [OPTIONS] [--] PROGRAM [ARGS...]

Each rank is a process that finds its place in the environment: TUTTI_RANK, TUTTI_SIZE,
TUTTI_ADDRESS (where the ranks meet) and TUTTI_SECRET (drawn at random for this run), which
is what tutti::transport::tcp::from_environment() reads.

What the ranks print comes out line by line with the rank in front, as in "[2] ready", standard
output to standard output and standard error to standard error. Their standard input is empty.
An error that several ranks print alike as they end comes out once, as in "[0-3] terminate called ...";
numbers that differ are listed in the order of the ranks, as in "step {3,3,5,7}".
SIGINT, SIGTERM, SIGHUP and SIGQUIT are passed on to all ranks. What is ignored by nohup, or by a
shell for its background, the ranks ignore too.

With --hosts a:4,b:4 ranks 0 to 3 run on host a and 4 to 7 on b. A host without a number has one
slot. A host may be named again: a,b,a,b puts the ranks in turn. With -n the first P slots are
taken. A hostfile names a host on a line, as "a slots=4" or "a:4", with # before comments; max_slots
is accepted and means nothing. IPv6 addresses stand in brackets: [fd00::1]:4. user@a:4 is for ssh.

ssh must reach every host without a question. --launch-agent COMMAND takes its place: a line of
shell that gets a host and a command for the shell there. It starts this tutti on each host, by the
path that it has here or by --tutti, which starts the ranks in this folder or in --directory. The
variables that begin with TUTTI_ go along, and those of --env. The secret goes through ssh's
standard input. No rank begins before all hosts have answered; those that do not are named.

The ranks meet at rank 0's host, by the name that you gave it, at a port that is free there.
--address HOST or HOST:PORT says otherwise: where that name is not known on the other hosts, or a
firewall lets one port through.

When the launcher ends, by SIGKILL too, so do the ranks and all that they have started, here and on
all hosts. Where all ranks of a host exited with 0 and were sent no signal, what they left in a
session or process group of its own stays, as a daemon may. A host whose connection breaks is lost,
and so are its ranks. If the launcher's own host vanishes without a word, the others notice when
their sshd does: set ClientAliveInterval there.

With --pretend-hosts 2 consecutive ranks share a host, equally many each but for the last. With a
list, as in --pretend-hosts 0,1,0,1, each rank has its host. TUTTI_HOST names it, and
transport::routed goes over TCP between ranks of different ones. All of them are on this host.

With --bind core each rank runs on one processor: the ranks of a host take in turn those that tutti may use
there, first one of each core. With a list, as in --bind 0,2,4-7, the first rank of each host takes the first, and so on.

When a rank fails, the others get a moment to report the loss themselves; then they are sent
SIGTERM, and at last SIGKILL. Who failed first, and how, is said at the end: where errors name a rank
that failed as well, it is that one. While nobody takes the
output the ranks wait; when its reader is gone they are ended.

Examples:
  tutti run -n 4 ./my_program --steps 100
  tutti run -n 2 --deadline 60 -- python3 script.py
  tutti run -n 2 --bind core ./my_program
  tutti run --hosts a:4,b:4 -- tutti bench --transport routed
  tutti run --hostfile hosts -n 8 --env LD_LIBRARY_PATH ./my_program

Exit status:
  0      every rank exited with 0
  N      the first rank that failed exited with N
  128+S  the first rank that failed was ended by signal S
  124    the deadline passed
  141    nobody read the output any more (128 + SIGPIPE)
  127    there is no such program on this host; 126: it cannot be executed
  2      the command line is wrong
  1      a host could not be reached or was lost, the ranks could not be started, their output
         could not be written, or ranks called different things at the end, which no call could find)";

struct run_settings {
    int ranks = 0;
    std::string pretended;
    host_settings hosts;
    std::string address;
    std::vector<std::string> variables;
    binding bind;
    double deadline_s = 0;
    double patience_s = 3;
    double grace_s = 5;
};

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds{static_cast<long long>(seconds * 1000)};
}

// Each rank's host: as listed, or consecutive ones, where equally many each, but for the last, come out.
std::vector<int> pretended_hosts(const std::string& text, int ranks) {
    const std::vector<int> listed = parse_nodes(text);
    if (listed.size() > 1 && static_cast<int>(listed.size()) != ranks)
        throw CLI::ValidationError(fmt::format("{} ranks have no {} hosts: write one for each", ranks, listed.size()));
    if (listed.size() > 1) return listed;
    const int hosts = listed.front(), each = hosts > 0 ? (ranks + hosts - 1) / hosts : 0;
    if (hosts < 1 || (ranks + each - 1) / each != hosts)
        throw CLI::ValidationError(
            fmt::format("{} ranks do not come out as {} hosts with equally many each, but for the last", ranks, hosts));
    std::vector<int> all;
    for (int r = 0; r < ranks; ++r) all.push_back(r / each);
    return all;
}

launch_options launch_options_of(const run_settings& s, std::vector<std::string> command) {
    launch_options options;
    options.command = std::move(command);
    options.ranks = s.ranks;
    if (!s.pretended.empty()) options.pretended = pretended_hosts(s.pretended, s.ranks);
    options.address = s.address;
    if (s.hosts.given()) options.environment = carried_environment();
    for (const std::string& variable : s.variables) options.environment.push_back(parse_variable(variable));
    options.bind = s.bind;
    options.limit = milliseconds(s.deadline_s);
    options.patience = milliseconds(s.patience_s);
    options.grace = milliseconds(s.grace_s);
    return options;
}

// A reader who stalls does not keep the launcher from ending.
bool somebody_reads_errors() {
    return transport::bootstrap::wait_ready(STDERR_FILENO, POLLOUT,
                                            std::chrono::steady_clock::now() + std::chrono::seconds(1));
}

int told(const launch_result& result) {
    if (!result.report.empty() && somebody_reads_errors()) fmt::print(stderr, "tutti run: {}\n", result.report);
    return result.status;
}

int run_here(const launch_options& options) try { return told(launch(options)); } catch (const cannot_execute& e) {
    return told({e.exit_status(), -1, e.what()});
}

int run(const run_settings& s, std::vector<std::string> command) {
    launch_options options = launch_options_of(s, std::move(command));
    if (!s.hosts.given()) return guarded([&] { return run_here(options); });
    const host_options where = host_options_of(s.hosts, s.ranks, s.address);
    options.ranks = where.where.ranks();
    for (std::size_t h = 0; h < where.where.hosts.size(); ++h) // or it is refused at once
        static_cast<void>(
            options.bind.processors_for(static_cast<int>(where.where.ranks_of(static_cast<int>(h)).size())));
    return told(launch_on_hosts(options, where));
}

} // namespace

int program_begins(int argc, const char* const* argv) {
    if (argc < 2 || std::string_view{argv[1]} != "run") return argc;
    for (int i = 2; i < argc; ++i) {
        const std::string_view word{argv[i]};
        if (word == "--" || word.empty() || word.front() != '-') return i;
        const bool is_long = word.starts_with("--");
        const bool is_whole = word == "-h" || word == "--help" ||
                              (is_long ? word.find('=') != word.npos : word.size() > 2 && word != "-np");
        if (!is_whole) ++i; // every option but help takes a value
    }
    return argc;
}

void add_run(CLI::App& app, action& chosen, std::vector<std::string> program) {
    auto s = std::make_shared<run_settings>();
    CLI::App* const command = app.add_subcommand("run", run_description);
    command->footer(run_footer);
    command->add_option("-n,--ranks", s->ranks, "How many ranks to start [default: a rank for each slot of the hosts]")
        ->check(CLI::Range(1, 4096))
        ->type_name("P");
    command->add_option("--address", s->address, "Where the ranks meet [default: a free port of rank 0's host]")
        ->type_name("HOST:PORT");
    add_host_options(*command, s->hosts);
    command->add_option("--env", s->variables, "A variable for the ranks; without a value, the one that it has here")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false);
    command->add_option("--pretend-hosts", s->pretended, "Pretend H hosts, to try out what depends on them; see below")
        ->type_name("H|LIST")
        ->excludes("--hosts")
        ->excludes("--hostfile");
    add_parsed(
        *command, "--bind", [s](const std::string& word) { s->bind = binding(word); },
        "Bind each rank to a processor: the next one, or those listed; see below [default: none]", "core|none|LIST");
    command->add_option("--deadline", s->deadline_s, "End all ranks after S seconds [default: never]")
        ->check(within(0.0, 1e9))
        ->type_name("S");
    command->add_option("--patience", s->patience_s, "Seconds from the first failure until SIGTERM [default: 3]")
        ->check(within(0.0, 1e9))
        ->type_name("S");
    command
        ->add_option("--grace", s->grace_s, "Seconds from SIGTERM, or a signal passed on, until SIGKILL [default: 5]")
        ->check(within(0.0, 1e9))
        ->type_name("S");
    command->callback([s, command, &chosen, program = std::move(program)] {
        if (program.empty()) throw CLI::RequiredError("PROGRAM");
        require_hosts(*command, s->hosts);
        if (s->ranks == 0 && !s->hosts.given()) throw CLI::RequiredError("--ranks");
        if (!s->pretended.empty())
            static_cast<void>(pretended_hosts(s->pretended, s->ranks)); // or it is refused at once
        chosen = [s, program] { return run(*s, program); };
    });
}

void add_run_agent(CLI::App& app, action& chosen) {
    CLI::App* const command = app.add_subcommand("run-agent", "What tutti run --hosts starts on each host");
    command->group(""); // nobody types it
    command->callback([&chosen] { chosen = [] { return run_agent(); }; });
}

} // namespace tutti::tools
