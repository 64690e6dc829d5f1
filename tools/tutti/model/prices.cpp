// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../bench/contest.hpp"
#include "../common/lists.hpp"
#include "../common/progress.hpp"
#include "../common/sizes.hpp"
#include "../common/text_output.hpp"
#include "../common/trace_file.hpp"
#include "html_report.hpp"
#include "measured.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "settings.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

constexpr int most_traced_ranks = 64; // more tracks than anybody reads

/// Each once, a line each: rounds measure the same.
void print_strangers(std::vector<std::string> strangers) {
    constexpr std::size_t shown = 4;
    std::sort(strangers.begin(), strangers.end());
    strangers.erase(std::unique(strangers.begin(), strangers.end()), strangers.end());
    if (strangers.empty()) return;
    fmt::print("# measured, but no row here:\n");
    for (std::size_t k = 0; k < std::min(strangers.size(), shown); ++k) fmt::print("#   {}\n", strangers[k]);
    if (strangers.size() > shown) fmt::print("#   and {} more\n", strangers.size() - shown);
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
    fmt::print("# double_binary_tree, and chain where it is cut: {}\n", prices.cutting());
    if (!in_place.empty()) fmt::print("# {}\n", place_text(in_place));
}

void print_notes(const pricing& prices) {
    for (const std::string& note : prices.notes()) fmt::print("# {}\n", note);
}

/// What was measured, to be put beside what is priced.
struct measurements_beside {
    std::vector<measured_row> rows;
    operation_names in_place;
};

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

/// The page shows the middle size of each operation as it runs on few ranks.
std::string page_of(const std::vector<contest>& contests, const std::vector<std::size_t>& sizes, const pricing& prices,
                    model_report all) {
    all.compares_forms = !prices.simulates();
    for (const contest& c : shown_as_timelines(contests))
        for (model_timeline& t : timelines(c, sizes[sizes.size() / 2], prices)) all.timelines.push_back(std::move(t));
    return html_report(all);
}

/// Throws where something cannot be written: told at once, not when all has been priced.
void check_outputs(const model_settings& s, int most_ranks) {
    if (!s.trace.empty() && most_ranks > most_traced_ranks)
        throw std::invalid_argument(fmt::format("--trace shows {} ranks at most", most_traced_ranks));
    for (const std::string* file : {&s.csv, &s.json, &s.trace, &s.html}) require_writable(*file);
}

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
void print_contest(const contest& c, const std::vector<std::size_t>& sizes, std::span<const model_row> rows,
                   pricing& prices, model_report& all, bool quiet) {
    if (!quiet) print(c, sizes, rows, prices);
    std::fflush(stdout); // what follows may take a while
    progress_line progress;
    progress.show(fmt::format("crossovers of {} on {} ranks", schedule::name_of(c.what), c.ranks));
    std::optional<model_fastest> found = fastest(c, sizes, rows, prices);
    progress.clear();
    if (found) {
        if (!quiet) print_crossovers(*found);
        all.fastest.push_back(std::move(*found));
    }
    std::fflush(stdout);
}

/// Prices all, and prints each contest as soon as its rows are complete: at the end where measured times come beside.
/// `known` is told of each row then. Returns what was measured and is none of the rows.
std::vector<std::string> price_and_print(const std::vector<contest>& contests, const std::vector<std::size_t>& sizes,
                                         pricing& prices, const measurements_beside& beside, model_report& all,
                                         bool quiet, const std::function<void(const model_row&)>& known = {}) {
    const auto rows_of = [&](const contest& c, std::size_t begin) {
        return std::span<const model_row>(all.rows).subspan(begin, sizes.size() * c.algorithms.size());
    };
    std::size_t expected = 0;
    for (const contest& c : contests) expected += sizes.size() * c.algorithms.size();
    progress_line progress;
    const auto begins = [&](const std::string& what) { progress.show(all.rows.size(), expected, what); };
    for (const contest& c : contests) {
        const std::size_t begin = all.rows.size();
        price(c, sizes, prices, all.rows, begins, beside.rows.empty() ? known : nullptr);
        progress.clear();
        if (beside.rows.empty()) print_contest(c, sizes, rows_of(c, begin), prices, all, quiet);
    }
    if (beside.rows.empty()) return {};
    std::vector<std::string> strangers = join_measured(beside.rows, beside.in_place, all);
    if (known) std::for_each(all.rows.begin(), all.rows.end(), known);
    std::size_t begin = 0;
    for (const contest& c : contests) {
        print_contest(c, sizes, rows_of(c, begin), prices, all, quiet);
        begin += sizes.size() * c.algorithms.size();
    }
    return strangers;
}

void require_pages() {
    if (!have_html_report())
        throw std::invalid_argument("--html: this tutti was built without Chart.js, and so without HTML reports");
}

} // namespace

int report_prices(const model_settings& s) {
    if (!s.html.empty()) require_pages();
    std::vector<contest> contests = contests_of(s.operation, s.algorithm, s.ranks);
    const std::vector<std::size_t> sizes = parse_sizes(s.bytes);
    const std::vector<measured_row> measured = read_measured(s.measured);
    check_outputs(s, most_ranks_of(contests));
    const bool quiet = takes_standard_output({s.csv, s.json, s.trace, s.html}, "--csv, --json, --trace and --html");
    const operation_names in_place = measured_in_place(measured);
    pricing_settings how = s.how;
    if (!measured.empty()) how.segments_by = cut::by_rule; // what was measured is what is priced
    how.in_place = in_place;
    pricing prices(machine_of(s.machine), how);
    add_choices(contests, sizes, prices);
    if (!quiet) print_head(prices, most_ranks_of(contests), in_place);
    model_report all{page_machine(prices, most_ranks_of(contests)), {}, {}, {}};
    all.parameters = parameters_of(prices, most_ranks_of(contests));
    if (!in_place.empty()) all.parameters.facts.emplace_back("Place", place_text(in_place));
    if (!in_place.empty()) all.machine += "; " + place_text(in_place);
    row_files files(s.csv, s.json);
    const std::vector<std::string> strangers = price_and_print(contests, sizes, prices, {measured, in_place}, all,
                                                               quiet, [&](const model_row& r) { files.add(r); });
    files.finish();
    if (!quiet) print_strangers(strangers);
    if (!quiet) print_notes(prices);
    if (!s.trace.empty()) write_trace(contests, sizes, prices, s.trace);
    if (!s.html.empty()) write_whole(page_of(contests, sizes, prices, all), s.html);
    return 0;
}

namespace {

/// Sizes from the shortest message to much data, and that of the gradients.
std::vector<std::size_t> lecture_sizes(const lecture_settings& s) {
    std::vector<std::size_t> sizes = parse_sizes("8..1G*8");
    sizes.push_back(s.bytes());
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// The page of the lecture: all numbers of ranks and all sizes at once, so that its figures follow the reader's choice.
void write_lecture(const model_settings& s, const std::string& ranks) {
    pricing prices(machine_of(s.machine), s.how);
    const std::vector<contest> contests = contests_of("allreduce", lecture_algorithms(s.of_lecture), ranks);
    const std::vector<std::size_t> sizes = lecture_sizes(s.of_lecture);
    model_report all{page_machine(prices, most_ranks_of(contests)), {}, {}, {}};
    all.parameters = parameters_of(prices, most_ranks_of(contests));
    all.lecture = page_lecture(s.of_lecture, parse_ranks(ranks, most_priced_ranks), prices);
    price_and_print(contests, sizes, prices, {}, all, true);
    add_for_lecture(all.rows, prices);
    all.compares_forms = !prices.simulates();
    write_whole(html_report(all), s.html);
}

/// The ranks of the page where the command line gives none: powers of two, fewer where each is simulated.
std::string page_ranks(const model_settings& s) {
    return pricing(machine_of(s.machine), s.how).simulates() ? "2..64*2" : "2..256*2";
}

} // namespace

int report_lecture(const model_settings& s) {
    if (!s.html.empty()) {
        require_pages();
        require_writable(s.html);
        write_lecture(s, s.ranks.empty() ? page_ranks(s) : s.ranks);
        if (s.html == "-") return 0; // standard output takes nothing else
    }
    pricing prices(machine_of(s.machine), s.how);
    const std::vector<int> all_ranks = parse_ranks(s.ranks.empty() ? "256" : s.ranks, most_priced_ranks);
    print_nodes(prices, all_ranks.back());
    for (const int ranks : all_ranks) lecture(ranks, s.of_lecture, prices);
    print_notes(prices);
    return 0;
}

} // namespace tutti::tools
