// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "columns.hpp"
#include "figures.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

std::string if_known(const std::optional<double>& value) { return value ? figure(*value) : "-"; }

std::string algorithm_of(const row& r) {
    return r.chosen.empty() ? r.what.algorithm.name : fmt::format("{}:{}", r.what.algorithm.name, r.chosen);
}

std::optional<double> overlap(const row& r, double overlap_times::*part) {
    return r.overlap ? std::optional((*r.overlap).*part) : std::nullopt;
}

void append(std::vector<column>& to, std::vector<column> some) {
    std::move(some.begin(), some.end(), std::back_inserter(to));
}

/// As wide as the longest name of a column.
int width_of(std::string_view title, const std::vector<job>& jobs, const std::function<std::string(const job&)>& name) {
    std::size_t most = title.size();
    for (const job& j : jobs) most = std::max(most, name(j).size());
    return static_cast<int>(most);
}

std::string type_of(const job& j) { return std::string(name_of(j.type)); }
std::string operator_of(const job& j) { return std::string(j.reduces() ? name_of(j.op) : "none"); }
std::string lateness_of(const job& j) { return j.late ? in_words(*j.late) : "-"; }

std::vector<column> subject_columns(const std::vector<job>& jobs, bool rooted, bool messages, bool uneven, bool late) {
    std::vector<column> all{
        {"bytes", "", 12, [](const row& r) { return std::to_string(r.what.bytes()); }},
        {"count", "", 11, [](const row& r) { return std::to_string(r.what.count); }},
        {"type", "", width_of("type", jobs, type_of), [](const row& r) { return type_of(r.what); }},
        {"op", "", width_of("op", jobs, operator_of), [](const row& r) { return operator_of(r.what); }}};
    if (rooted)
        append(all,
               {{"root", "", 4, [](const row& r) { return r.what.rooted() ? std::to_string(r.what.root) : "-"; }}});
    if (messages)
        append(all,
               {{"pairs", "", 5, [](const row& r) { return r.what.in_pairs() ? std::to_string(r.what.pairs) : "-"; }}});
    if (std::ranges::any_of(jobs, [](const job& j) { return j.between.has_value(); }))
        append(all, {{"between", "", 9, [](const row& r) {
                          const auto& b = r.what.between;
                          return b ? fmt::format("{}-{}", b->first, b->second) : "-";
                      }}});
    if (uneven)
        append(all, {{"uneven", "", 6,
                      [](const row& r) { return r.what.uneven ? fmt::format("{:g}", *r.what.uneven) : "-"; }}});
    if (late)
        append(all, {{"imbalance", "", width_of("imbalance", jobs, lateness_of),
                      [](const row& r) { return lateness_of(r.what); }}});
    append(all, {{"place", "", 5, [](const row& r) { return std::string(r.what.in_place ? "in" : "out"); }}});
    return all;
}

std::vector<column> time_columns() {
    return {
        {"predicted", "us", 9, [](const row& r) { return if_known(r.predicted_us); }},
        {"avg", "us", 9, [](const row& r) { return figure(r.average_us); }},
        {"p50", "us", 9, [](const row& r) { return (r.has_enough_iterations() ? "" : "~") + figure(r.time_us.p50); }},
        {"interval", "us", 17,
         [](const row& r) {
             const auto& i = r.time_us.p50_interval;
             return i ? fmt::format("{}-{}", figure(i->low), figure(i->high)) : "-";
         }},
        {"p99", "us", 9, [](const row& r) { return if_known(r.time_us.p99); }},
        {"min", "us", 9, [](const row& r) { return figure(r.time_us.least); }},
        {"max", "us", 9, [](const row& r) { return figure(r.time_us.most); }},
        {"rank_min", "us", 9, [](const row& r) { return figure(r.rank_averages_us.low); }},
        {"rank_max", "us", 9, [](const row& r) { return figure(r.rank_averages_us.high); }},
        {"slowest", "rank", 7, [](const row& r) { return std::to_string(r.slowest_rank); }},
        {"skew", "us", 7, [](const row& r) { return if_known(r.skew_us); }}};
}

std::vector<column> overlap_columns() {
    return {{"alone", "us", 9, [](const row& r) { return if_known(overlap(r, &overlap_times::pure_us)); }},
            {"compute", "us", 9, [](const row& r) { return if_known(overlap(r, &overlap_times::compute_us)); }},
            {"both", "us", 9, [](const row& r) { return if_known(overlap(r, &overlap_times::both_us)); }},
            {"overlap", "%", 7, [](const row& r) {
                 const auto percent = r.overlap ? r.overlap->percent() : std::nullopt;
                 return percent ? fmt::format("{:.0f}", *percent) : "-";
             }}};
}

} // namespace

std::vector<column> columns_for(const std::vector<job>& jobs) {
    const auto some = [&](auto what) { return std::ranges::any_of(jobs, what); };
    const bool messages = some([](const job& j) { return j.messages.has_value(); });
    const bool late = some([](const job& j) { return j.late.has_value(); });
    const bool uneven = some([](const job& j) { return j.uneven.value_or(0) > 0; });
    std::vector<column> all =
        subject_columns(jobs, some([](const job& j) { return j.rooted(); }), messages, uneven, late);
    append(all, time_columns());
    if (late) append(all, {{"behind", "us", 9, [](const row& r) { return if_known(r.behind_us); }}});
    if (messages)
        append(all, {{"rate", "M/s", 7, [](const row& r) {
                          const auto per_s = r.messages_per_s();
                          return per_s ? bandwidth_figure(*per_s * 1e-6) : "-";
                      }}});
    append(all, {{"algbw", "GB/s", 7, [](const row& r) { return bandwidth_figure(r.algorithm_GBps()); }},
                 {"busbw", "GB/s", 7, [](const row& r) { return bandwidth_figure(r.bus_GBps()); }}});
    if (some([](const job& j) { return j.overlap; })) append(all, overlap_columns());
    append(all, {{"cpu", "us", 9, [](const row& r) { return figure(r.cpu_us); }},
                 {"other", "cores", 5, [](const row& r) { return if_known(r.other_cores); }},
                 {"wrong", "", 6, [](const row& r) { return r.wrong ? std::to_string(*r.wrong) : "-"; }},
                 {"algorithm", "", -1, algorithm_of}}); // the last: names of choices may be long
    return all;
}

std::string line_of(const std::vector<column>& columns, const std::function<std::string(const column&)>& cell) {
    std::string line;
    for (const column& c : columns) {
        const auto width = static_cast<std::size_t>(std::abs(c.width));
        const std::string text = cell(c), fill(width - std::min(width, text.size()), ' ');
        line.append(line.empty() ? "" : " ").append(c.width < 0 ? text + fill : fill + text);
    }
    return line + "\n";
}

} // namespace tutti::tools
