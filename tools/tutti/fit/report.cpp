// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../common/quantities.hpp"
#include "../common/statistics.hpp"
#include "fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::tools {
namespace {

using observations = std::vector<const observed*>;

/// Rows of cells as a Markdown table; the first row is its head. Columns are as wide as their widest cell.
std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths(rows.front().size(), 3);
    for (const auto& row : rows)
        for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
    std::string text;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (std::size_t k = 0; k < widths.size(); ++k)
            text += k == 0 ? fmt::format("| {:<{}} ", rows[i][k], widths[k])
                           : fmt::format("| {:>{}} ", rows[i][k], widths[k]);
        text += "|\n";
        if (i > 0) continue;
        for (std::size_t k = 0; k < widths.size(); ++k)
            text += "|" + std::string(widths[k] + 1, '-') + (k == 0 ? "-" : ":");
        text += "|\n";
    }
    return text + "\n";
}

std::string in_percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// "overhead_s" as 0.123 us, "gamma_s_per_byte" as 0.123 ns/B, and "cache_bytes" in bytes.
std::string value_of(const model::estimate& e) {
    if (e.what.name.ends_with("_bytes")) return bytes_text(e.value);
    if (e.what.name.ends_with("_per_byte")) return fmt::format("{:.4f} ns/B", e.value * 1e9);
    return fmt::format("{:.3f} us", e.value * 1e6);
}

/// The messages that a parameter is for.
std::string messages_of(const model::estimate& e, const model::machine& m) {
    if (e.what.figure != nullptr) return "";
    const auto most = [&](int k) { return static_cast<double>(m.near.ranges[static_cast<std::size_t>(k)].most_bytes); };
    const int last = m.near.count - 1;
    if (e.what.first == 0 && e.what.last == last) return "all";
    if (e.what.last == last) return "bytes above " + bytes_text(most(last - 1));
    return "bytes up to " + bytes_text(most(e.what.last));
}

std::string parameters_table(const model::fitted& f) {
    std::vector<std::vector<std::string>> rows{{"parameter", "messages", "value", "standard error"}};
    for (const model::estimate& e : f.parameters) {
        const std::string spread = e.known == model::knowledge::unknown      ? "not identified: as assumed"
                                   : e.known == model::knowledge::negligible ? "not told from nothing"
                                                                             : in_percent(e.spread);
        rows.push_back({std::string(e.what.name), messages_of(e, f.found), value_of(e), spread});
    }
    return markdown_table(rows);
}

template <class Which>
observations those(const observations& from, Which&& which) {
    observations chosen;
    std::copy_if(from.begin(), from.end(), std::back_inserter(chosen), [&](const observed* o) { return which(*o); });
    return chosen;
}

std::set<int> ranks_of(const observations& all) {
    std::set<int> ranks;
    for (const observed* o : all) ranks.insert(o->what.size);
    return ranks;
}

bool is_allreduce(const observed& o) { return o.what.what == schedule::operation::allreduce; }

/// How far off half of the calls are at most, and nine of ten.
std::vector<std::string> error_row(const std::string& what, const observations& all,
                                   double (observed::*error)() const) {
    std::vector<double> errors;
    for (const observed* o : all) errors.push_back(std::abs((o->*error)()));
    std::sort(errors.begin(), errors.end());
    if (errors.empty()) return {what, "0", "-", "-"};
    return {what, std::to_string(all.size()), in_percent(median_of(errors)), in_percent(percentile(errors, 90))};
}

std::string errors_table(const observations& all) {
    std::vector<std::vector<std::string>> rows{{"absolute error of", "calls", "median", "90th percentile"}};
    for (const int p : ranks_of(all)) {
        const auto row = [&](const char* what, double (observed::*error)() const, auto&& which) {
            const auto some = those(all, [&](const observed& o) { return o.what.size == p && which(o); });
            rows.push_back(error_row(fmt::format("{} ranks, {}", p, what), some, error));
        };
        row("allreduce, fitted", &observed::error, [](const observed& o) { return o.fitted; });
        row("allreduce, not fitted", &observed::error, [](const observed& o) { return is_allreduce(o) && !o.fitted; });
        row("other operations, none fitted", &observed::error, [](const observed& o) { return !is_allreduce(o); });
        row("all, between sizes of residuals", &observed::corrected_error, [](const observed& o) { return !o.kept; });
    }
    return markdown_table(rows);
}

/// How well a machine chooses: at how many sizes its choice takes at most a tenth longer than the fastest, and the most
/// that it takes longer.
struct verdict {
    int sizes = 0, within = 0;
    double most = 1;
};

/// Of the calls of one operation and number of ranks, the one that is chosen for each size by this time.
verdict judged(const observations& all, double observed::*by) {
    std::map<std::size_t, observations> by_size;
    for (const observed* o : all) by_size[o->what.bytes].push_back(o);
    verdict v;
    for (const auto& [bytes, contestants] : by_size) {
        const auto least = [&](auto&& time) {
            return *std::min_element(contestants.begin(), contestants.end(),
                                     [&](const observed* a, const observed* b) { return time(*a) < time(*b); });
        };
        const double chosen_s = least([&](const observed& o) { return o.*by; })->typical_s();
        const double best_s = least([](const observed& o) { return o.typical_s(); })->typical_s();
        ++v.sizes;
        v.within += chosen_s <= 1.1 * best_s ? 1 : 0;
        v.most = std::max(v.most, chosen_s / best_s);
    }
    return v;
}

verdict together(const verdict& a, const verdict& b) {
    return {a.sizes + b.sizes, a.within + b.within, std::max(a.most, b.most)};
}

std::vector<std::string> verdict_row(const std::string& of, const verdict& corrected, const verdict& alone) {
    return {of,
            std::to_string(corrected.sizes),
            std::to_string(corrected.within),
            fmt::format("{:.2f} times", corrected.most),
            std::to_string(alone.within),
            fmt::format("{:.2f} times", alone.most)};
}

/// What the choice among all calls that were measured costs, at sizes of which no residual is kept.
std::string choices_table(const observations& all) {
    std::vector<std::vector<std::string>> rows{
        {"choice for", "sizes", "within 10 %", "at the worst", "by parameters alone", "at the worst"}};
    verdict of_corrected, of_alone;
    for (const int p : ranks_of(all))
        for (const schedule::operation what : schedule::operations) {
            const auto some =
                those(all, [&](const observed& o) { return o.what.size == p && o.what.what == what && !o.kept; });
            const verdict v = judged(some, &observed::corrected_s), w = judged(some, &observed::predicted_s);
            rows.push_back(verdict_row(fmt::format("{} ranks, {}", p, schedule::name_of(what)), v, w));
            of_corrected = together(of_corrected, v);
            of_alone = together(of_alone, w);
        }
    rows.push_back(verdict_row("all", of_corrected, of_alone));
    return markdown_table(rows);
}

/// Predicted over measured, of allreduce.
std::string ratios_table(const observations& all) {
    std::set<std::string> columns;
    std::map<std::size_t, std::map<std::string, const observed*>> by_size;
    for (const observed* o : all) {
        columns.insert(o->algorithm);
        by_size[o->what.bytes][o->algorithm] = o;
    }
    std::vector<std::vector<std::string>> rows{{"size"}};
    rows.front().insert(rows.front().end(), columns.begin(), columns.end());
    for (const auto& [bytes, cells] : by_size) {
        std::vector<std::string>& row = rows.emplace_back(1, bytes_text(static_cast<double>(bytes)));
        for (const auto& [name, cell] : cells)
            row.push_back(fmt::format("{:.2f}{}", 1 + cell->error(), cell->fitted ? "*" : " "));
    }
    return markdown_table(rows);
}

std::string section(const observations& all, const fitted_transport& t) {
    std::string text =
        fmt::format("## {}\n\n", t.name) + errors_table(all) + choices_table(all) + parameters_table(t.fit);
    for (const int p : ranks_of(all))
        text += fmt::format("### {}, {} ranks: predicted by the parameters over measured\n\n", t.name, p) +
                ratios_table(those(all, [&](const observed& o) { return o.what.size == p && is_allreduce(o); }));
    return text;
}

} // namespace

std::string fit_report(const fit_settings& s, const measurements& m, const std::vector<fitted_transport>& found,
                       const std::string& where) {
    constexpr double disturbing = 0.3; // cores
    std::string text = fmt::format(
        "# What `tutti fit` found\n\n{}. The lower quartile of {} round{} of {} s a row; other work used {:.2f} cores "
        "meanwhile{}. Everything is in place. Parameters rest on the starred ratios, residuals on every second size; "
        "what lies between tests both.\n\n",
        where, s.rounds, s.rounds == 1 ? "" : "s", s.seconds, m.other_cores,
        m.other_cores > disturbing ? ": **measure again when nothing else runs**" : "");
    for (const fitted_transport& t : found) {
        observations of_it;
        for (const observed& o : m.all)
            if (o.transport == t.name) of_it.push_back(&o);
        text += section(of_it, t);
    }
    return text;
}

std::string fit_json(const measurements& m) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const observed& o : m.all)
        rows.push_back({{"transport", o.transport},
                        {"operation", schedule::name_of(o.what.what)},
                        {"algorithm", o.algorithm},
                        {"ranks", o.what.size},
                        {"bytes", o.what.bytes},
                        {"fitted", o.fitted},
                        {"measured_us", o.typical_s() * 1e6},
                        {"spread", o.spread()},
                        {"predicted_us", o.predicted_s * 1e6},
                        {"corrected_us", o.corrected_s * 1e6}});
    return rows.dump(1) + "\n";
}

} // namespace tutti::tools
