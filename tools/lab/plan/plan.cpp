// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../../tutti/common/text_output.hpp"
#include "../commands.hpp"
#include "published.hpp"
#include "report.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto plan_description = "Search how to lay out the training of a network on a cluster of GPUs";

constexpr auto plan_footer =
    R"(Nothing runs: each layout is priced. A layout is data x tensor x stages, sharding (ZeRO), microbatches, pieces of a
stage, and what is recomputed. Layers are cut into stages by a dynamic program. Collectives are priced by the
library's model with the best of its algorithms. docs/planner.md says what is assumed, and how far predictions are from
published runs.

A network is resnet50, gpt3-175b, gpt:LAYERS,HIDDEN,HEADS,VOCABULARY,SEQUENCE or a file. A cluster is dgx-a100,
dgx-h100, cloud-25g, big-basin or a file.

Of each number of tensor ranks and stages the best layout is shown:
  step      predicted seconds, and FLOP/s a GPU of matrix products, without what is computed again
  time      where it goes; gradients and weights are what no computing hides
  memory    of the GPU that needs most
  layers    of each stage; of each piece, where stages have several
  calls     the algorithms, with the time of one call
  why       what makes it slower than the first

Examples:
  tutti plan --model gpt3-175b --cluster dgx-a100 --batch 1536
  tutti plan --model resnet50 --cluster cloud-25g --batch 8192 --html plan.html
  tutti plan --model gpt:32,3840,32,51200,2048 --cluster dgx-a100 --nodes 8 --batch 512 --best 10
  tutti plan --published

Exit status:
  0  a layout fits
  1  none fits, a file is wrong, or could not be written
  2  the command line is wrong)";

struct plan_settings {
    std::string model, cluster;
    int batch = 1024, nodes = 0;
    std::size_t best = 5;
    std::string json, html;
    bool published = false;
};

int run_plan(const plan_settings& s) {
    if (s.published) {
        fmt::print("{}", planner::published_report());
        return 0;
    }
    if (s.model.empty() || s.cluster.empty())
        throw std::invalid_argument("tutti plan needs --model and --cluster; 'tutti plan --help' tells more");
    const bool quiet = takes_standard_output({s.json, s.html}, "--json and --html");
    for (const std::string* file : {&s.json, &s.html}) require_writable(*file);
    const planner::network net = planner::network_of(s.model);
    planner::cluster on = planner::cluster_of(s.cluster);
    if (s.nodes > 0) on = planner::with_nodes(std::move(on), s.nodes);
    const planner::question q{net, on, s.batch};
    const planner::searched found = planner::search(q);
    if (!quiet) fmt::print("{}", planner::text_report(q, found, s.best));
    if (!s.json.empty()) write_whole(planner::json_report(q, found, s.best), s.json);
    if (!s.html.empty()) write_whole(planner::html_report(q, found, s.best), s.html);
    return found.plans.empty() ? 1 : 0;
}

} // namespace

void add_plan(CLI::App& app, action& chosen) {
    auto s = std::make_shared<plan_settings>();
    CLI::App* const c = app.add_subcommand("plan", plan_description);
    c->footer(plan_footer);
    c->add_option("--model", s->model, "The network")->type_name("NAME|FILE");
    c->add_option("--cluster", s->cluster, "The cluster")->type_name("NAME|FILE");
    c->add_option("--batch", s->batch, "Samples of a step, of all GPUs [default: 1024]")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    c->add_option("--nodes", s->nodes, "Nodes of the cluster [default: what its file says]")
        ->check(CLI::Range(1, 10'000))
        ->type_name("N");
    c->add_option("--best", s->best, "How many layouts are shown [default: 5]")
        ->check(CLI::Range(1, 1000))
        ->type_name("N");
    c->add_option("--json", s->json, "Also write the layouts to FILE; with - print nothing else")->type_name("FILE");
    c->add_option("--html", s->html,
                  "Also write the report as one page with a picture of the space; with - print nothing else")
        ->type_name("FILE");
    c->add_flag("--published", s->published, "Instead put predictions beside published runs, as Markdown tables");
    c->callback([s, &chosen] { chosen = [s] { return run_plan(*s); }; });
}

} // namespace tutti::tools
