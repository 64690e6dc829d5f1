// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "output.hpp"

#include "../common/quantities.hpp"
#include "../common/table_text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::tools {
namespace {

double twelve_digits(double value) { return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr); }

row_object or_null(const std::optional<long long>& value) { return value ? row_object(*value) : row_object(nullptr); }
row_object or_null(const std::optional<double>& value) {
    return value ? row_object(twelve_digits(*value)) : row_object(nullptr);
}

std::string cell(const std::optional<long long>& value) { return value ? std::to_string(*value) : "-"; }
/// Microseconds; from 10 s on with an exponent, so that digits can be counted, and fit their column.
std::string cell(const std::optional<double>& us) {
    if (!us) return "-";
    return *us < 1e7 ? fmt::format("{:.3f}", *us) : fmt::format("{:.6e}", *us);
}
std::string titled(const model_row& r) {
    return r.algorithm + (r.segments == 1 ? "" : fmt::format(", {} segments", r.segments)) +
           (r.auto_segments > 0 ? " (" + auto_text(r) + ")" : "");
}

table_cells price_cells(const model_row& r, bool best, const std::string& factor) {
    return cells((best ? "* " : "  ") + titled(r), cell(r.depth), cell(r.rounds), cell(r.messages),
                 volume_text(r.bytes_sent_max), volume_text(r.bytes_received_max), cell(r.fan_in_max),
                 volume_text(r.total_bytes),
                 (r.closed_form_us && !r.closed_form_is_exact ? "~" : "") + cell(r.closed_form_us),
                 cell(r.simulated_us), cell(r.measured_us), factor);
}

} // namespace

row_object to_object(const model_row& r) {
    return {{"operation", r.operation},
            {"algorithm", r.algorithm},
            {"ranks", r.ranks},
            {"bytes", r.bytes},
            {"depth", or_null(r.depth)},
            {"rounds", or_null(r.rounds)},
            {"messages", or_null(r.messages)},
            {"bytes_sent_max", or_null(r.bytes_sent_max)},
            {"bytes_received_max", or_null(r.bytes_received_max)},
            {"fan_in_max", or_null(r.fan_in_max)},
            {"total_bytes", or_null(r.total_bytes)},
            {"closed_form_us", or_null(r.closed_form_us)},
            {"exact", r.closed_form_us ? row_object(r.closed_form_is_exact) : row_object(nullptr)},
            {"simulated_us", or_null(r.simulated_us)},
            {"measured_us", or_null(r.measured_us)},
            {"segments", r.segments},
            {"auto", r.auto_segments > 0},
            {"auto_segments", r.auto_segments > 0 ? row_object(r.auto_segments) : row_object(nullptr)}};
}

row_files::row_files(const std::string& csv, const std::string& json) {
    if (!csv.empty()) csv_.emplace(csv, row_file::format::csv);
    if (!json.empty()) json_.emplace(json, row_file::format::json);
}

void row_files::add(const model_row& row) {
    if (csv_) csv_->add(to_object(row));
    if (json_) json_->add(to_object(row));
}

void row_files::finish() {
    if (csv_) csv_->finish();
    if (json_) json_->finish();
}

std::optional<double> predicted_us(const model_row& row, bool simulated) noexcept {
    return simulated || row.simulated_us ? row.simulated_us : row.closed_form_us;
}

bool is_estimate(const model_row& r) noexcept { return !r.simulated_us && r.closed_form_us && !r.closed_form_is_exact; }

std::string source_of_time(const model_row& row, bool simulated) {
    if (!predicted_us(row, simulated)) return "";
    if (simulated || row.simulated_us) return "simulated";
    return is_estimate(row) ? "~closed form" : "closed form";
}

std::optional<std::size_t> winner_of(const std::vector<std::optional<double>>& times_us) {
    constexpr double rounding = 1e-9; // as in the report's page
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < times_us.size(); ++k)
        if (times_us[k] && (!best || *times_us[k] < *times_us[*best] * (1 - rounding))) best = k;
    return best;
}

std::string auto_text(const model_row& r) {
    if (r.auto_segments == 0) return "";
    const char* const plural = r.auto_segments == 1 ? "" : "s";
    return r.auto_segments == r.segments ? "auto" : fmt::format("auto: {} segment{}", r.auto_segments, plural);
}

void print_table(std::span<const model_row> rows, bool simulated) {
    const model_row& first = rows.front();
    fmt::print("\n# {}, {} rank{}, {}\n", first.operation, first.ranks, first.ranks == 1 ? "" : "s",
               bytes_text(static_cast<double>(first.bytes)));
    std::vector<table_cells> table{{"# algorithm", "depth", "rounds", "messages", "sent", "received", "fan-in", "total",
                                    "closed form", "simulated", "measured", "times"},
                                   {"#", "", "", "", "max", "max", "max", "", "us", "us", "us", "the best"}};
    std::vector<std::optional<double>> times;
    for (const model_row& r : rows) times.push_back(predicted_us(r, simulated));
    const auto best = winner_of(times);
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        constexpr double never = std::numeric_limits<double>::infinity();
        return a == best || (b != best && times[a].value_or(never) < times[b].value_or(never));
    });
    for (const std::size_t k : order) {
        const bool comparable = times[k] && *times[*best] > 0;
        const std::string mark = is_estimate(rows[k]) ? "~" : "";
        table.push_back(price_cells(rows[k], k == best,
                                    comparable ? mark + fmt::format("{:.2f}", *times[k] / *times[*best]) : "-"));
    }
    fmt::print("{}", table_text(table, "<>>>>>>>>>>>"));
}

void print_crossovers(const model_fastest& fastest) {
    const auto known = [](const std::string& winner) { return winner.empty() ? "not known" : winner; };
    fmt::print("\n# fastest {}, {} rank{}: {}", fastest.operation, fastest.ranks, fastest.ranks == 1 ? "" : "s",
               known(fastest.at_smallest));
    std::string last = fastest.at_smallest;
    for (std::size_t k = 0; k < fastest.changes.size(); ++k) {
        const auto from = [&](std::size_t i) {
            return rough_bytes_text(static_cast<double>(fastest.changes[i].bytes));
        };
        if (k + 1 < fastest.changes.size() && from(k) == from(k + 1)) continue; // closer than the model is right
        if (std::exchange(last, fastest.changes[k].to) != last) fmt::print("; from {} on {}", from(k), known(last));
    }
    fmt::print("{}\n", fastest.changes.empty() ? " at all of these sizes" : "");
}

} // namespace tutti::tools
