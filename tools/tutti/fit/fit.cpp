// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "fit.hpp"
#include "../common/here.hpp"
#include "../common/lists.hpp"
#include "../common/one_of.hpp"
#include "../common/parsed_option.hpp"
#include "../common/progress.hpp"
#include "../common/text_output.hpp"
#include "../run/launched.hpp"
#include "commands.hpp"

#include <collectives/model/machine_file.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr auto fit_description = "Measure this machine, and find the parameters by which schedules are priced";

constexpr auto fit_footer =
    R"(Small schedules that the engine itself runs identify the parameters, at every second size:
  ping-pong         allreduce(naive) and allreduce(binomial_tree) of 2 ranks: a message there, one back
  fan-in, burst     allreduce(naive) of more: all send to the root, which sends to all, one after the other;
                    each sender beyond the first costs the root epsilon a byte on top
  exchange          allreduce(butterfly) and allreduce(one_shot): sends and receives at once
  pipeline          allreduce(ring): many messages of a part of the data each
  reduce kernels    what these reduce, by the size of its parts and by the memory that a call works in
  oversubscription  all of these with more ranks than cores, where --ranks asks for it
A round measures all of them by 'tutti bench --place in', over each transport and with each number of
ranks, in another order, and with them the sizes between, the other algorithms, and the other operations.
Those are not fitted: they show how well what was never measured is predicted. Other work on the machine
makes calls longer: what it disturbs is measured up to three times, for a minute in all, and of the rounds
the lower quartile counts. It is said how much of it there was. Rounds in which the machine as a whole was
slower, as a virtual one is when its cores share no cache, are left out.

The fit is robust least squares on the logarithm of predicted over measured time. A parameter of which the
measurements tell nothing stays as it was assumed, and is told to be so. A standard error is as good as the
residuals are independent of each other, which those of a model are not quite.

What the parameters leave unexplained, measured over predicted at every second size, goes into FILE as well:
such residuals correct what a communicator with this machine, 'tutti explain' and 'tutti bench --machine'
predict; 'tutti model' does without. The sizes between tell what they are worth.

SIZE is a number of bytes, or of powers of 1024: 8, 4K, 1M, 1G.

Examples:
  tutti fit -o machine.json
  tutti fit --transport tcp --ranks 2,4 --rounds 5 --markdown fit.md --json measured.json

Exit status:
  0  it is fitted, however well
  1  a measurement failed, or a file could not be written
  2  the command line is wrong)";

/// Where the search for a transport's machine begins: what is common today. The last segment is unbounded.
model::machine common_machine(std::string_view transport) {
    constexpr std::array<std::string_view, 3> names{"short", "middle", "long"};
    constexpr std::array<std::size_t, 2> bounds{4096, 131072};
    const bool local = transport == "shared_memory";
    model::loggp cost;
    cost.overhead_s = local ? 30e-9 : 2e-6;
    cost.latency_s = local ? 20e-9 : 0.5e-6;
    cost.overhead_s_per_byte = cost.gamma_s_per_byte = cost.copy_s_per_byte = 5e-11;
    model::machine m = model::uniform(cost);
    m.near.count = static_cast<int>(names.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
        model::price_range& s = m.near.ranges[k];
        s.cost = cost;
        std::copy(names[k].begin(), names[k].end(), s.name.begin());
        if (k < bounds.size()) s.most_bytes = bounds[k];
    }
    m.fan_in = {1, 1e-12};
    m.cores = static_cast<int>(std::thread::hardware_concurrency());
    m.switch_s = 0.5e-6;
    m.crowded_latency_s = local ? 0.5e-6 : 1e-6;
    m.call_s = 0.1e-6;
    m.cache_bytes = 32 << 20;
    m.miss_s_per_byte = 5e-11;
    return m;
}

model::fitted fit_parameters(const std::string& transport, const measurements& measured) {
    model::machine start = common_machine(transport);
    std::vector<model::sample> samples;
    int most_ranks = 0;
    for (const observed& o : measured.all) {
        if (o.transport != transport || !o.fitted) continue;
        samples.push_back({o.what, o.typical_s(), o.spread()});
        most_ranks = std::max(most_ranks, o.what.size);
    }
    if (most_ranks <= start.cores) start.switch_s = start.crowded_latency_s = 0; // nobody has looked at it
    model::fitted found = model::fit(samples, start, model::parameters_of(start, most_ranks));
    const auto penalty = std::find_if(found.parameters.begin(), found.parameters.end(),
                                      [](const auto& e) { return e.what.name == "epsilon_s_per_byte"; });
    const bool looked_for = penalty != found.parameters.end();
    if (looked_for && penalty->known == model::knowledge::found) return found;
    found.found.fan_in = {}; // it began with next to nothing
    if (looked_for) *penalty = {penalty->what, 0, 0, model::knowledge::negligible};
    return found;
}

/// What the parameters leave unexplained, as far as it is kept: to three digits behind the point, which is more than is
/// known.
model::residuals residuals_of(const std::string& transport, const measurements& measured, const fit_settings& s) {
    const std::vector<std::size_t> sizes = fitted_sizes(s);
    model::residuals found(s.ranks, sizes);
    const auto place = [](const auto& in, const auto& value) {
        return static_cast<std::size_t>(std::find(in.begin(), in.end(), value) - in.begin());
    };
    for (const observed& o : measured.all) {
        if (o.transport != transport || !o.kept || !model::residuals::has(o.what.what, o.what.how)) continue;
        const double ratio = std::round(1000 * o.typical_s() / o.predicted_s) / 1000;
        found.set(o.what.what, o.what.how, place(s.ranks, o.what.size), place(sizes, o.what.bytes), ratio);
    }
    return found;
}

fitted_transport fit_transport(const std::string& name, measurements& measured, const fit_settings& s) {
    fitted_transport t{name, fit_parameters(name, measured), {}};
    for (observed& o : measured.all)
        if (o.transport == name) o.predicted_s = model::simulation(o.what, o.what.size).run(t.fit.found).finish_s;
    t.residual = residuals_of(name, measured, s);
    for (observed& o : measured.all)
        if (o.transport == name) o.corrected_s = o.predicted_s * t.residual.factor(o.what);
    return t;
}

std::string here_and_now() {
    return fmt::format("Measured on {} cores of {}, {}", std::thread::hardware_concurrency(), processor_name(),
                       utc_time("%F %R UTC"));
}

void check(const fit_settings& s) {
    if (s.ranks.size() > model::residuals::most_ranks)
        throw std::invalid_argument("--ranks: a machine file keeps at most 8 numbers of ranks");
    const std::size_t sizes = fitted_sizes(s).size();
    if (sizes < 1 || sizes > model::residuals::most_sizes)
        throw std::invalid_argument("--max-bytes: from 8 to below 512G, since a machine file keeps at most 12 sizes");
}

void warn_of_others(const measurements& measured) {
    constexpr double disturbing_cores = 0.1;
    if (measured.other_cores <= disturbing_cores) return;
    fmt::print(
        stderr,
        "tutti fit: other work used {:.2f} of {} cores meanwhile. What it finds is of a busy host: measure again "
        "in quiet\n",
        measured.other_cores, std::thread::hardware_concurrency());
}

int fit(const fit_settings& s) {
    require_no_launcher("tutti fit starts the ranks that it measures");
    check(s);
    const bool quiet = takes_standard_output({s.machine, s.json, s.markdown}, "--output, --json and --markdown");
    for (const std::string* file : {&s.machine, &s.markdown, &s.json}) require_writable(*file);
    measurements measured = measure(s);
    warn_of_others(measured);
    std::vector<fitted_transport> found;
    model::machine_file file{
        fmt::format("{}, by tutti fit, other work {:.2f} cores", here_and_now(), measured.other_cores), {}};
    progress_line progress{true, without_terminal::lines};
    for (const std::string& name : s.transports) {
        progress.show("fitting the parameters of " + name);
        found.push_back(fit_transport(name, measured, s));
        file.transports.emplace(name, found.back().machine());
    }
    progress.clear();
    const std::string report = fit_report(s, measured, found, here_and_now());
    if (!quiet) fmt::print("{}", report);
    if (!s.markdown.empty()) write_whole(report, s.markdown);
    if (!s.json.empty()) write_whole(fit_json(measured), s.json);
    if (!s.machine.empty()) write_whole(model::text_of(file), s.machine);
    return 0;
}

} // namespace

void add_fit(CLI::App& app, action& chosen) {
    auto s = std::make_shared<fit_settings>();
    CLI::App* const c = app.add_subcommand("fit", fit_description);
    c->footer(fit_footer);
    c->add_option("--transport", s->transports, "Transports, separated by commas [default: shared_memory,tcp]")
        ->delimiter(',')
        ->type_name("NAME")
        ->check(one_of({"shared_memory", "tcp", "verbs"}));
    const auto ranks = [s](const std::string& word) { s->ranks = parse_ranks(word); };
    add_parsed(*c, "--ranks", ranks, "Numbers of ranks, 8 at most: 2, 2..4 or 2,4 [default: 2,4]", "P");
    c->add_option("--rounds", s->rounds, "How often all is measured [default: 3]")
        ->type_name("N")
        ->check(CLI::Range(1, 1000));
    c->add_option("--seconds", s->seconds, "For each row in each round, at least one call [default: 0.008]")
        ->type_name("S")
        ->check(CLI::Range(0.001, 60.0));
    add_size(*c, "-e,--max-bytes", s->largest, "Largest size [default: 64M]");
    c->add_option("-o,--output", s->machine,
                  "Write the machine to FILE, as 'tutti model --machine' takes it; with - print nothing else")
        ->type_name("FILE");
    c->add_option("--json", s->json,
                  "Write what was measured and predicted to FILE: an array, one object a row; with - "
                  "print nothing else")
        ->type_name("FILE");
    c->add_option("--markdown", s->markdown, "Write what is printed to FILE")->type_name("FILE");
    c->callback([s, &chosen] {
        std::sort(s->transports.begin(), s->transports.end());
        s->transports.erase(std::unique(s->transports.begin(), s->transports.end()), s->transports.end());
        chosen = [s] { return fit(*s); };
    });
}

} // namespace tutti::tools
