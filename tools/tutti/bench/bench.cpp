// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench.hpp"
#include "../common/meeting.hpp"
#include "../common/parsed_option.hpp"
#include "../common/text_output.hpp"
#include "../run/launched.hpp"
#include "../run/local_ranks.hpp"
#include "commands.hpp"

#include <collectives/model/machine_file.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto bench_description = "Measure the collectives, with one call a row checked in every element";

constexpr auto bench_footer =
    R"(Without a launcher, P ranks are started here: processes, or threads over memory. Under a launcher
(tutti run, mpirun, mpiexec, srun, torchrun --no_python) each process is one rank. 'tutti env' says
which one is found.

A row is one call with one size, out of place or in place. First it is called --check times (1 by default)
and every element of these results is compared, exactly; these calls are not measured, and the results of
all others are not looked at. Then it is called to warm up, and then measured:
  barrier  all ranks leave a barrier in shared memory, which belongs to no contestant, and then call.
           The time of an iteration is that of its slowest rank. Inputs are written anew before each call.
  loop     calls follow each other without barriers, as in nccl-tests; bandwidths go by the mean.
Ranks that another launcher started meet in the library's own barrier instead.

Messages between two ranks have rows as well, out of place and without an algorithm:
  pingpong  a message to the neighbour and one back; half of the time is the latency
  sendrecv  each rank sends to the next one and receives from the one before
  stream    64 messages to the neighbour, then a byte back; algbw counts all of them

Columns:
  bytes, count    data of the whole operation; elements (of one rank's part where ranks have parts)
  place           out: from input to output; in: in place
  predicted       microseconds, by the parameters that --machine gives; - without, and with --symmetric
  p50 p99 min max microseconds of the slowest rank of each iteration; no p99 from under 100 of them
  skew            median microseconds between the first and the last rank that left the barrier
  algbw           bytes over time, in 10^9 bytes a second; the time is the p50, of a loop the mean
  busbw           algbw times 2(P-1)/P for allreduce, (P-1)/P for reduce_scatter, allgather,
                  gather, scatter and alltoall, 1 otherwise
  cpu             microseconds of processor time for one operation, over all ranks. Not of the calls that
                  were timed: of a loop of calls without barriers after them, a quarter as many; with
                  --timing loop, of the timed loop itself
  wrong           wrong elements, over all ranks and --check calls; - if none were checked

With --trace each row is called once more after it was measured, so that recording it is in no time above.
FILE is Chrome trace JSON, written when all rows are done: when each step of each rank began and ended, an
arrow for each message, rows one after the other without the time in between. Ranks of one host share a
clock; on others started elsewhere, times count from leaving a barrier, and are no more exact than that.

SIZE is a number of bytes, or of powers of 1024: 8, 4K, 1.5M, 1G. 4KB is 4K, 4096 bytes. Data
never gets smaller than one element (one a rank where ranks have parts), unless SIZE is 0.

Examples:
  tutti bench --transport tcp --ranks 4 --algorithm all -b 8 -e 16M
  tutti bench --transport shared_memory --ranks 2 --algorithm auto
  tutti run -n 4 --pretend-hosts 2 -- tutti bench --transport routed
  tutti bench --transport memory --ranks 2 --operation all -d float64 -b 1M -e 1M --seconds 2
  tutti bench --ranks 2 -d all -o all -b 4K -e 4K --json types.json
  tutti run -n 4 -- tutti bench -b 1K -e 1M
  mpirun -n 4 tutti bench -b 1K -e 1M
  tutti bench --operation pingpong,stream --transport shared_memory --ranks 2 -b 8 -e 4M --timing loop
  tutti bench --transport shared_memory --ranks 4 -b 64K -e 64K --trace trace.json

Exit status:
  0  nothing that was checked was wrong
  1  an element was wrong, a call failed, or a file could not be written
  2  the command line is wrong)";

constexpr auto room_variable = "TUTTI_BENCH_ROOM"; // where a parent tells its ranks the descriptor of their room

int start_ranks(const bench_settings& s, const std::vector<std::string>& command) {
    const descriptor file = shared_room::make_file(s.ranks);
    const auto room = shared_room::open(s.ranks, file.get());
    launch_options options = local_ranks(command, s.ranks);
    // Also before they have met, nobody waits for a lost rank beyond the deadline; but starting takes its time, however
    // short a call may be, and the library knows no wait longer than a day.
    const auto meet_s = static_cast<long long>(std::clamp(std::ceil(s.deadline_s), 2.0, 86'400.0));
    options.environment = {{room_variable, std::to_string(file.get())},
                           {"TUTTI_BOOTSTRAP_TIMEOUT", std::to_string(meet_s)}};
    options.inherited = {file.get()};
    // The others are to find out by themselves, and say so: that takes a deadline at most.
    options.patience = std::chrono::seconds{meet_s + 2};
    options.grace = std::chrono::seconds{1}; // what is left then is stopped, or beyond help
    options.on_failure = [room](int rank) { room->lose(rank); };
    return report_launch("bench", launch(options));
}

void read_machine(bench_settings& s) {
    if (s.machine_file.empty()) return;
    const model::machine_file known = model::read_machine_file(s.machine_file);
    const auto found = known.transports.find(s.transport);
    if (found == known.transports.end())
        throw std::invalid_argument(fmt::format("{} holds no parameters of {}", s.machine_file, s.transport));
    s.machine = found->second;
}

int bench(bench_settings s, const std::vector<std::string>& command) {
    read_machine(s);
    if (s.transport == "memory") require_no_launcher("the ranks of --transport memory are threads of one process");
    if (s.transport == "memory" || !launched_place()) {
        if (s.ranks == 0) s.ranks = 4;
        check(s, s.ranks);
        for (const std::string* file : {&s.json, &s.trace}) require_writable(*file); // before any rank waits for others
        return s.transport == "memory" ? bench_in_memory(s) : start_ranks(s, command);
    }
    const char* const given = std::getenv(room_variable);
    const int room = given ? std::atoi(given) : -1;
    const auto over = s.transport == "tcp"            ? bench_over_tcp
                      : s.transport == "routed"       ? bench_over_both
                      : s.transport == "verbs"        ? bench_over_verbs
                      : s.transport == "routed_verbs" ? bench_over_all
                                                      : bench_over_shared_memory;
    if (s.encrypt) ::setenv("TUTTI_ENCRYPT", "1", 1);
    return as_rank([&] { return over(s, room); });
}

void add_sizes(CLI::App& c, bench_settings& s) {
    auto* const smallest = add_size(c, "-b,--min-bytes", s.bytes.smallest, "Smallest size [default: 8]");
    auto* const largest = add_size(c, "-e,--max-bytes", s.bytes.largest, "Largest size [default: 16M]");
    auto* const factor = c.add_option("-f,--factor", s.bytes.factor, "Each size is F times the former [default: 2]")
                             ->check(CLI::Range(2, 1 << 20))
                             ->type_name("F");
    auto* const step = add_size(c, "-i,--step-bytes", s.bytes.step, "Each size is the former and STEP bytes more");
    step->excludes(factor);
    const auto parse = [&s](const std::string& word) { s.listed_bytes = parse_sizes(word); };
    auto* const list = add_parsed(c, "--bytes", parse, "These sizes instead: 8,4K,1M or 8..64M*8 or both", "LIST");
    for (CLI::Option* const sweep : {smallest, largest, factor, step}) list->excludes(sweep);
}

void add_what(CLI::App& c, bench_settings& s) {
    c.add_option("--transport", s.transport,
                 "What carries the messages; verbs: RDMA; routed: shared memory within a host, tcp between hosts; "
                 "routed_verbs: verbs between those that have devices [default: tcp]")
        ->check(CLI::IsMember({"memory", "shared_memory", "tcp", "routed", "verbs", "routed_verbs"}));
    c.add_option("--ranks", s.ranks, "How many ranks to start [default: 4]")
        ->check(CLI::Range(1, 4096))
        ->type_name("P");
    c.add_option("--operation", s.operation,
                 "Operations, separated by commas, or all; also pingpong, sendrecv, stream [default: allreduce]")
        ->type_name("NAME");
    c.add_option("--algorithm", s.algorithm,
                 "Algorithms, separated by commas; all: each that has the operation; auto: the library's choice "
                 "[default: auto]")
        ->type_name("NAME");
    add_sizes(c, s);
    c.add_option("-d,--type", s.type,
                 "int8 to uint64, float16 to float64, bfloat16, float8_e4m3, float8_e5m2, separated by commas, or all "
                 "[default: float32]")
        ->type_name("TYPE");
    c.add_option("-o,--op", s.op,
                 "sum, product, minimum, maximum, average, bitwise_ and logical_ and, or, xor, premultiplied_sum, "
                 "separated by commas, or all that are legal [default: sum]")
        ->type_name("OP");
    c.add_option_function<std::string>(
         "--place", [&s](const std::string& word) { s.where = word == "in" ? place::in : place::out; },
         "Only in place, or only out of place; a broadcast is in place [default: both]")
        ->check(CLI::IsMember({"in", "out"}));
    c.add_option("-r,--root", s.root, "Root of reduce and broadcast [default: 0]")
        ->check(CLI::Range(0, 4095))
        ->type_name("RANK");
}

void add_how(CLI::App& c, bench_settings& s) {
    auto* const iterations = c.add_option("-n,--iterations", s.iterations, "Measured calls a row [default: 20]")
                                 ->check(CLI::Range(1, 100'000'000))
                                 ->type_name("N");
    c.add_option("--seconds", s.seconds, "As many calls a row as fit into S seconds, at least one")
        ->check(CLI::Range(0.001, 1e6))
        ->type_name("S")
        ->excludes(iterations);
    c.add_option("-w,--warm-up", s.warm_up, "Calls a row before measuring [default: 5]")->type_name("N");
    c.add_option("-c,--check", s.checks, "Calls a row whose results are checked; 0: none [default: 1]")->type_name("N");
    c.add_option_function<std::string>(
         "--timing", [&s](const std::string& word) { s.how = word == "loop" ? timing::loop : timing::barrier; },
         "How calls are timed, see below [default: barrier]")
        ->check(CLI::IsMember({"barrier", "loop"}));
    c.add_flag("--cold", s.cold, "Sweep the caches before each call; with --timing barrier");
    add_size(c, "--lend-bytes", s.lend_bytes,
             "Over shared memory, receivers read messages from this size on by process_vm_readv [default: never]");
    c.add_option("--lanes", s.lanes, "Over tcp, sockets to each peer, which share long messages [default: 1]")
        ->check(CLI::Range(1, 16))
        ->type_name("N");
    c.add_flag("--encrypt", s.encrypt, "Over tcp, encrypt and authenticate the data: TUTTI_ENCRYPT=1");
    c.add_flag("--symmetric", s.symmetric, "Buffers from communicator.allocate: peers of one host read them in place");
    c.add_option("--deadline", s.deadline_s, "Seconds that a call may take before it fails [default: 30]")
        ->check(CLI::Range(0.001, 1e6))
        ->type_name("S");
    c.add_option("--machine", s.machine_file,
                 "Parameters of the machine, as tutti fit writes them: each row is predicted, and auto goes by them")
        ->type_name("FILE");
    c.add_option("--json", s.json, "Also write the rows to FILE: an array, one object a row")->type_name("FILE");
    c.add_option(
         "--trace", s.trace,
         "Also record one further call of each row, on all ranks, and write FILE for ui.perfetto.dev, see below")
        ->type_name("FILE");
}

} // namespace

void add_bench(CLI::App& app, action& chosen, std::vector<std::string> command_line) {
    auto s = std::make_shared<bench_settings>();
    CLI::App* const command = app.add_subcommand("bench", bench_description);
    command->footer(bench_footer);
    add_what(*command, *s);
    add_how(*command, *s);
    command->callback([s, &chosen, command_line = std::move(command_line)] {
        chosen = [s, command_line] { return bench(*s, command_line); };
    });
}

} // namespace tutti::tools
