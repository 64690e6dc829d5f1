// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../common/one_of.hpp"
#include "../common/quantities.hpp"
#include "../common/within.hpp"
#include "commands.hpp"
#include "settings.hpp"

#include <memory>
#include <stdexcept>

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
                                         A file that has the GPUs of a host prices what runs on them, see below
  --nics N --oversubscription X          with LogGP or a file: what ranks and nodes share on the way; simulated, too
Without any of them it is a cluster of 25 Gbit/s a rank: alpha 10us, beta 25Gbit/s, gamma 0.1ns/B. The output says so.

TIME is 10us, 1000ns, 1.5ms or 2s; RATE a time per byte, 0.1ns/B, or a bandwidth, 25Gbit/s or 10GB/s.
SIZE is a number of bytes, or of powers of 1024: 8, 4K, 1.5M, 1G. 4KB is 4K, 4096 bytes. Sizes are of the whole vector:
a rank's input to an allreduce, its output of an allgather. Calls are out of place; in place are those of an operation
that --measured has in place alone. Measurements of the other place are left out.

Each message is charged, whatever else is on its way in the same round. Charged once a round, as some textbooks do,
many small messages at once cost nothing: then a sharded parameter server seems to beat all others at every size. And
where nothing but alpha, beta and gamma counts, halving and doubling never loses to the ring on a power of two of ranks:
what the ring is better at there (neighbours, congestion) is not in these three.

GPUs: packets_kernel, one_shot_kernel and two_shots_kernel are those of kernels/, by closed forms. All other names are
schedules, as the device engine runs them: one step after the other, messages read where they lie. Their plans are
simulated; memories, links and uplinks are shared. Up to 8 ranks, each on a GPU of its own or, with --one-gpu, all on
one. A file that has transports as well is asked for its GPUs by --transport gpus.

Columns:
  depth, rounds    the longest chain of messages that wait for each other; steps of unit time when a rank sends
                   one and receives one message at a time, placed greedily in the order of the steps, so that trees in
                   segments have more than a run takes; - where an algorithm does not tell
  messages, total  of all ranks
  sent, received   bytes of the busiest sender, and receiver
  fan-in           the most ranks that send to one rank at the same depth
  closed form      microseconds by the formula, where one is known; ~ where it is an estimate; from 10 s on 1e+07
  simulated        microseconds until the last rank has finished
  measured         median microseconds of the slowest rank, of tutti bench --json. Beside it a double_binary_tree
                   is priced as it is measured, in the segments that the library takes by rule; else in the best
  times the best   by the simulated time with --simulate, else by the closed form; * marks the best. An estimate that
                   could win is simulated instead, up to 200,000 messages, or more where one rank can stand for all;
                   ~ marks the others
(auto) marks what a communicator with these parameters would choose, with its segments where these are others than the
row's. It prices calls in place, under LogGP by receivers full_duplex. It cuts a double_binary_tree into 16 segments at
most, and rows into 64, so that * may mark what it does not choose. Sizes at which the fastest changes have two digits.
What is the fastest only between two of the sizes listed may be missed: list more of them.

Examples:
  tutti model --ranks 16 --alpha 2us --beta 100Gbit/s --algorithm ring,halving_doubling --csv model.csv
  tutti model --ranks 2..64*2 --bytes 8..64M --simulate --html report.html
  tutti model --machine docs/machines/h100_nvswitch.json --bytes 1K..256M*4
  tutti model --lecture --html lecture.html      # its figures follow the numbers of ranks and bytes
  tutti model --lecture --algorithm ring,circulant --html two.html   # also one of your own, by its name

Exit status:
  0  all is priced
  1  a file could not be written, or the machine file is wrong
  2  the command line is wrong)";

void add_simulation(CLI::App& c, model_settings& s) {
    c.add_option("--receiver", s.how.receiver,
                 "What the simulator charges a receiver: serial, as LogGOPSim, or full_duplex, as network adapters do "
                 "[default: serial with LogGP, else full_duplex, as Hockney's model always is]")
        ->check(one_of({"serial", "full_duplex"}));
    c.add_option(
         "--straggling", s.how.straggling,
         "Each step of the simulation takes longer by chance, by this share of its time in the mean [default: 0]")
        ->check(within(0.0, 1e6))
        ->type_name("SHARE")
        ->needs("--simulate");
    c.add_option("--seed", s.how.seed, "Of that chance: the same seed, the same times [default: 1]")
        ->type_name("N")
        ->needs("--straggling");
    c.add_option("--ranks-per-node", s.how.ranks_per_node,
                 "Consecutive ranks that share a node [default: all; for hierarchical about the square root of P]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("G");
}

void add_segments(CLI::App& c, model_settings& s) {
    c.add_option("--segments", s.how.segments,
                 "Into how many pieces a double_binary_tree's halves, or a chain's data, are cut [default: the best "
                 "power of two]")
        ->check(CLI::Range(1, 1024))
        ->excludes("--measured")
        ->type_name("N");
}

void add_what(CLI::App& c, model_settings& s) {
    c.add_option("--ranks", s.ranks,
                 "Numbers of ranks: 8, 2,4,8, 2..16, or 2..1024*2, each twice the former [default: 8; a file's GPUs, "
                 "or 8 that share its one; 256 with --lecture, and 2..256*2 on its page]")
        ->type_name("LIST");
    c.add_option("--bytes", s.bytes,
                 "Sizes: 1M, 8,1K,1M, 8..1M, each twice the former, or 8..64M*16 [default: 8..64M*16]")
        ->type_name("LIST");
    c.add_option("--operation", s.operation, "Operations, separated by commas, or all [default: allreduce]")
        ->type_name("NAME");
    c.add_option("--algorithm", s.algorithm,
                 "Algorithms, separated by commas, auto for what the library would choose, or all with it [default: "
                 "all; with --lecture nine]")
        ->type_name("NAME");
}

void add_output(CLI::App& c, model_settings& s) {
    c.add_flag("--simulate", s.how.simulate, "Execute the steps of each schedule in the model, too");
    c.add_option("--measured", s.measured, "Put the times of tutti bench --json beside")->type_name("FILE");
    c.add_option("--csv", s.csv, "Also write the rows to FILE; with - print nothing else")->type_name("FILE");
    c.add_option("--json", s.json, "Also write the rows to FILE: an array, one object a row; with - print nothing else")
        ->type_name("FILE");
    c.add_option("--trace", s.trace,
                 "Also write what each rank does in the model as a Chrome trace, which opens in Perfetto; with - print "
                 "nothing else")
        ->type_name("FILE");
    c.add_option("--html", s.html,
                 "Also write the report as one page with charts, which opens offline; with - print nothing else")
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
    for (const char* const of_tables : {"--bytes", "--operation", "--csv", "--json", "--trace", "--measured"})
        lecture->excludes(c.get_option(of_tables));
}

int run_model(model_settings s) {
    s.of_lecture.algorithms = s.algorithm;
    if (s.algorithm.empty()) s.algorithm = "all";
    if (const auto gpus = gpus_of(s.machine)) return report_gpus(s, *gpus);
    if (s.one_gpu) throw std::invalid_argument("--one-gpu is for GPUs: give a --machine that has some");
    if (s.ranks.empty() && !s.lecture) s.ranks = "8";
    if (!s.lecture) return report_prices(s);
    if (!s.step.empty()) s.of_lecture.step_s = parse_time(s.step);
    if (s.of_lecture.step_s == 0) throw std::invalid_argument("a step takes some time: write --step 100ms");
    return report_lecture(s);
}

} // namespace

void add_model(CLI::App& app, action& chosen) {
    auto s = std::make_shared<model_settings>();
    CLI::App* const command = app.add_subcommand("model", model_description);
    command->footer(model_footer);
    add_what(*command, *s);
    add_machine(*command, s->machine);
    add_output(*command, *s);
    add_simulation(*command, *s);
    add_segments(*command, *s);
    command->add_flag("--one-gpu", s->one_gpu,
                      "Ranks share one GPU [default: each has its own, if the host has more than one]");
    add_lecture(*command, *s);
    command->callback([s, &chosen] { chosen = [s] { return run_model(*s); }; });
}

} // namespace tutti::tools
