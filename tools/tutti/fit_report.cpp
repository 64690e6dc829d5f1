// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "fit.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string_view>

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

std::string in_bytes(double bytes) {
    if (bytes >= 1 << 20) return fmt::format("{:.4g} MiB", bytes / (1 << 20));
    return bytes >= 1 << 10 ? fmt::format("{:.4g} KiB", bytes / (1 << 10)) : fmt::format("{:.4g} B", bytes);
}

std::string in_percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

/// "overhead_s" as 0.123 us, "gamma_s_per_byte" as 0.123 ns/B, and "cache_bytes" in bytes.
std::string value_of(const model::estimate& e) {
    if (e.what.name.ends_with("_bytes")) return in_bytes(e.value);
    if (e.what.name.ends_with("_per_byte")) return fmt::format("{:.4f} ns/B", e.value * 1e9);
    return fmt::format("{:.3f} us", e.value * 1e6);
}

/// The messages that a parameter is for.
std::string messages_of(const model::estimate& e, const model::machine& m) {
    if (e.what.figure != nullptr) return "";
    const auto most = [&](int k) {
        return static_cast<double>(m.near.segments[static_cast<std::size_t>(k)].most_bytes);
    };
    const int last = m.near.count - 1;
    if (e.what.first == 0 && e.what.last == last) return "all";
    if (e.what.last == last) return "bytes above " + in_bytes(most(last - 1));
    return "bytes up to " + in_bytes(most(e.what.last));
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

std::vector<std::string> error_row(std::string_view what, int ranks, const observations& all) {
    std::vector<double> errors;
    for (const observed* o : all) errors.push_back(std::abs(o->error()));
    std::sort(errors.begin(), errors.end());
    return {fmt::format("{} ranks, {}", ranks, what), std::to_string(all.size()),
            errors.empty() ? "-" : in_percent(percentile(errors, 50)),
            errors.empty() ? "-" : in_percent(percentile(errors, 90))};
}

template <class Which>
observations those(const observations& from, Which&& which) {
    observations chosen;
    std::copy_if(from.begin(), from.end(), std::back_inserter(chosen), [&](const observed* o) { return which(*o); });
    return chosen;
}

std::string errors_table(const observations& all) {
    std::vector<std::vector<std::string>> rows{{"absolute error of", "calls", "median", "90th percentile"}};
    std::set<int> ranks;
    for (const observed* o : all) ranks.insert(o->what.size);
    for (const int p : ranks) {
        const auto of = [&](bool fitted) {
            return those(all, [&](const observed& o) { return o.what.size == p && o.fitted == fitted; });
        };
        rows.push_back(error_row("fitted", p, of(true)));
        rows.push_back(error_row("not fitted", p, of(false)));
    }
    return markdown_table(rows);
}

/// What the choice by prediction costs: for each size the time of what is predicted to be fastest, over the best.
std::string regret(const observations& all) {
    std::map<std::size_t, observations> by_size;
    for (const observed* o : all) by_size[o->what.bytes].push_back(o);
    int within = 0;
    double most = 1;
    for (const auto& [bytes, contestants] : by_size) {
        const auto least = [&](auto&& of) {
            return *std::min_element(contestants.begin(), contestants.end(),
                                     [&](const observed* a, const observed* b) { return of(*a) < of(*b); });
        };
        const observed* const chosen = least([](const observed& o) { return o.predicted_s; });
        const observed* const best = least([](const observed& o) { return o.typical_s(); });
        const double ratio = chosen->typical_s() / best->typical_s();
        within += ratio <= 1.1 ? 1 : 0;
        most = std::max(most, ratio);
    }
    return fmt::format("The algorithm that is predicted to be fastest is within 10 % of the fastest at {} of {} sizes; "
                       "at the worst it takes {:.2f} times as long.\n\n",
                       within, by_size.size(), most);
}

std::string ratios_table(const observations& all) {
    std::set<std::string> columns;
    std::map<std::size_t, std::map<std::string, const observed*>> by_size;
    const auto name = [](const observed& o) {
        return o.what.what == schedule::operation::allreduce
                   ? o.algorithm
                   : fmt::format("{}({})", schedule::name_of(o.what.what), o.algorithm);
    };
    for (const observed* o : all) {
        columns.insert(name(*o));
        by_size[o->what.bytes][name(*o)] = o;
    }
    std::vector<std::vector<std::string>> rows{{"size"}};
    rows.front().insert(rows.front().end(), columns.begin(), columns.end());
    for (const auto& [bytes, cells] : by_size) {
        std::vector<std::string>& row = rows.emplace_back(1, in_bytes(static_cast<double>(bytes)));
        for (const std::string& column : columns) {
            const auto at = cells.find(column);
            row.push_back(at == cells.end()
                              ? ""
                              : fmt::format("{:.2f}{}", 1 + at->second->error(), at->second->fitted ? "*" : " "));
        }
    }
    return markdown_table(rows);
}

std::string section(const observations& all, const fitted_transport& t) {
    std::string text = fmt::format("## {}\n\n", t.name) + errors_table(all) + parameters_table(t.fit);
    std::set<int> ranks;
    for (const observed* o : all) ranks.insert(o->what.size);
    for (const int p : ranks) {
        const auto of_p = those(all, [&](const observed& o) { return o.what.size == p; });
        text += fmt::format("### {}, {} ranks: predicted over measured\n\n", t.name, p) + ratios_table(of_p);
        text += regret(those(of_p, [](const observed& o) { return o.what.what == schedule::operation::allreduce; }));
    }
    return text;
}

} // namespace

std::string fit_report(const fit_settings& s, const measurements& m, const std::vector<fitted_transport>& found,
                       const std::string& where) {
    constexpr double disturbing = 0.3; // cores
    std::string text = fmt::format(
        "# What `tutti fit` found\n\n{}. The lower quartile of {} round{} of {} s a row; other work used {:.2f} cores "
        "meanwhile{}. Starred ratios were fitted, the others are predicted. Algorithms are of allreduce, in place.\n\n",
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
                        {"predicted_us", o.predicted_s * 1e6}});
    return rows.dump(1) + "\n";
}

} // namespace tutti::tools
