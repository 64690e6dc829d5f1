// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "output.hpp"

#include "../common/quantities.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::tools {
namespace {

using row_json = nlohmann::ordered_json;

double twelve_digits(double value) { return std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr); }

row_json or_null(const std::optional<long long>& value) { return value ? row_json(*value) : row_json(nullptr); }
row_json or_null(const std::optional<double>& value) {
    return value ? row_json(twelve_digits(*value)) : row_json(nullptr);
}

row_json to_object(const model_row& r) {
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
            {"exact", r.closed_form_us ? row_json(r.closed_form_is_exact) : row_json(nullptr)},
            {"simulated_us", or_null(r.simulated_us)},
            {"measured_us", or_null(r.measured_us)},
            {"segments", r.segments}};
}

std::string plain(const row_json& value) {
    if (value.is_null()) return "";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string line_of(const std::vector<std::string>& cells) { return fmt::format("{}\n", fmt::join(cells, ",")); }

std::string cell(const std::optional<long long>& value) { return value ? std::to_string(*value) : "-"; }
/// Microseconds; from 10 s on with an exponent, so that digits can be counted, and fit their column.
std::string cell(const std::optional<double>& us) {
    if (!us) return "-";
    return *us < 1e7 ? fmt::format("{:.3f}", *us) : fmt::format("{:.6e}", *us);
}
template <class... Cell>
void print_prices(const Cell&... c) {
    fmt::print("{} {:<32} {:>7} {:>8} {:>11} {:>10} {:>10} {:>7} {:>10} {:>14} {:>14} {:>14} {:>8}\n", c...);
}

std::string titled(const model_row& r) {
    return r.segments == 1 ? r.algorithm : fmt::format("{}, {} segments", r.algorithm, r.segments);
}

/// All that is known of a row's time.
bool is_estimate(const model_row& r) { return !r.simulated_us && r.closed_form_us && !r.closed_form_is_exact; }

void print_row(const model_row& r, bool best, const std::string& factor) {
    print_prices(best ? '*' : ' ', titled(r), cell(r.depth), cell(r.rounds), cell(r.messages),
                 volume_text(r.bytes_sent_max), volume_text(r.bytes_received_max), cell(r.fan_in_max),
                 volume_text(r.total_bytes),
                 (r.closed_form_us && !r.closed_form_is_exact ? "~" : "") + cell(r.closed_form_us),
                 cell(r.simulated_us), cell(r.measured_us), factor);
}

} // namespace

std::string to_json(const std::vector<model_row>& rows) {
    std::string text = "[";
    for (const model_row& r : rows) text += (text.size() > 1 ? ",\n" : "\n") + to_object(r).dump();
    return text + "\n]\n";
}

std::string to_csv(const std::vector<model_row>& rows) {
    std::vector<std::string> names;
    const row_json keys = to_object({});
    for (const auto& [key, value] : keys.items()) names.push_back(key);
    std::string text = line_of(names);
    for (const model_row& r : rows) {
        std::vector<std::string> cells;
        const row_json object = to_object(r);
        for (const row_json& value : object) cells.push_back(plain(value));
        text += line_of(cells);
    }
    return text;
}

std::optional<double> predicted_us(const model_row& row, bool simulated) noexcept {
    return simulated || row.simulated_us ? row.simulated_us : row.closed_form_us;
}

std::optional<std::size_t> winner_of(const std::vector<std::optional<double>>& times_us) {
    constexpr double rounding = 1e-9; // as in the report's page
    std::optional<std::size_t> best;
    for (std::size_t k = 0; k < times_us.size(); ++k)
        if (times_us[k] && (!best || *times_us[k] < *times_us[*best] * (1 - rounding))) best = k;
    return best;
}

void print_table(std::span<const model_row> rows, bool simulated) {
    const model_row& first = rows.front();
    fmt::print("\n# {}, {} rank{}, {}\n", first.operation, first.ranks, first.ranks == 1 ? "" : "s",
               bytes_text(static_cast<double>(first.bytes)));
    print_prices('#', "algorithm", "depth", "rounds", "messages", "sent", "received", "fan-in", "total", "closed form",
                 "simulated", "measured", "times");
    print_prices('#', "", "", "", "", "max", "max", "max", "", "us", "us", "us", "the best");
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
        print_row(rows[k], k == best, comparable ? mark + fmt::format("{:.2f}", *times[k] / *times[*best]) : "-");
    }
}

void print_crossovers(const model_fastest& fastest) {
    const auto known = [](const std::string& winner) { return winner.empty() ? "not known" : winner; };
    fmt::print("\n# fastest {}, {} ranks: {}", fastest.operation, fastest.ranks, known(fastest.at_smallest));
    for (const crossover& c : fastest.changes)
        fmt::print("; from {} on {}", bytes_text(static_cast<double>(c.bytes)), known(c.to));
    fmt::print("{}\n", fastest.changes.empty() ? " at all of these sizes" : "");
}

} // namespace tutti::tools
