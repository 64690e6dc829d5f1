// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "commands.hpp"
#include "common/choices.hpp"
#include "common/lists.hpp"
#include "common/progress.hpp"
#include "common/text_output.hpp"
#include "counterexample.hpp"
#include "pipeline.hpp"

#include <collectives/algorithm/prove.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto verify_description =
    "Prove that the schedules do what their operations promise, and print what they cost";

constexpr auto verify_footer =
    R"(A schedule is the list of steps of every rank, and one execution of it proves all, because channels are
ordered. For each operation, algorithm and number of ranks, out of place, in place and where ranks differ
in that, from each root (of more than 64 ranks from the first, a middle and the last one), whole and cut
into two segments, a hierarchical one with nodes of about the square root of the ranks, this proves that
  - every result is exactly what the operation promises, each contribution in it once;
  - nobody deadlocks, even if no send finishes before its receive has begun, or, where the receiver reduces
    many operands in one pass where they lie, before that is done;
  - both ends of each message name the same data, whatever the count;
  - all ranks hold the same expression for the same data, hence the same bits;
  - the messages connect all ranks, so that a failure reaches everybody;
  - the cost is what the algorithm says of itself.

Columns:
  ranks     how many, up to 2048; of a range, the costs are those of the largest
  proofs    schedules proven
  depth     the longest chain of messages that wait for each other
  rounds    steps of unit time when a rank sends one and receives one message at a time
  sent      data sent by the busiest rank, in units of n, the bytes of the whole operation
  received  likewise, received
  fan-in    the most ranks that send to one rank at the same depth
  order     'rank' if every result has its operands in rank order, as a non-commutative operator needs
  walk      'strict' if each rank can also walk its list strictly in order

With --pipeline it proves pipelines of training instead, for each number of stages, microbatches and, of an
interleaved one, chunks a worker. Columns of their table, all of the long run:
  bubble       the share of the time in which a worker is idle: a pipeline that is never emptied (PipeDream) pays its
               start and its end once, the others for each batch
  activations  microbatches whose activations worker 0 holds at once, each of a whole stage
  versions     of the weights that worker 0 keeps
  staleness    updates between the weights that a gradient was computed with and those that it is applied to
  weights      'one' if all stages use the same version for a microbatch

Examples:
  tutti verify --operation allreduce --algorithm ring --ranks 1024
  tutti verify --operation all --algorithm all --ranks 1..64
  tutti verify --algorithm mine --draw wrong.svg
  tutti verify --pipeline all --stages 1..16 --microbatches 1..16

Exit status:
  0  everything was proven
  1  a schedule is wrong: the first fault, with rank and step, is printed. Ranks that wait for each
     other in a circle are all named. --draw FILE shows the steps of all ranks, the broken one red
  2  the command line is wrong)";

struct verify_settings {
    std::string operation = "all";
    std::string algorithm = "all";
    std::string ranks = "1..16";
    std::string picture; ///< a file for the first fault
    pipeline_proofs pipelines;
};

/// What is wrong, and the program that shows it.
struct fault_found : std::runtime_error {
    fault_found(const algorithm::any& a, const algorithm::verdict& found)
        : std::runtime_error(found.message()), flaw(found.proof.fault),
          shown(a.write(found.what, found.size, found.root, flaw.in_place, found.segments)) {}

    schedule::finding flaw;
    schedule::program shown;
};

/// The fault, and of ranks that wait for each other all, not the first one alone.
std::string words_of(const fault_found& e) {
    if (e.flaw.what != schedule::flaw::deadlock || e.flaw.mixed) return e.what();
    const std::vector<waiting_step> circle = circle_of(e.shown);
    return circle.empty() ? std::string(e.what()) : fmt::format("{}\n  {}", e.what(), in_words(e.shown, circle));
}

/// One line of the table: what is true of all programs that were proven, and the cost at the most ranks.
struct line {
    std::vector<int> ranks;
    long proofs = 0;
    schedule::cost cost;
    int chunks = 1;
    bool keeps_order = true;
    bool strict = true;
};

/// Every root, where there are not too many ranks; else the first, a middle and the last one.
std::set<int> roots_of(schedule::operation what, int ranks) {
    constexpr int few = 64;
    std::set<int> roots{0};
    if (!schedule::has_root(what)) return roots;
    for (int root = 1; root < ranks && ranks <= few; ++root) roots.insert(root);
    roots.insert({ranks / 2, ranks - 1});
    return roots;
}

/// Throws at the first fault; keeps that of a cost, which counts only where nothing else is wrong.
void prove(const algorithm::any& a, operation what, int ranks, line& l, std::optional<fault_found>& of_cost) {
    for (const int root : roots_of(what, ranks))
        for (const int segments : {1, 2}) {
            const algorithm::verdict found = algorithm::prove_call(a, what, ranks, root, {.segments = segments});
            if (!found.proven && found.proof.fault.what != schedule::flaw::other_cost) throw fault_found(a, found);
            if (!found.proven && !of_cost) of_cost.emplace(a, found);
            l.proofs += 2; // in place and out of place
            l.keeps_order = l.keeps_order && found.proof.preserves_order;
            l.strict = l.strict && found.proof.in_order;
            if (segments == 1 && root == 0) l.cost = found.proof.measured;
        }
    l.chunks = a.chunks(what, ranks) / schedule::vectors_of(what, ranks);
    l.ranks.push_back(ranks);
}

void print_header() {
    fmt::print(
        "# Proven of each schedule: results exact, no deadlock without buffers, both ends of each message agree for\n"
        "# every count, the same bits on all ranks, all ranks connected, the cost as the algorithm states it.\n");
    fmt::print("# {:<14} {:<28} {:>10} {:>7} {:>6} {:>7} {:>9} {:>9} {:>7} {:>6} {:>7}\n", "operation", "algorithm",
               "ranks", "proofs", "depth", "rounds", "sent/n", "recv/n", "fan-in", "order", "walk");
}

/// 1..64, or 1,2,4,8 of an algorithm that is not for all between.
std::string in_words(const std::vector<int>& ranks) {
    const bool is_range = ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size());
    if (!is_range) return fmt::format("{}", fmt::join(ranks, ","));
    return ranks.size() == 1 ? std::to_string(ranks.back()) : fmt::format("{}..{}", ranks.front(), ranks.back());
}

void print(operation what, std::string_view name, const line& l) {
    const auto part = [&](long long chunks) { return static_cast<double>(chunks) / l.chunks; };
    fmt::print("  {:<14} {:<28} {:>10} {:>7} {:>6} {:>7} {:>9.3f} {:>9.3f} {:>7} {:>6} {:>7}\n",
               schedule::name_of(what), name, in_words(l.ranks), l.proofs, l.cost.depth, l.cost.rounds,
               part(l.cost.sent), part(l.cost.received), l.cost.fan_in, l.keeps_order ? "rank" : "-",
               l.strict ? "strict" : "-");
    std::fflush(stdout);
}

long prove_all(operation what, const sized_choice& c, progress_line& progress) {
    constexpr std::size_t few = 8;
    long proofs = 0;
    line all;
    std::optional<fault_found> of_cost;
    for (int size : c.ranks) {
        progress.show(fmt::format("{}({}) on {} ranks", schedule::name_of(what), c.name, size));
        line one;
        line& l = c.ranks.size() <= few ? one : all;
        prove(*at_size(c, size), what, size, l, of_cost);
        progress.clear();
        if (c.ranks.size() > few || of_cost) continue;
        print(what, c.name, one);
        proofs += one.proofs;
    }
    if (of_cost) throw *of_cost;
    if (c.ranks.size() <= few) return proofs;
    print(what, c.name, all);
    return all.proofs;
}

long prove_table(const verify_settings& s, progress_line& progress) {
    constexpr int most = 2048; // a ring of these takes some gigabytes
    const std::vector<int> ranks = parse_ranks(s.ranks);
    if (ranks.back() > most)
        throw std::invalid_argument(
            fmt::format("--ranks takes up to {}: a proof holds every step of every rank", most));
    const std::vector<operation> operations = operations_of(s.operation);
    std::vector<std::pair<operation, sized_choice>> wanted;
    for (operation what : operations)
        for (const sized_choice& c : choices(s.algorithm, what, ranks, operations.size() > 1))
            wanted.emplace_back(what, c);
    if (wanted.empty()) throw std::invalid_argument(s.algorithm + " has none of these operations");
    print_header();
    long proofs = 0;
    for (const auto& [what, c] : wanted) proofs += prove_all(what, c, progress);
    return proofs;
}

int verify(const verify_settings& s) {
    if (!s.pipelines.schedules.empty()) return prove_pipelines(s.pipelines);
    if (s.algorithm == "auto") throw std::invalid_argument("auto chooses among the proven ones; write all");
    require_writable(s.picture);
    const auto start = std::chrono::steady_clock::now();
    progress_line progress;
    try {
        const long proofs = prove_table(s, progress);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        fmt::print("# {} schedules proven in {:.1f} s\n", proofs, seconds);
        return 0;
    } catch (const fault_found& e) {
        progress.clear();
        std::fflush(stdout);
        fmt::print(stderr, "tutti verify: {}\n", words_of(e));
        if (!s.picture.empty()) write_whole(counterexample_svg(e.shown, e.flaw, "A counterexample"), s.picture);
        return 1;
    }
}

void add_pipelines(CLI::App& command, verify_settings& s) {
    pipeline_proofs& p = s.pipelines;
    CLI::Option* const name =
        command.add_option("--pipeline", p.schedules, "Pipelines instead, separated by commas, or all")
            ->type_name("NAME|all");
    for (const char* other : {"--operation", "--algorithm", "--ranks", "--draw"})
        name->excludes(command.get_option(other));
    command.add_option("--stages", p.stages, "Numbers of stages of pipelines [default: 1..8]")
        ->type_name("A..B")
        ->needs(name);
    command.add_option("--microbatches", p.microbatches, "Numbers of microbatches of pipelines [default: 1..8]")
        ->type_name("A..B")
        ->needs(name);
    command.add_option("--chunks", p.chunks, "Chunks a worker of an interleaved pipeline [default: 1..4]")
        ->type_name("A..B")
        ->needs(name);
}

} // namespace

void add_verify(CLI::App& app, action& chosen) {
    auto s = std::make_shared<verify_settings>();
    CLI::App* const command = app.add_subcommand("verify", verify_description);
    command->footer(verify_footer);
    command->add_option("--operation", s->operation, "Operations, separated by commas, or all [default: all]")
        ->type_name("NAME|all");
    command->add_option("--algorithm", s->algorithm, "Algorithms, separated by commas, or all [default: all]")
        ->type_name("NAME|all");
    command->add_option("--ranks", s->ranks, "Numbers of ranks: 8, 1..64 or 2,4,8 [default: 1..16]")->type_name("A..B");
    command->add_option("--draw", s->picture, "Where a schedule is wrong, draw its steps to FILE as SVG")
        ->type_name("FILE");
    add_pipelines(*command, *s);
    command->callback([s, &chosen] { chosen = [s] { return verify(*s); }; });
}

} // namespace tutti::tools
