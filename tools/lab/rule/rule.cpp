// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "rule.hpp"

#include "../../tutti/common/choices.hpp"
#include "../../tutti/common/lists.hpp"
#include "../../tutti/common/progress.hpp"
#include "../../tutti/common/quantities.hpp"
#include "../../tutti/common/sizes.hpp"
#include "../../tutti/common/text_output.hpp"
#include "../commands.hpp"

#include <collectives/model/machine_file.hpp>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto rule_description = "Say what the library's rule costs on machines whose parameters are known";

constexpr auto rule_footer =
    R"(Without a machine's parameters the library chooses by a rule. Here each call is priced on given machines: the rule's
choice, and the best of all candidates. Nothing runs. Calls are in place; prices are those of 'tutti explain', but more
is simulated, up to --messages, since no call waits for the answer. The others are estimated by closed forms.

Each line is an operation on a machine:
  mean   the geometric mean of the rule's time over the best
  worst  the largest of these, and where
  > 1.3  the share of calls that take more than 1.3 times the best

Examples:
  tutti rule --machine docs/machines/hdr_infiniband.json,docs/machines/tcp_ethernet.json
  tutti rule --machine machine.json --ranks 2..64*2 --bytes 8..64M*8 --operation allreduce --csv rule.csv
  tutti rule --machine machine.json --svg rule.svg

Exit status:
  0  all is judged
  1  a file could not be written, or a machine file is wrong
  2  the command line is wrong)";

struct rule_settings {
    std::string machines;
    std::string operations = "allreduce,allgather,reduce_scatter,broadcast,reduce,alltoall";
    std::string ranks = "2..4096*2,3..3072*2";
    std::string bytes = "8..512M*4,1G";
    std::string nodes = "1,8";
    std::size_t most_messages = std::size_t{1} << 15;
    std::string csv, svg;
};

/// The transports of all files, by the files' names.
std::vector<judge> judges_of(const std::string& files) {
    std::vector<judge> found;
    for (const std::string& path : split_list(files)) {
        const std::size_t slash = path.rfind('/'), from = slash == std::string::npos ? 0 : slash + 1;
        const std::string name = path.substr(from, path.rfind(".json") - from);
        const model::machine_file file = model::read_machine_file(path);
        if (file.transports.empty())
            throw std::invalid_argument(path +
                                        " has the GPUs of a host and no transport: only tutti model prices those");
        for (const auto& [transport, m] : file.transports)
            found.push_back({file.transports.size() > 1 ? name + " " + transport : name, m});
    }
    return found;
}

/// A line of the report.
struct summary {
    double mean = 1, over = 0;
    judged_call worst;
};
summary summary_of(const std::vector<judged_call>& some) {
    summary s{1, 0, some.front()};
    double logarithms = 0;
    for (const judged_call& v : some) {
        logarithms += std::log(v.times());
        s.over += v.times() > 1.3;
        if (v.times() > s.worst.times()) s.worst = v;
    }
    const double n = static_cast<double>(some.size());
    s.mean = std::exp(logarithms / n);
    s.over /= n;
    return s;
}

void print_line(const std::string& machine, const std::vector<judged_call>& some, int node) {
    const summary s = summary_of(some);
    fmt::print("{:<15} {:<16} {:<22} {:6.3f} {:7.2f} {:6.1f} %", name_of(s.worst.what), node_text(node), machine,
               s.mean, s.worst.times(), 100 * s.over);
    if (s.worst.times() > 1)
        fmt::print("   {} ranks, {}: {}; best {}", s.worst.ranks, bytes_text(static_cast<double>(s.worst.bytes)),
                   text_of(s.worst.taken), text_of(s.worst.best));
    fmt::print("\n");
    std::fflush(stdout);
}

std::string csv_of(const rule_question& q, const std::vector<judged_call>& all) {
    std::string text = "machine,ranks_per_node,operation,ranks,bytes,rule,rule_segments,rule_us,best,best_segments,"
                       "best_us,times\n";
    for (const judged_call& v : all)
        text += fmt::format("{},{},{},{},{},{},{},{:.6g},{},{},{:.6g},{:.6g}\n", q.judges[v.judge].name,
                            q.nodes[v.node], name_of(v.what), v.ranks, v.bytes, v.taken.how.name(), v.taken.segments,
                            1e6 * v.taken_s, v.best.how.name(), v.best.segments, 1e6 * v.best_s, v.times());
    return text;
}

/// All calls of the question; prints a line for each operation, node and machine, unless `quiet`.
std::vector<judged_call> judge_calls(const rule_question& q, bool quiet) {
    std::vector<judged_call> all;
    progress_line progress;
    const std::size_t lines = q.operations.size() * q.nodes.size() * q.judges.size();
    std::size_t done = 0;
    for (const operation what : q.operations)
        for (std::size_t node = 0; node < q.nodes.size(); ++node)
            for (std::size_t m = 0; m < q.judges.size(); ++m) {
                progress.show(done++, lines,
                              fmt::format("{}, {}, {}", name_of(what), node_text(q.nodes[node]), q.judges[m].name));
                const std::vector<judged_call> some = judge_rule(q, m, what, node);
                if (some.empty()) continue;
                progress.clear();
                if (!quiet) print_line(q.judges[m].name, some, q.nodes[node]);
                all.insert(all.end(), some.begin(), some.end());
            }
    return all;
}

int judge_all(const rule_settings& s) {
    const bool quiet = takes_standard_output({s.csv, s.svg}, "--csv and --svg");
    for (const std::string* file : {&s.csv, &s.svg}) require_writable(*file);
    const rule_question q{judges_of(s.machines), operations_of(s.operations), parse_ranks(s.nodes),
                          parse_ranks(s.ranks),  parse_sizes(s.bytes),        s.most_messages};
    if (!quiet)
        fmt::print("# {:<13} {:<16} {:<22} {:>6} {:>7} {:>8}   where\n", "operation", "nodes", "machine", "mean",
                   "worst", "> 1.3");
    const std::vector<judged_call> all = judge_calls(q, quiet);
    if (all.empty()) return 0;
    const summary whole = summary_of(all);
    if (!quiet)
        fmt::print("# all {} calls: mean {:.3f}, worst {:.2f}, more than 1.3 in {:.1f} %\n", all.size(), whole.mean,
                   whole.worst.times(), 100 * whole.over);
    if (!s.csv.empty()) write_whole(csv_of(q, all), s.csv);
    if (!s.svg.empty()) write_whole(picture_of(q, all), s.svg);
    return 0;
}

} // namespace

std::string text_of(const model::selection& s) {
    const std::string name(s.how.name());
    return s.segments == 1 ? name : fmt::format("{} in {} segments", name, s.segments);
}
std::string node_text(int ranks_per_node) {
    return fmt::format("{} rank{} a node", ranks_per_node, ranks_per_node == 1 ? "" : "s");
}

void add_rule(CLI::App& app, action& chosen) {
    auto s = std::make_shared<rule_settings>();
    CLI::App* const c = app.add_subcommand("rule", rule_description);
    c->footer(rule_footer);
    c->add_option("--machine", s->machines, "Machine files, separated by commas")->type_name("FILES")->required();
    c->add_option("--operation", s->operations, "Operations, separated by commas, or all [default: those of one call]")
        ->type_name("NAME");
    c->add_option("--ranks", s->ranks, "Numbers of ranks [default: 2..4096*2,3..3072*2]")->type_name("LIST");
    c->add_option("--bytes", s->bytes, "Sizes of the whole vector [default: 8..512M*4,1G]")->type_name("LIST");
    c->add_option("--ranks-per-node", s->nodes,
                  "Widths of nodes, which share an adapter as the machine says "
                  "[default: 1,8]")
        ->type_name("LIST");
    c->add_option("--messages", s->most_messages, "Calls of more messages are estimated [default: 32768]")
        ->type_name("N");
    c->add_option("--csv", s->csv, "Also write every call to FILE; with - print nothing else")->type_name("FILE");
    c->add_option("--svg", s->svg, "Also draw the worst of all machines to FILE, as a map; with - print nothing else")
        ->type_name("FILE");
    c->callback([s, &chosen] { chosen = [s] { return judge_all(*s); }; });
}

} // namespace tutti::tools
