// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "commands.hpp"
#include "common/choices.hpp"
#include "common/one_of.hpp"
#include "common/text_output.hpp"
#include "pipeline.hpp"

#include <base/error.hpp>
#include <collectives/schedule/draw.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto draw_description = "Draw a schedule: who sends what to whom in which round";

constexpr auto draw_footer =
    R"(In a round a rank sends at most one message and receives at most one: the rounds of 'tutti verify'.
What is drawn is proven first.

As
  text        a table for the terminal: a row a round, a column a rank, in each what it sends
  space-time  SVG: ranks as lines, time downwards, messages as arrows, reductions as dots
  tree        SVG: what travels along a tree, or two, as these trees: naive, binomial_tree, double_binary_tree
A dashed arrow carries what is still to be reduced, a solid one results. A chunk is a part of the data, numbered
from 0; with segments each chunk becomes as many.

With --pipeline it draws a pipeline of training in time instead, as text or as SVG: f3 is the forward of
microbatch 3, b3 its backward, which takes twice as long. What each worker holds stands beside it. 1f1b is
one_f_one_b. An interleaved worker has several chunks, each a part of a stage: the picture is longer, not the time.

Examples:
  tutti draw --algorithm ring --ranks 8
  tutti draw --algorithm halving_doubling --ranks 8 -o halving_doubling.svg
  tutti draw --algorithm double_binary_tree --ranks 16 --segments 4 --as tree -o trees.svg
  tutti draw --pipeline one_f_one_b --stages 4 --microbatches 8 -o one_f_one_b.svg

Exit status:
  0  it is drawn
  1  the file cannot be written
  2  the command line is wrong, or there is too much to draw: at most 64 ranks and 10000 messages,
     or 20000 steps of a pipeline, of which a microbatch takes up to six on each chunk of each stage)";

struct draw_settings {
    std::string operation = "allreduce";
    std::string algorithm;
    int ranks = 8;
    int root = 0;
    int segments = 1;
    std::string as;
    std::string file;
    pipeline_drawing pipeline;
};

[[nodiscard]] bool names_svg(const std::string& file) {
    constexpr std::string_view end = ".svg";
    return file.size() >= end.size() && file.compare(file.size() - end.size(), end.size(), end) == 0;
}

[[nodiscard]] std::string title_of(const draw_settings& s, operation what, const algorithm::any& a) {
    std::string title =
        fmt::format("{}({}), {} rank{}", schedule::name_of(what), a.name(), s.ranks, s.ranks == 1 ? "" : "s");
    if (schedule::has_root(what)) title += fmt::format(", root {}", s.root);
    if (s.segments > 1) title += fmt::format(", {} segments", s.segments);
    return title;
}

[[nodiscard]] std::string drawing(const draw_settings& s, const std::string& as) {
    const operation what = one_operation(s.operation);
    if (s.root >= s.ranks) throw std::invalid_argument(fmt::format("there is no rank {} to be the root", s.root));
    if (s.root != 0 && !schedule::has_root(what)) throw std::invalid_argument(s.operation + " has no root to choose");
    const algorithm::any a = one_algorithm(s.algorithm, what, s.ranks);
    try {
        const auto t = schedule::draw::timeline_of(a.write(what, s.ranks, s.root, false, s.segments));
        const std::string title = title_of(s, what, a);
        if (as == "tree") return schedule::draw::trees_svg(t, title);
        return as == "text" ? schedule::draw::table_of(t, title) : schedule::draw::space_time_svg(t, title);
    } catch (const error& e) {
        throw std::invalid_argument(fmt::format("{}; {}", e.facts().detail, e.facts().remedy));
    }
}

int draw(const draw_settings& s) {
    const bool svg = names_svg(s.file);
    if (!s.pipeline.schedule.empty()) {
        write_whole(drawn_pipeline(s.pipeline, svg), s.file);
        return 0;
    }
    if (s.algorithm.empty()) throw std::invalid_argument("name an --algorithm or a --pipeline");
    const std::string as = !s.as.empty() ? s.as : svg ? "space-time" : "text";
    if (svg && as == "text") throw std::invalid_argument(s.file + " would hold text; leave out --as, or name it .txt");
    write_whole(drawing(s, as), s.file);
    return 0;
}

void add_pipeline(CLI::App& command, pipeline_drawing& p) {
    constexpr int most = 64;
    CLI::Option* const name =
        command.add_option("--pipeline", p.schedule, "A pipeline instead of an algorithm")->type_name("NAME");
    for (const char* other : {"--operation", "--algorithm", "--ranks", "--root", "--segments", "--as"})
        name->excludes(command.get_option(other));
    command.add_option("--stages", p.stages, "Its stages [default: 4]")
        ->type_name("S")
        ->check(CLI::Range(1, most))
        ->needs(name);
    command.add_option("--microbatches", p.microbatches, "Its microbatches [default: 8]")
        ->type_name("M")
        ->check(CLI::Range(1, most))
        ->needs(name);
    command.add_option("--chunks", p.chunks, "Chunks a worker, if interleaved [default: 2]")
        ->type_name("V")
        ->check(CLI::Range(1, 16))
        ->needs(name);
}

} // namespace

void add_draw(CLI::App& app, action& chosen) {
    constexpr int most = schedule::draw::most_ranks;
    auto s = std::make_shared<draw_settings>();
    CLI::App* const command = app.add_subcommand("draw", draw_description);
    command->footer(draw_footer);
    command->add_option("--operation", s->operation, "The operation [default: allreduce]")->type_name("NAME");
    command->add_option("--algorithm", s->algorithm, "The algorithm")->type_name("NAME");
    command->add_option("--ranks", s->ranks, "How many ranks [default: 8]")->type_name("P")->check(CLI::Range(1, most));
    command->add_option("--root", s->root, "The root of reduce and broadcast [default: 0]")
        ->type_name("RANK")
        ->check(CLI::Range(0, most - 1));
    command->add_option("--segments", s->segments, "Into how many pieces each chunk is cut [default: 1]")
        ->type_name("K")
        ->check(CLI::Range(1, 256));
    command->add_option("--as", s->as, "How [default: space-time where FILE ends in .svg, else text]")
        ->type_name("text|space-time|tree")
        ->check(one_of({"text", "space-time", "tree"}));
    command->add_option("-o,--output", s->file, "Write to FILE [default: standard output]")->type_name("FILE");
    add_pipeline(*command, s->pipeline);
    command->callback([s, &chosen] { chosen = [s] { return draw(*s); }; });
}

} // namespace tutti::tools
