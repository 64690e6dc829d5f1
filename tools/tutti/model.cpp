// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "commands.hpp"
#include "contest.hpp"
#include "html_report.hpp"
#include "lecture.hpp"
#include "lists.hpp"
#include "measured.hpp"
#include "model_output.hpp"
#include "pricing.hpp"
#include "quantities.hpp"
#include "sizes.hpp"
#include "text_output.hpp"
#include "trace_file.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto model_description = "Price every schedule: what it sends, and how long it would take on a machine";

constexpr auto model_footer =
    R"(Nothing runs: the schedules are counted, priced by closed forms and, with --simulate, executed step by step
in a model of the machine. The machine is one of
  --alpha TIME --beta RATE --gamma RATE  Hockney: a message of m bytes takes alpha + m beta, reducing them m gamma
  --loggp L,o,g,G                        LogGP: a message takes L + 2o + (m - 1)G, and keeps its sender busy for
                                         max(o, g + (m - 1)G); --gamma for reductions, 0 without
  --machine FILE                         what was measured: LogGP by message size, within and between nodes, cores.
                                         A machine that has more than one LogGP has no closed form: it is simulated
Without any of them it is a cluster of 25 Gbit/s a rank: alpha 10us, beta 25Gbit/s, gamma 0.1ns/B. The output says so.

TIME is 10us, 1000ns, 1.5ms or 2s; RATE a time per byte, 0.1ns/B, or a bandwidth, 25Gbit/s or 10GB/s.
SIZE is a number of bytes, or of powers of 1024: 8, 4K, 1.5M, 1G. 4KB is 4K, 4096 bytes. Sizes are of the whole vector:
a rank's input to an allreduce, its output of an allgather. Calls are out of place; in place are those of an operation
that --measured has in place alone. Measurements of the other place are left out.

Each message is charged, whatever else is on its way in the same round. Charged once a round, as some textbooks do,
many small messages at once cost nothing: then a sharded parameter server seems to beat all others at every size. And
where nothing but alpha, beta and gamma counts, halving and doubling never loses to the ring: what the ring is better at
(neighbours, congestion, numbers of ranks that are no power of two) is not in these three.

Columns:
  depth, rounds    the longest chain of messages that wait for each other; steps of unit time when a rank sends
                   one and receives one message at a time
  messages, total  of all ranks
  sent, received   bytes of the busiest sender, and receiver
  fan-in           the most ranks that send to one rank at the same depth
  closed form      microseconds by the formula, where one is known; ~ where it is an estimate; from 10 s on 1e+07
  simulated        microseconds until the last rank has finished
  measured         median microseconds of the slowest rank, of tutti bench --json. Beside it a double_binary_tree
                   is priced as it is measured, in the segments that the library takes by rule; else in the best
  times the best   by the simulated time with --simulate, else by the closed form; * marks the best. An estimate that
                   could win is simulated instead, up to 200,000 messages; ~ marks the others

Examples:
  tutti model --ranks 2..1024*2 --bytes 8..64M*8
  tutti model --ranks 8 --bytes 8192 --loggp 1000ns,0,0,1ns/B --simulate
  tutti model --ranks 16 --alpha 2us --beta 100Gbit/s --algorithm ring,halving_doubling --csv model.csv
  tutti model --ranks 2..64*2 --bytes 8..64M --simulate --html report.html
  tutti model --lecture

Exit status:
  0  all is priced
  1  a file could not be written, or the machine file is wrong
  2  the command line is wrong)";

constexpr int most_traced_ranks = 64; // more tracks than anybody reads

struct model_settings {
    std::string ranks;
    std::string bytes = "8..64M*16";
    std::string operation = "allreduce";
    std::string algorithm = "all";
    machine_words machine;
    pricing_settings how;
    std::vector<std::string> measured;
    std::string csv, json, html, trace;
    bool lecture = false;
    lecture_settings of_lecture;
    std::string step;
};

void print_strangers(const std::vector<std::string>& strangers) {
    constexpr std::size_t shown = 4;
    if (strangers.empty()) return;
    fmt::print(
        "# measured, but no row here: {}{}\n",
        join(std::vector(strangers.begin(), strangers.begin() + static_cast<long>(std::min(strangers.size(), shown)))),
        strangers.size() > shown ? fmt::format(" and {} more", strangers.size() - shown) : "");
}

void print_nodes(const pricing& prices, int most_ranks) {
    if (!prices.nodes().empty()) fmt::print("# nodes: {}\n", prices.nodes());
    if (const std::string hint = prices.nodes_hint(most_ranks); !hint.empty()) fmt::print("# hint: {}\n", hint);
}

std::string place_text(const operation_names& in_place) {
    return fmt::format("priced in place, as it was measured: {}", join(in_place));
}

void print_head(const pricing& prices, int most_ranks, const operation_names& in_place) {
    fmt::print("# machine: {}\n", prices.by().description);
    print_nodes(prices, most_ranks);
    fmt::print("# each message is charged, also where many are sent in one round; fan-in costs what its bytes and\n"
               "# messages do, and more only where a measured machine says so\n");
    fmt::print("# simulated{}: {}\n", prices.simulates() ? "" : " where an estimate could win", prices.rule());
    fmt::print("# double_binary_tree: {}\n", prices.cutting());
    if (!in_place.empty()) fmt::print("# {}\n", place_text(in_place));
}

void print_notes(const pricing& prices) {
    for (const std::string& note : prices.notes()) fmt::print("# {}\n", note);
}

int most_ranks_of(const std::vector<contest>& contests) {
    return std::max_element(contests.begin(), contests.end(),
                            [](const contest& a, const contest& b) { return a.ranks < b.ranks; })
        ->ranks;
}

/// The machine as the page tells it, in one line.
std::string page_machine(const pricing& prices, int most_ranks) {
    std::string text = prices.by().description;
    if (!prices.nodes().empty()) text += "; nodes: " + prices.nodes();
    if (const std::string hint = prices.nodes_hint(most_ranks); !hint.empty()) text += "; " + hint;
    return text;
}

/// The contests whose timelines the page shows: of each operation the one on nearest as many ranks as can be looked at.
std::vector<contest> shown_as_timelines(const std::vector<contest>& contests) {
    const auto distance = [](const contest& c) { return std::abs(c.ranks - timeline_ranks); };
    std::vector<contest> shown;
    for (const contest& c : contests) {
        if (c.ranks < 2) continue;
        if (shown.empty() || shown.back().what != c.what)
            shown.push_back(c);
        else if (distance(c) < distance(shown.back()))
            shown.back() = c;
    }
    for (contest& c : shown) // the ring first, whose steps explain themselves
        std::stable_partition(c.algorithms.begin(), c.algorithms.end(),
                              [](const auto& name) { return name == "ring"; });
    return shown;
}

/// The page compares times of one kind: those of forms, and for estimates, as in the terminal, what was simulated.
void take_simulated_for_estimates(std::vector<model_row>& rows) {
    for (model_row& r : rows) {
        r.closed_form_us = predicted_us(r, false);
        r.simulated_us.reset();
    }
}

/// The page shows the middle size of each operation as it runs on few ranks.
std::string page_of(const std::vector<contest>& contests, const std::vector<std::size_t>& sizes, const pricing& prices,
                    model_report all) {
    if (!prices.simulates()) take_simulated_for_estimates(all.rows);
    for (const contest& c : shown_as_timelines(contests))
        for (model_timeline& t : timelines(c, sizes[sizes.size() / 2], prices)) all.timelines.push_back(std::move(t));
    return html_report(all);
}

/// Throws where something cannot be written: told at once, not when all has been priced.
void check_outputs(const model_settings& s, int most_ranks) {
    if (!s.trace.empty() && most_ranks > most_traced_ranks)
        throw std::invalid_argument(fmt::format("--trace shows {} ranks at most", most_traced_ranks));
    for (const std::string* file : {&s.trace, &s.html})
        if (*file == "-") throw std::invalid_argument("--trace and --html want a file: '-' is for --csv or --json");
    if (s.csv == "-" && s.json == "-") throw std::invalid_argument("--csv - or --json -: standard output takes one");
    for (const std::string* file : {&s.csv, &s.json, &s.trace, &s.html}) require_writable(*file);
}

/// Then nothing else may be printed there.
bool rows_to_standard_output(const model_settings& s) { return s.csv == "-" || s.json == "-"; }

/// Every row, as it is simulated.
void write_trace(const std::vector<contest>& contests, const std::vector<std::size_t>& sizes, const pricing& prices,
                 const std::string& path) {
    trace_file file(path);
    for (const contest& c : contests)
        for (const std::size_t bytes : sizes)
            for (model_timeline& t : timelines(c, bytes, prices, c.ranks))
                file.add(fmt::format("{} {} {} bytes", t.operation, t.algorithm, t.bytes), t.ranks,
                         std::move(t.activities));
    file.finish();
}

/// A table for each size, then who is the fastest between them, which is kept for the page. Prints neither if quiet.
void print_contests(const std::vector<contest>& contests, const std::vector<std::size_t>& sizes, pricing& prices,
                    model_report& all, bool quiet) {
    std::span<const model_row> rows = all.rows;
    for (const contest& c : contests) {
        const auto own = rows.first(sizes.size() * c.algorithms.size());
        if (!quiet) print(c, sizes, own, prices);
        std::fflush(stdout); // what follows may take a while
        if (std::optional<model_fastest> found = fastest(c, sizes, own, prices)) {
            if (!quiet) print_crossovers(*found);
            all.fastest.push_back(std::move(*found));
        }
        rows = rows.subspan(own.size());
    }
}

int report_prices(const model_settings& s) {
    if (!s.html.empty() && !have_html_report())
        throw std::invalid_argument("--html: this tutti was built without Chart.js, and so without HTML reports");
    const std::vector<contest> contests = contests_of(s.operation, s.algorithm, s.ranks);
    const std::vector<std::size_t> sizes = parse_sizes(s.bytes);
    const std::vector<measured_row> measured = read_measured(s.measured);
    check_outputs(s, most_ranks_of(contests));
    const operation_names in_place = measured_in_place(measured);
    pricing_settings how = s.how;
    if (!measured.empty()) how.segments_by = cut::by_rule; // what was measured is what is priced
    how.in_place = in_place;
    pricing prices(machine_of(s.machine), how);
    const bool quiet = rows_to_standard_output(s);
    if (!quiet) print_head(prices, most_ranks_of(contests), in_place);
    model_report all{page_machine(prices, most_ranks_of(contests)), {}, {}, {}};
    if (!in_place.empty()) all.machine += "; " + place_text(in_place);
    for (const contest& c : contests) price(c, sizes, prices, all.rows);
    const std::vector<std::string> strangers = join_measured(measured, in_place, all);
    print_contests(contests, sizes, prices, all, quiet);
    if (!quiet) print_strangers(strangers);
    if (!quiet) print_notes(prices);
    if (!s.csv.empty()) write_whole(to_csv(all.rows), s.csv);
    if (!s.json.empty()) write_whole(to_json(all.rows), s.json);
    if (!s.trace.empty()) write_trace(contests, sizes, prices, s.trace);
    if (!s.html.empty()) write_whole(page_of(contests, sizes, prices, all), s.html);
    return 0;
}

void add_simulation(CLI::App& c, model_settings& s) {
    c.add_option("--receiver", s.how.receiver,
                 "What the simulator charges a receiver: serial, as LogGOPSim, or full_duplex, as network adapters do "
                 "[default: serial with LogGP, else full_duplex, as Hockney's model always is]")
        ->check(CLI::IsMember({"serial", "full_duplex"}));
    c.add_option("--ranks-per-node", s.how.ranks_per_node,
                 "Consecutive ranks that share a node [default: all; for hierarchical about the square root of P]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("G");
}

void add_segments(CLI::App& c, model_settings& s) {
    c.add_option("--segments", s.how.segments,
                 "Into how many pieces a double_binary_tree's halves are cut [default: the best power of two]")
        ->check(CLI::Range(1, 1024))
        ->excludes("--measured")
        ->type_name("N");
}

void add_what(CLI::App& c, model_settings& s) {
    c.add_option(
         "--ranks", s.ranks,
         "Numbers of ranks: 8, 2,4,8, 2..16, or 2..1024*2, each twice the former [default: 8; 256 with --lecture]")
        ->type_name("LIST");
    c.add_option("--bytes", s.bytes,
                 "Sizes: 1M, 8,1K,1M, 8..1M, each twice the former, or 8..64M*16 [default: 8..64M*16]")
        ->type_name("LIST");
    c.add_option("--operation", s.operation, "Operations, separated by commas, or all [default: allreduce]")
        ->type_name("NAME");
    c.add_option("--algorithm", s.algorithm, "Algorithms, separated by commas, or all [default: all]")
        ->type_name("NAME");
}

void add_output(CLI::App& c, model_settings& s) {
    c.add_flag("--simulate", s.how.simulate, "Execute the steps of each schedule in the model, too");
    c.add_option("--measured", s.measured, "Put the times of tutti bench --json beside")->type_name("FILE");
    c.add_option("--csv", s.csv, "Also write the rows to FILE; with - print nothing else")->type_name("FILE");
    c.add_option("--json", s.json, "Also write the rows to FILE: an array, one object a row; with - print nothing else")
        ->type_name("FILE");
    c.add_option("--trace", s.trace,
                 "Also write what each rank does in the model as a Chrome trace, which opens in Perfetto")
        ->type_name("FILE");
    c.add_option("--html", s.html, "Also write the report as one page with charts, which opens offline")
        ->type_name("FILE");
}

void add_lecture(CLI::App& c, model_settings& s) {
    auto* const lecture =
        c.add_flag("--lecture", s.lecture, "Compare the ways to sum gradients, with the reasons [default: ResNet-50]");
    c.add_option("--parameters", s.of_lecture.parameters, "Of the network, 4 bytes each [default: 25557032]")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 50))
        ->type_name("N")
        ->needs(lecture);
    c.add_option("--step", s.step, "Time of a training step [default: a third of a second]")
        ->type_name("TIME")
        ->needs(lecture);
    for (const char* const of_tables : {"--bytes", "--operation", "--algorithm"}) // a lecture has its own
        lecture->excludes(c.get_option(of_tables));
}

int run_model(model_settings s) {
    if (s.ranks.empty()) s.ranks = s.lecture ? "256" : "8";
    if (!s.lecture) return report_prices(s);
    if (!(s.csv.empty() && s.json.empty() && s.html.empty() && s.trace.empty() && s.measured.empty()))
        throw std::invalid_argument("--lecture is to be read: it takes no measurements, and writes no file");
    if (!s.step.empty()) s.of_lecture.step_s = parse_time(s.step);
    if (s.of_lecture.step_s == 0) throw std::invalid_argument("a step takes some time: write --step 100ms");
    s.how.simulate = true; // quick with so few calls, and right for all of them, where a form may be an estimate
    pricing prices(machine_of(s.machine), s.how);
    const std::vector<int> all_ranks = parse_ranks(s.ranks, most_priced_ranks);
    print_nodes(prices, all_ranks.back());
    for (const int ranks : all_ranks) lecture(ranks, s.of_lecture, prices);
    print_notes(prices);
    return 0;
}

} // namespace

void add_model(CLI::App& app, action& chosen) {
    auto s = std::make_shared<model_settings>();
    CLI::App* const command = app.add_subcommand("model", model_description);
    command->footer(model_footer);
    add_what(*command, *s);
    add_machine(*command, s->machine);
    add_simulation(*command, *s);
    add_output(*command, *s);
    add_segments(*command, *s);
    add_lecture(*command, *s);
    command->callback([s, &chosen] { chosen = [s] { return run_model(*s); }; });
}

} // namespace tutti::tools
