// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "commands.hpp"
#include "common/choices.hpp"
#include "common/one_of.hpp"
#include "common/sizes.hpp"
#include "common/text_output.hpp"
#include "common/within.hpp"

#include <collectives/schedule/export/goal.hpp>
#include <collectives/schedule/export/msccl_xml.hpp>
#include <collectives/schedule/lowering/cut.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto export_description = "Write a schedule for other programs: GOAL for LogGOPSim, or MSCCL XML for GPUs";

constexpr auto export_footer =
    R"(Formats:
  goal       what LogGOPSim reads: each rank's messages with their bytes, its calculations, and what waits for
             what. An element has 4 bytes; the size is rounded up to whole ones, equally many a rank for
             operations with parts for ranks. A message without elements becomes one byte.
  msccl-xml  what MSCCL's interpreter runs. The operator must be commutative, since MSCCL has no sides of
             operands; sizes are those of the call, so that --bytes does not matter. What the interpreter has
             no room for is told on standard error.

A hierarchical algorithm gets nodes of about the square root of the ranks. At most 8388608 steps are written, of all
ranks together: the ring's on 2048.

Examples:
  tutti export --format goal --algorithm ring --ranks 8 --bytes 8192 -o ring.goal
  tutti export --format msccl-xml --algorithm halving_doubling --ranks 8 --in-place -o allreduce.xml

Exit status:
  0  written
  1  the file could not be written, or the format cannot express the schedule
  2  the command line is wrong)";

struct export_settings {
    std::string format;
    std::string operation = "allreduce";
    std::string algorithm;
    int ranks = 4;
    std::string bytes = "1M";
    int root = 0;
    int segments = 1;
    bool in_place = false;
    double calc_ns_per_byte = 0;
    std::string output;
};

/// Each takes some 350 bytes until it is written: not more than 3 GB in all.
constexpr std::size_t most_exported_steps = std::size_t{1} << 23;

/// Throws std::invalid_argument where there is more to write. Keeps the steps of one rank, in one segment, at a time.
void check_steps(const export_settings& s, operation what, const algorithm::any& a) {
    std::size_t count = 0;
    std::vector<schedule::step> steps;
    for (int rank = 0; rank < s.ranks; ++rank) {
        steps.clear();
        a.walk(what, {rank, s.ranks, s.root, s.in_place}, 1, steps);
        count += steps.size() * static_cast<std::size_t>(s.segments);
        if (count > most_exported_steps)
            throw std::invalid_argument(fmt::format(
                "{}({}) on {} ranks in {} segment{} has more than the {} steps that export writes; take "
                "fewer ranks or segments",
                s.operation, a.name(), s.ranks, s.segments, s.segments == 1 ? "" : "s", most_exported_steps));
    }
}

/// How the data is cut, in elements, at least as many as there are bytes for.
schedule::layout exported_cut(const export_settings& s, operation what, int base_chunks, std::size_t element_bytes) {
    const std::size_t bytes = parse_size(s.bytes);
    const std::size_t unit = schedule::has_shards(what) ? static_cast<std::size_t>(s.ranks) : 1;
    const std::size_t elements = bytes / element_bytes + (bytes % element_bytes != 0 ? 1 : 0);
    return schedule::cut_of(what, s.ranks, base_chunks, s.segments, (elements + unit - 1) / unit * unit);
}

/// The file is right all the same: an interpreter can be built with more room.
void tell_lack_of_room(const schedule::msccl_size& needs) {
    const auto tell = [](const char* what, std::size_t wanted, std::size_t room, const char* macro) {
        if (wanted > room)
            fmt::print(stderr,
                       "tutti export: it has {} {}, and MSCCL's interpreter takes {}: build it with a larger {}\n",
                       wanted, what, room, macro);
    };
    constexpr schedule::msccl_size room = schedule::msccl_room;
    tell("thread blocks of a GPU", needs.blocks, room.blocks, "MSCCL_MAX_NUM_THREAD_BLOCKS_PER_CHANNEL");
    tell("steps of a thread block", needs.steps, room.steps, "MSCCL_MAX_NUM_STEPS");
    tell("chunks of a step", needs.chunks, room.chunks, "MSCCL_MAX_COUNT");
}

std::string exported(const export_settings& s) {
    constexpr std::size_t element_bytes = 4;
    const operation what = one_operation(s.operation);
    const algorithm::any a = one_algorithm(s.algorithm, what, s.ranks);
    if (s.root >= s.ranks) throw std::invalid_argument(fmt::format("there is no rank {} to be the root", s.root));
    if (s.format == "msccl-xml" && s.ranks > schedule::most_msccl_ranks) // before its steps are written
        throw std::invalid_argument(
            fmt::format("--format msccl-xml is for {} ranks at most", schedule::most_msccl_ranks));
    if (s.ranks > schedule::most_ranks(what))
        throw std::invalid_argument(
            fmt::format("{} can have {} ranks at most", s.operation, schedule::most_ranks(what)));
    require_proven(a, what, s.ranks);
    check_steps(s, what, a);
    const schedule::layout elements = exported_cut(s, what, a.chunks(what, s.ranks), element_bytes);
    const schedule::program p = a.write(what, s.ranks, s.root, s.in_place, s.segments);
    if (s.format == "goal") return schedule::goal(p, elements, {element_bytes, s.calc_ns_per_byte});
    schedule::msccl_size needs;
    std::string text = schedule::msccl_xml(p, a.name(), &needs);
    tell_lack_of_room(needs);
    return text;
}

int export_schedule(const export_settings& s) {
    write_whole(exported(s), s.output);
    return 0;
}

} // namespace

void add_export(CLI::App& app, action& chosen) {
    auto s = std::make_shared<export_settings>();
    CLI::App* const c = app.add_subcommand("export", export_description);
    c->footer(export_footer);
    c->add_option("--format", s->format, "What to write")->check(one_of({"goal", "msccl-xml"}))->required();
    c->add_option("--operation", s->operation, "The operation [default: allreduce]")->type_name("NAME");
    c->add_option("--algorithm", s->algorithm, "The algorithm")->type_name("NAME")->required();
    c->add_option("--ranks", s->ranks, "How many ranks [default: 4]")->check(CLI::Range(1, 65536))->type_name("P");
    c->add_option("--bytes", s->bytes,
                  "Data of the whole operation: 8, 4K, 1.5M, powers of 1024, also as 4KB [default: 1M]")
        ->type_name("SIZE");
    c->add_option("--root", s->root, "Root of reduce and broadcast [default: 0]")
        ->check(CLI::Range(0, 65535))
        ->type_name("RANK");
    c->add_option("--segments", s->segments, "Cut each chunk into N, to be pipelined [default: 1]")
        ->check(CLI::Range(1, 4096))
        ->type_name("N");
    c->add_flag("--in-place", s->in_place, "Input and output are the same memory");
    c->add_option("--calc-ns-per-byte", s->calc_ns_per_byte,
                  "Of goal: nanoseconds to reduce one byte by another, or to copy it [default: 0]")
        ->check(within(0.0, 1e9))
        ->type_name("NS");
    c->add_option("-o,--output", s->output, "Where to write [default: standard output]")->type_name("FILE");
    c->callback([s, &chosen] { chosen = [s] { return export_schedule(*s); }; });
}

} // namespace tutti::tools
