// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench.hpp"
#include "../common/one_of.hpp"
#include "../common/parsed_option.hpp"
#include "../common/quantities.hpp"
#include "../common/sections_page.hpp"
#include "../common/text_output.hpp"
#include "../common/within.hpp"
#include "../run/launched.hpp"
#include "commands.hpp"
#include "contestant.hpp"
#include "foreign_flags.hpp"
#include "launches.hpp"
#include "ratios.hpp"

#include <collectives/model/machine_file.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto bench_description = "Measure the collectives, with one call a row checked in every element";

constexpr auto bench_footer =
    R"(Without a launcher, P ranks are started here: processes, or threads over memory. Under a launcher
(tutti run, mpirun, mpiexec, srun, torchrun --no_python) each process is one rank, also where there is one process
alone. 'tutti env' says which one is found.

A row is one call with one size, out of place or in place. First it is called --check times (1 by default)
and every element of these results is compared, exactly. These calls are not measured, and the results of
all others are not looked at. Then it is called to warm up, and then measured:
  barrier  all ranks leave a barrier in shared memory, which belongs to no contestant, and then call.
           The time of an iteration is that of its slowest rank. Inputs are written anew before each call.
  loop     calls follow each other without barriers, as in nccl-tests; bandwidths and comparisons go by avg.
  stream   the same in the order of a GPU's stream, timed by its events: of allreduce over cuda_ipc, on data of
           stream_communicator::allocate. The host puts calls into the stream, and waits only where docs/gpu.md
           says so.
The heading says on which processors ranks may run. A host is crowded where its ranks cannot have one each: then a
rank that waits lets others run. Ranks that another launcher started meet in the library's own barrier instead.

Besides the operations there are rows of a barrier, by the library's choice, and of messages between two
or more ranks, out of place and without an algorithm. 'messages' stands for all of them. In brackets: what OSU calls so.
  pingpong       a message to the neighbour and one back; times are half of that, of one message, and so is the
                 bandwidth (osu_latency, IMB PingPong)
  sendrecv       each rank sends to the next one and receives from the one before; algbw counts what it sends,
                 as nccl-tests has it (IMB Sendrecv counts both: twice that)
  stream         64 messages to the neighbour, then a byte back (osu_bw)
  bistream       64 messages each way between neighbours at once (osu_bibw)
  multi_latency  pingpong of ranks of the lower half with those of the upper half (osu_multi_lat)
  message_rate   stream from ranks of the lower half to those of the upper half (osu_mbw_mr)
  halo           ranks are a periodic grid, as square as can be. Each has a square, whose edges of
                 --bytes (32 KiB at most) it exchanges with those around it, rows as they lie and columns by
                 strides; then all take the maximum of a double. The time is of both; rate and algbw count one
                 edge, and the rows that come from above are checked. On 2 or 3 ranks there are no columns
'matrix' is a pingpong of each two ranks, one pair after the other: the last lines say who is slow with whom. Of
sendrecv and halo all ranks are at it at once; otherwise all pairs of ranks, or the first --pairs of them. algbw and rate are
those of one pair, and of message_rate those of all pairs. Where messages are answered, all but sendrecv, bistream and halo,
times are of the ranks that begin, as OSU has them: the other one of a pair may come late to what it waits for.

Also allgatherv, alltoallv, gatherv, reduce_scatterv and scatterv are measured: operations on parts whose lengths
are given. They are all equal, or with --uneven S they grow evenly with the rank, from 1 - S times the mean to
1 + S times it. Of alltoallv each rank sends and receives blocks of all these lengths; it has no place in.
Gatherv, scatterv and alltoallv have one algorithm each.

Columns, some of which are there only if they have something to say:
  bytes, count    data of the whole operation; elements (of one rank's part where ranks have parts)
  root, pairs     of operations that have a root; of messages in pairs: how many are at it at once
  uneven          --uneven, of operations on parts of given lengths
  place           out: from input to output; in: in place
  predicted       microseconds, by the parameters that --machine gives; - without, with --memory symmetric, and of
                  messages and parts of given lengths
  between         of a matrix: the two ranks
  avg             microseconds, the mean of all iterations on all ranks that take part, as OSU and IMB have it
  interval        microseconds: what holds the p50 with 99.9 % if iterations are independent
  rank_min, rank_max, slowest  the least and the greatest of the ranks' own averages, as OSU's -f has them; whose
                  the greatest is
  p50 p99 min max microseconds of the slowest rank of each iteration; no p99 from under 100 of them; ~ marks a
                  p50 from one or two
  behind          with --imbalance: microseconds of a call in step behind the late one, the p50 of means
  skew            median microseconds between the first and the last rank that left the barrier; much of it where
                  ranks that are bound to no processor were put on the same one, as in short runs
  rate            of messages: millions of messages a second
  algbw           bytes over time, in 10^9 bytes a second; the time is the p50, of a loop avg
  busbw           algbw times 2(P-1)/P for allreduce, (P-1)/P for reduce_scatter, allgather,
                  gather, scatter and alltoall, also of parts of given lengths, as if these were equal; 1 otherwise
  alone, compute, with --overlap: the p50 of the call alone, of the computation alone, and of both at once; how
  both, overlap   much of the shorter one is hidden, in per cent: (alone + compute - both) / min(alone, compute),
                  from 0 to 100; - where these times do not belong together, as when ranks wait for a core: one alone
                  is above 1.5 times the other one, or both below 0.9 times the longer or above 1.5 times their sum
  other           cores of rank 0's host that other work used, as tutti fit measures it; - where too little time
                  has passed
  cpu             microseconds of processor time for one operation, over all ranks. Not of the calls that
                  were timed: of a loop of calls without barriers after them, a quarter as many; with
                  --timing loop, of the timed loop itself
  wrong           wrong elements, over all ranks and --check calls; - if none were checked. Of a barrier: ranks
                  that left before the last one came
  algorithm       auto:ring is the library's choice, which was ring

With --imbalance ranks are out of step. All leave a barrier; the last rank computes for so long, and the others
call at once. p50 and the other times are then of that rank's own call, so what the others wait is not in them. cpu
is of all ranks from when each called, and so shows what waiting costs. --behind calls follow without a barrier:
behind is their mean, of the slowest rank. Each row has one imbalance. Draws are the same in every run.

With --overlap the calls are non-blocking. A rank starts one, computes for about as long as such a call takes alone, and
waits for it. Each row takes three times as long, and up to twelve where other work makes the times drift: then they are
measured again. Alone, compute and both are of the last time, and all else of the first. Without --progress by_waiters
and without --tests a call makes progress only where it starts and where it is waited for, as its documentation says.

Over cuda_ipc the buffers are in the memory of GPUs, which ranks take in turn, and from communicator.allocate.
The host starts copies and reductions, and a call is over when it returns: so times are the host's, as
elsewhere. With --timing stream calls go as docs/gpu.md says, and times are the GPU's. Reductions are of
float16, bfloat16, float32, float64, int32 and int64, by sum, product, minimum, maximum, or average. Messages between
two ranks take no such data. A command has this transport if it was built with nvcc and -Dcuda=enabled.

Where this command starts the ranks, each of the --rounds is a launch of its own, so that what differs from launch to
launch is seen: processes, memory, cores. Other launchers' ranks measure all rounds in one: launch them several times,
each time with another --json FILE, and compare these by --against and --now, which measures nothing.

With --against FILE, which an earlier run wrote by --json, each row is compared with its time then: the p50, of a loop
avg, median over rounds. slower is what takes longer by more than --tolerance, beyond the intervals of both runs,
which go by the order of their rounds: 5 launches at least, then and now. The more rows there are, the wider their
intervals, as far as the rounds suffice: 5 % of comparisons raise a false alarm at most with 7 rounds and up to 170
rows. The last line tells how many do here. Several files are rounds of one.
With --against-program the other tutti is launched in turn with this one, so that both sides meet the same hours of a
machine. Runs on other processors, GPUs, cores, placements, transports or settings are refused. A row beside which
other work used more of the ranks' cores than --other-work allows is not judged, and a warning says so. The names of
other libraries' operations, types and operators will do: all_reduce, bcast, float, half, max, MPI_SUM.

FILE may also be what OSU's benchmarks, IMB-MPI1 or nccl-tests (all_reduce_perf.txt) printed. Then each row has a
ratio: our avg over their mean. Nothing is known of their machine, so that nothing is refused. Sizes are made those of
the whole operation: OSU and IMB count one rank's part of allgather, gather, scatter and alltoall. With --contestant
another library on this host is launched in turn with this one, and timed by the same code: Open MPI, MPICH, or Gloo
over tcp. The command compiles what makes its calls (mpicc, or a C++ compiler), and starts it by mpiexec, or by itself.
Its algorithm is its own choice. Calls that it has not, or that this command does not make of it, are left out and told.
Rows of --json and --csv say of which "library" they are. Status 4 and 5 are for a given --tolerance.

With --trace each row of a collective operation is called once more after it was measured, in the first launch, so that
recording it is in no time above. FILE is Chrome trace JSON, written when all rows are done: when each step of each rank
began and ended, an arrow for each message, rows one after the other without the time in between. Ranks of one host
share a clock; on others started elsewhere, times count from leaving a barrier, and are no more exact than that.

SIZE is a number of bytes, or of powers of 1024: 8, 4K, 1.5M, 1G. 4KB is 4K, 4096 bytes. Data
never gets smaller than one element (one a rank where ranks have parts), unless SIZE is 0.

Examples:
  tutti bench --transport tcp --ranks 4 --algorithm all -b 8 -e 16M
  tutti bench --ranks 8 --operation matrix --bytes 8,1M --precision 2%
  tutti bench --rounds 7 --json before.json   # and after the change:
  tutti bench --rounds 7 --against before.json --json after.json
  tutti bench --contestant openmpi,mpich --ranks 2 --bytes 8,64K,1M
  tutti bench --operation pingpong --ranks 2 -b 8 -e 4M --timing loop --against osu_latency.txt
  mpirun -n 4 tutti bench --json after1.json  # likewise after2.json and more, and all before; then:
  tutti bench --against before1.json,before2.json --now after1.json,after2.json

Exit status:
  0  nothing that was checked was wrong
  1  an element was wrong, a call failed, the machine file is wrong, or a file could not be written
  2  the command line is wrong, or --against names what cannot be compared
  4  nothing was wrong, but a row is slower than what it is compared with, by more than --tolerance
  5  nothing was wrong nor slower, but a row was missing on one side, or not judged)";

void read_machine(bench_settings& s) {
    if (s.machine_file.empty()) return;
    const model::machine_file known = model::read_machine_file(s.machine_file);
    const auto found = known.transports.find(s.transport);
    if (found == known.transports.end())
        throw std::invalid_argument(fmt::format("{} holds no parameters of {}", s.machine_file, s.transport));
    s.machine = found->second;
}

/// Shared memory between ranks of one host, which are those that are started here; TCP where an option is of TCP alone.
std::string default_transport(const bench_settings& s, bool by_launcher) {
    if (by_launcher) return "routed";
    return s.encrypt || s.lanes > 1 ? "tcp" : "shared_memory";
}

int bench(bench_settings s, const std::vector<std::string>& command) {
    std::signal(SIGPIPE, SIG_IGN); // who reads a table to its tenth line ends it without a word
    if (const char* const told = std::getenv(contestant_variable))
        return as_rank([&] { return bench_as_contestant(s, told); });
    if (!s.now.empty()) return compare_files(s);
    const auto by_bench = launch_of_bench();
    s.transport_is_default = s.transport.empty();
    if (s.transport_is_default) s.transport = default_transport(s, !by_bench && is_launched_rank(s.ranks));
    read_machine(s);
    if (by_bench) {
        s.launch = *by_bench;
        if (s.ranks == 0) s.ranks = s.transport == "memory" ? 4 : 0;
        if (s.transport == "memory") return bench_in_memory(s);
    } else if (s.transport == "memory" || !is_launched_rank(s.ranks)) {
        if (s.transport == "memory") require_no_launcher("the ranks of --transport memory are threads of one process");
        if (s.ranks == 0) s.ranks = 4;
        check(s, s.ranks);
        if (!s.html.empty()) require_sections_page();
        for (const std::string* file : {&s.json, &s.csv, &s.trace, &s.html})
            require_writable(*file); // before any rank waits for others
        return measure_rounds(s, command);
    } else if (!s.against_program.empty() || !s.contestants.empty()) {
        throw std::invalid_argument("--against-program and --contestant are measured in turn, by who starts the ranks: "
                                    "not under a launcher");
    }
    if (s.launch.room < 0 && s.bind.given())
        throw std::invalid_argument(
            "--bind is for ranks that are started here: their launcher binds these, as tutti run "
            "--bind does");
    const auto over = s.transport == "tcp"            ? bench_over_tcp
                      : s.transport == "routed"       ? bench_over_both
                      : s.transport == "verbs"        ? bench_over_verbs
                      : s.transport == "routed_verbs" ? bench_over_all
                      : s.transport == "cuda_ipc"     ? bench_over_cuda
                                                      : bench_over_shared_memory;
    if (s.encrypt) ::setenv("TUTTI_ENCRYPT", "1", 1);
    return as_rank([&] { return over(s, s.launch.room); });
}

/// "2%", or "2".
double parse_percent(const std::string& word) {
    constexpr auto what = "share of a time", remedy = "write it as in 2%";
    const auto [number, unit] = detail::split_quantity(word, what, remedy);
    if ((!unit.empty() && unit != "%") || number <= 0 || number > 100) detail::refuse(word, what, remedy);
    return number / 100;
}

void parse_bounds(const std::string& text, sweep& sizes) {
    const std::size_t colon = text.find(':');
    sizes.smallest = colon == std::string::npos ? 1 : parse_size(text.substr(0, colon));
    sizes.largest = parse_size(colon == std::string::npos ? text : text.substr(colon + 1));
}

/// Numbers, or all: none.
std::vector<int> parse_numbers_or_all(const std::string& text, std::string_view what) {
    return text == "all" ? std::vector<int>{} : parse_numbers(text, what);
}

/// nccl-tests has as many ranks as processes, threads and GPUs of each come to. Here a rank is a process.
void add_one_each(CLI::App& c) {
    const auto one = [](const std::string& word) {
        if (word != "1") throw std::invalid_argument("a process is one rank: --ranks says how many ranks");
    };
    add_parsed(c, "-g,--ngpus", one, "As nccl-tests has it, 1 alone: --ranks says how many ranks", "1");
    add_parsed(c, "-t,--nthreads", one, "Likewise", "1");
}

void add_sizes(CLI::App& c, bench_settings& s) {
    auto* const smallest = add_size(c, "-b,--min-bytes,--minbytes", s.bytes.smallest, "Smallest size [default: 8]");
    auto* const largest = add_size(c, "-e,--max-bytes,--maxbytes", s.bytes.largest, "Largest size [default: 16M]");
    auto* const factor =
        c.add_option("-f,--factor,--stepfactor", s.bytes.factor, "Each size is F times the former [default: 2]")
            ->check(CLI::Range(2, 1 << 20))
            ->type_name("F");
    auto* const step = add_parsed(
        c, "-i,--step-bytes,--stepbytes", [&s](const std::string& word) { s.bytes.step = parse_step(word); },
        "Each size is the former and SIZE bytes more, as nccl-tests has it; OSU's -i is -n", "SIZE");
    step->excludes(factor);
    const auto parse = [&s](const std::string& word) { s.listed_bytes = parse_sizes(word); };
    auto* const list = add_parsed(c, "--bytes", parse, "These sizes instead: 8,4K,1M or 8..64M*8 or both", "LIST");
    auto* const pair = add_parsed(
        c, "-m,--message-size",
        [&s](const std::string& word) {
            refuse_name_of_imb(word, "m", "msglog", "-m MIN:MAX in bytes, so that -msglog 3:10 is -m 8:1K");
            parse_bounds(word, s.bytes);
        },
        "Smallest and largest size, as OSU takes them: 8:1M, or the largest alone", "MIN:MAX");
    for (CLI::Option* const sweep : {smallest, largest, factor, step, pair}) list->excludes(sweep);
    for (CLI::Option* const bound : {smallest, largest}) pair->excludes(bound);
}

void add_what(CLI::App& c, bench_settings& s) {
    c.add_option("--transport", s.transport,
                 "What carries the messages; verbs: RDMA; routed: shared memory within a host, tcp between hosts; "
                 "routed_verbs: verbs between those that have devices; cuda_ipc: from GPU to GPU of a host [default: "
                 "shared_memory; routed for ranks that another launcher started; tcp with --encrypt or --lanes]")
        ->check(one_of({"memory", "shared_memory", "tcp", "routed", "verbs", "routed_verbs", "cuda_ipc"}));
    c.add_option("--ranks", s.ranks, "How many ranks to start [default: 4]")
        ->check(CLI::Range(1, 4096))
        ->type_name("P");
    add_one_each(c);
    add_parsed(
        c, "--bind", [&s](const std::string& word) { s.bind = binding(word); },
        "Bind each rank that is started here to a processor: the next one, or those of a list such as 0,2,4-7 "
        "[default: none]",
        "core|none|LIST");
    c.add_option(
         "--operation", s.operation,
         "Operations, separated by commas, or all; also barrier, messages, and allgatherv and its like, see below "
         "[default: allreduce]")
        ->type_name("NAME");
    c.add_option("--algorithm", s.algorithm,
                 "Algorithms, separated by commas; all: each that has the operation; auto: the library's choice "
                 "[default: auto]")
        ->type_name("NAME");
    add_sizes(c, s);
    c.add_option("-d,--type,--datatype", s.type,
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
        ->check(one_of({"in", "out"}));
    add_parsed(
        c, "-r,--root",
        [&s](const std::string& word) {
            s.roots = parse_numbers_or_all(word, "list of roots: write 0, or 0,2, or all");
        },
        "Roots of reduce, broadcast, gather and scatter, separated by commas; all: each rank in turn [default: 0]",
        "RANK");
    c.add_option("--uneven", s.uneven,
                 "Of allgatherv and its like: how unequal the parts are, from 0 to 1, see below [default: 0]")
        ->check(within(0, 1))
        ->type_name("S");
    add_parsed(
        c, "--pairs",
        [&s](const std::string& word) {
            s.pairs = parse_numbers_or_all(word, "list of numbers of pairs: write 1, or 1,2, or all");
        },
        "Of messages in pairs: how many pairs of ranks are at it at once, separated by commas [default: all]", "N");
}

constexpr int most_calls = 100'000'000; ///< of one kind for a row

void add_amount(CLI::App& c, bench_settings& s) {
    auto* const iterations =
        c.add_option("-n,--iterations,--iters", s.iterations,
                     "Measured calls a row [default: 1000, or as many as fit into a second, 20 at least]")
            ->check(CLI::Range(1, most_calls))
            ->type_name("N");
    c.add_option("--seconds", s.seconds, "As many calls a row as fit into S seconds, at least one")
        ->check(within(0.001, 1e6))
        ->type_name("S")
        ->excludes(iterations);
    add_parsed(
        c, "--precision", [&s](const std::string& word) { s.precision = parse_percent(word); },
        "As many calls a row as bring the interval of its p50 within so much of it, such as 2%, in --seconds at most "
        "[default of these: 10]",
        "PERCENT")
        ->excludes(iterations);
    c.add_option("-N,--rounds,--run_cycles", s.rounds,
                 "How often all rows are measured, in turn: by a launch each where ranks are started here [default: 1; "
                 "of a comparison as many as FILE has, 5 at least, or 7 beside PROGRAM or LIBRARY]")
        ->check(CLI::Range(1, 100'000))
        ->type_name("N");
    const CLI::Range some_calls(0, most_calls);
    c.add_option("-w,--warm-up,--warmup_iters", s.warm_up, "Calls a row before measuring [default: 5]")
        ->check(some_calls)
        ->type_name("N");
    c.add_option("-x", s.warm_up, "The same, as OSU has it")->check(some_calls)->type_name("N")->excludes("--warm-up");
    c.add_option("-c,--check", s.checks, "Calls a row whose results are checked; 0: none [default: 1]")
        ->check(some_calls)
        ->type_name("N");
}

void add_calls(CLI::App& c, bench_settings& s) {
    c.add_option_function<std::string>(
         "--timing",
         [&s](const std::string& word) {
             s.how = word == "loop" ? timing::loop : word == "stream" ? timing::stream : timing::barrier;
         },
         "How calls are timed, see below [default: barrier]")
        ->check(one_of({"barrier", "loop", "stream"}));
    c.add_flag("--cold", s.cold, "Sweep the caches before each call; with --timing barrier");
    auto* const imbalance = add_parsed(
        c, "--imbalance", [&s](const std::string& word) { s.imbalances = parse_imbalances(word); },
        "The last rank computes so long before its call, and the others wait: 300us, or 50us,1ms, or 1ms..20ms, drawn "
        "anew before each call, see below",
        "TIME");
    c.add_option("--behind", s.behind, "With --imbalance: calls in step behind each late one [default: 20]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N")
        ->needs(imbalance);
    c.add_flag("--overlap", s.overlap, "Non-blocking calls, alone and beside a computation, see below");
    c.add_option("--tests", s.tests, "With --overlap: how often a rank tests the request as it computes [default: 0]")
        ->check(CLI::Range(0, 1'000'000))
        ->type_name("N");
    c.add_option_function<std::string>(
         "--progress", [&s](const std::string& word) { s.by_waiters = word == "by_waiters"; },
         "Which thread makes calls progress: the caller, or any that waits [default: in_calls]")
        ->check(one_of({"in_calls", "by_waiters"}));
    c.add_option("-T,--deadline,--timeout", s.deadline_s, "Seconds that a call may take before it fails [default: 30]")
        ->check(within(0.001, 1e6))
        ->type_name("S");
}

void add_how(CLI::App& c, bench_settings& s) {
    add_size(c, "--lend-bytes", s.lend_bytes,
             "Over shared memory, receivers read messages from this size on by process_vm_readv [default: chosen]");
    c.add_option("--lanes", s.lanes, "Over tcp, sockets to each peer, which share long messages [default: 1]")
        ->check(CLI::Range(1, 16))
        ->type_name("N");
    c.add_flag("--encrypt", s.encrypt, "Over tcp, encrypt and authenticate the data: TUTTI_ENCRYPT=1");
    auto* const memory =
        c.add_option_function<std::string>(
             "--memory", [&s](const std::string& word) { s.memory = memory_of(word); },
             "Where buffers lie: as a std::vector of their size, at the start of a page, or in communicator.allocate's "
             "memory, which peers of one host read in place [default: vector]")
            ->check(one_of({memory_names.begin(), memory_names.end()}));
    const auto begin_behind_page = [&s, memory](const std::string& word) {
        s.offset = parse_size(word);
        if (memory->count() == 0) s.memory = memory_kind::page;
    };
    add_parsed(c, "--offset", begin_behind_page, "Buffers begin so far behind a page's start; means --memory page",
               "SIZE");
    c.add_option("--machine", s.machine_file,
                 "Parameters of the machine, as tutti fit writes them: rows are predicted, and auto goes by them")
        ->type_name("FILE");
}

void add_outputs(CLI::App& c, bench_settings& s) {
    c.add_option("-J,--json,--output_file", s.json,
                 "Also write the rows to FILE: an array, one object a row; with - print nothing else")
        ->type_name("FILE");
    c.add_option("--csv", s.csv, "Also write the rows to FILE, a line a row; with - print nothing else")
        ->type_name("FILE");
    c.add_option("--trace", s.trace,
                 "Also record one further call of each row, but of messages, and write FILE for ui.perfetto.dev, see "
                 "below; with - print nothing else")
        ->type_name("FILE");
    c.add_option("--html", s.html,
                 "Also write FILE, a page with curves of times and bandwidths by size, with their intervals; those of "
                 "--against and of contestants, and what --machine predicts beside them; with - print "
                 "nothing else")
        ->type_name("FILE");
    auto* const against = c.add_option("--against", s.against,
                                       "Say what became slower than in an earlier run, which wrote FILE by --json; or "
                                       "print ratios to what OSU, IMB-MPI1 or nccl-tests printed into FILE")
                              ->delimiter(',')
                              ->type_name("FILE");
    c.add_option("--now", s.now,
                 "With --against: measure nothing, but compare FILE, which --json wrote; several files are rounds of "
                 "one run, each a launch at least")
        ->delimiter(',')
        ->type_name("FILE")
        ->needs(against);
    auto* const program =
        c.add_option(
             "--against-program", s.against_program,
             "Say what is slower than by another tutti, which is measured in turn with this one, round by round")
            ->check(CLI::ExistingFile)
            ->type_name("PROGRAM")
            ->excludes(against);
    c.add_option(
         "--contestant", s.contestants,
         "Print ratios to other libraries, each measured in turn with this one: openmpi, mpich, gloo, separated "
         "by commas, see below")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(one_of({"openmpi", "mpich", "gloo", "nccl"}))
        ->type_name("NAME")
        ->excludes(against)
        ->excludes(program);
    c.add_option_function<double>(
         "--other-work", [&s](double per_cent) { s.most_other_work = per_cent / 100; },
         "Of a comparison: rows are not judged beside which other work used more of the ranks' cores than so many per "
         "cent, in the median of the rounds that know it; 100 where none does [default: 10]")
        ->check(within(0, 1e6))
        ->type_name("PERCENT");
    c.add_option_function<double>(
         "--tolerance", [&s](double per_cent) { s.tolerance = per_cent / 100; },
         "By how many per cent a time may be longer than it was [default: 5; beside other libraries or their files 0, "
         "without a verdict]")
        ->check(within(0, 1e12))
        ->type_name("PERCENT");
}

} // namespace

void add_bench(CLI::App& app, action& chosen, std::vector<std::string> command_line) {
    auto s = std::make_shared<bench_settings>();
    CLI::App* const command = app.add_subcommand("bench", bench_description);
    command->footer(bench_footer);
    add_what(*command, *s);
    add_amount(*command, *s);
    add_calls(*command, *s);
    add_how(*command, *s);
    add_outputs(*command, *s);
    command->callback([s, command, &chosen, command_line = std::move(command_line)] {
        refuse_step_of_osu(*command);
        if (command->count("--tolerance") + command->count("--other-work") > 0 && s->against.empty() &&
            s->against_program.empty() && s->contestants.empty())
            throw CLI::ValidationError(
                "--tolerance and --other-work are for --against, --against-program or --contestant");
        constexpr std::array without_measuring{"--now", "--against", "--tolerance", "--other-work"};
        for (const CLI::Option* const o : command->parse_order())
            if (!s->now.empty() && std::ranges::find(without_measuring, o->get_name()) == without_measuring.end())
                throw CLI::ValidationError(
                    "--now measures nothing: with --against, --tolerance and --other-work alone, not " + o->get_name());
        s->tolerance_is_given = command->count("--tolerance") > 0;
        s->rounds_are_given = command->count("--rounds") > 0;
        chosen = [s, command_line] { return bench(*s, command_line); };
    });
}

} // namespace tutti::tools
