// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "commands.hpp"
#include "common/choices.hpp"
#include "common/lists.hpp"
#include "common/sizes.hpp"
#include "model/priced_machine.hpp"

#include <collectives/choice/explain.hpp>
#include <collectives/model/candidates.hpp>
#include <collectives/model/decisions.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto explain_description = "Say which algorithm the library would choose, at what price, and why";

constexpr auto explain_footer =
    R"(With a machine (--machine, --loggp or --alpha, --beta, --gamma) every candidate is priced, as a communicator does that
is given this machine: simulated, with more than 32 ranks only where that takes no more than milliseconds, else
estimated by closed forms, which a ~ marks; and corrected by the residuals that tutti fit has written, where there are
any and all ranks are on one node. Without a machine the library's rule decides, by what is between the ranks:
--transport shared_memory or tcp; with --ranks-per-node between nodes, which memory does not reach.

Examples:
  tutti explain --ranks 8 --bytes 1M --loggp 2us,1us,0,0.1ns/B
  tutti explain --ranks 4 --bytes 8,4K,1M,64M --machine machine.json --transport shared_memory
  tutti explain --pretend-hosts 0,1,0,1,0,1 --operation alltoall --bytes 6K --loggp 8us,1us,1us,0.1ns/B
  tutti explain --operation broadcast --ranks 16 --bytes 64M --transport tcp

Exit status:
  0  explained
  1  the machine file is wrong
  2  the command line is wrong)";

struct explain_settings {
    std::string operation = "allreduce";
    std::string ranks = "8";
    std::string bytes = "1M";
    int ranks_per_node = 0;
    std::string hosts;
    machine_words machine;
};

/// Of the rule's choice it is the medium that counts.
transport::medium medium_of(std::string_view transport) {
    if (transport == "memory" || transport == "shared_memory") return transport::medium::memory;
    if (transport.empty() || transport == "tcp") return transport::medium::network;
    throw std::invalid_argument(
        fmt::format("there is no rule for '{}'; choose memory, shared_memory or tcp", transport));
}

model::topology topology_of(const explain_settings& s, int ranks) {
    constexpr auto near = transport::medium::memory, far = transport::medium::network;
    if (!s.hosts.empty()) return model::topology_of(parse_nodes(s.hosts), near, far);
    return {ranks, s.ranks_per_node > 0 ? std::min(s.ranks_per_node, ranks) : ranks, near, far};
}

model::chooser chooser_of(const explain_settings& s, int ranks) {
    model::topology on = topology_of(s, ranks);
    const int width = on.ranks_per_node;
    if (!says_anything(s.machine)) {
        on.far = medium_of(s.machine.transport);
        on.reads_in_place = s.machine.transport == "memory";
        if (width == ranks) on.near = on.far;
        if (width < ranks && on.far == transport::medium::memory)
            throw std::invalid_argument(fmt::format(
                "{} does not reach from node to node: leave out --ranks-per-node and --pretend-hosts, or write "
                "--transport tcp",
                s.machine.transport));
        return model::chooser(on);
    }
    return model::chooser(on, std::make_shared<const model::decisions>(on, simulated_machine(machine_of(s.machine))));
}

int explain_choices(const explain_settings& s) {
    if (says_anything(s.machine)) {
        const priced_machine by = machine_of(s.machine);
        fmt::print("# machine: {}\n# in place, {}, as a communicator prices its calls\n", by.description,
                   std::holds_alternative<model::hockney>(by.parameters)
                       ? "by ports that a message takes for all its time"
                       : "receivers full_duplex");
    }
    for (const operation what : operations_of(s.operation))
        for (const int ranks : s.hosts.empty() ? parse_ranks(s.ranks) : std::vector{0}) { // which --pretend-hosts tells
            const model::chooser by = chooser_of(s, ranks);
            if (by.model())
                for (const model::selection& one : model::candidates(what, by.topology()))
                    require_proven(one.how, what, by.topology().size);
            for (const std::size_t bytes : parse_sizes(s.bytes))
                fmt::print("{}\n", model::explain(by, what, bytes).text());
        }
    return 0;
}

} // namespace

void add_explain(CLI::App& app, action& chosen) {
    auto s = std::make_shared<explain_settings>();
    CLI::App* const c = app.add_subcommand("explain", explain_description);
    c->footer(explain_footer);
    c->add_option("--operation", s->operation, "Operations, separated by commas, or all [default: allreduce]")
        ->type_name("NAME");
    c->add_option("--ranks", s->ranks, "Numbers of ranks: 8, 2,4,8 or 2..16 [default: 8]")->type_name("LIST");
    c->add_option("--bytes", s->bytes, "Sizes of the whole vector: 1M, 8,1K,1M or 8..64M*16 [default: 1M]")
        ->type_name("LIST");
    c->add_option("--ranks-per-node", s->ranks_per_node, "Consecutive ranks that share a node [default: all]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("G");
    c->add_option("--pretend-hosts", s->hosts, "The node of each rank, as 0,1,0,1; instead of the numbers of ranks")
        ->type_name("LIST")
        ->excludes("--ranks")
        ->excludes("--ranks-per-node");
    add_machine(*c, s->machine);
    c->callback([s, &chosen] { chosen = [s] { return explain_choices(*s); }; });
}

} // namespace tutti::tools
