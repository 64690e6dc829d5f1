// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "contest.hpp"

#include "../common/lists.hpp"
#include "../common/quantities.hpp"
#include "../model/output.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

std::vector<model::collective> calls_of(const contest& c, std::size_t bytes, const pricing& prices) {
    std::vector<model::collective> calls;
    for (const std::string& name : c.algorithms) calls.push_back(prices.call(c.what, name, c.ranks, bytes));
    return calls;
}

/// Who is the fastest, marked with a ~ if asked where only an estimate says so.
std::string named_winner(const contest& c, const std::vector<std::optional<double>>& times,
                         const std::function<bool(std::size_t)>& is_estimate, bool marked) {
    const auto best = winner_of(times);
    if (!best) return "";
    return (marked && is_estimate(*best) ? "~" : "") + c.algorithms[*best];
}

/// Who is the fastest at a size within those that the rows are of. Between them all are priced: more data in more
/// segments may take less time, so that nobody is out of the race for being slow at the next smaller size.
std::string winner_at(const contest& c, const std::vector<std::size_t>& sizes, std::span<const model_row> rows,
                      std::size_t bytes, pricing& prices, bool marked) {
    const std::size_t width = c.algorithms.size();
    const auto at = static_cast<std::size_t>(std::lower_bound(sizes.begin(), sizes.end(), bytes) - sizes.begin());
    std::vector<std::optional<double>> times;
    if (sizes[at] == bytes) {
        rows = rows.subspan(at * width, width);
        for (const model_row& r : rows) times.push_back(predicted_us(r, prices.simulates()));
        return named_winner(
            c, times, [&](std::size_t k) { return is_estimate(rows[k]); }, marked);
    }
    std::vector<model::collective> calls = calls_of(c, bytes, prices);
    const auto simulated = times = prices.simulated_estimates_us(calls);
    for (std::size_t k = 0; k < width; ++k)
        if (!times[k]) times[k] = prices.predicted_us(calls[k]);
    return named_winner(
        c, times, [&](std::size_t k) { return !simulated[k] && prices.is_estimated(calls[k]); }, marked);
}

} // namespace

std::vector<contest> contests_of(std::string_view operation_list, std::string_view algorithms,
                                 std::string_view ranks_list) {
    const std::vector<operation> operations = operations_of(operation_list);
    const std::vector<int> sizes = parse_ranks(ranks_list, most_priced_ranks);
    std::vector<contest> all;
    for (const operation what : operations)
        for (const int ranks : sizes) {
            if (ranks > schedule::most_ranks(what)) {
                if (operations.size() > 1) continue;
                throw std::invalid_argument(
                    fmt::format("{} can have {} ranks at most", schedule::name_of(what), schedule::most_ranks(what)));
            }
            contest c{what, ranks, {}};
            const auto names = split_list(algorithms);
            const bool takes_all = std::find(names.begin(), names.end(), "all") != names.end();
            for (const choice& a : choices(algorithms, what, ranks, operations.size() > 1)) {
                c.has_auto = c.has_auto || a.name == "auto" || takes_all;
                if (!a.algorithm) continue;
                require_proven(*a.algorithm, what, ranks);
                c.algorithms.push_back(a.name);
            }
            if (!c.algorithms.empty() || c.has_auto) all.push_back(std::move(c));
        }
    if (all.empty()) throw std::invalid_argument(std::string(algorithms) + " has none of these operations");
    return all;
}

void add_choices(std::vector<contest>& contests, const std::vector<std::size_t>& sizes, pricing& prices) {
    for (contest& c : contests)
        for (const std::size_t bytes : sizes) {
            const auto chosen = c.has_auto ? prices.chosen(c.what, c.ranks, bytes) : std::nullopt;
            std::string name(chosen ? chosen->how.name() : "");
            const bool is_known = std::find(c.algorithms.begin(), c.algorithms.end(), name) != c.algorithms.end();
            if (!name.empty() && !is_known) c.algorithms.push_back(std::move(name));
        }
    if (std::any_of(contests.begin(), contests.end(), [](const contest& c) { return c.algorithms.empty(); }))
        throw std::invalid_argument("auto has nothing to choose from here: name an algorithm beside it");
}

void price(const contest& c, const std::vector<std::size_t>& sizes, pricing& prices, std::vector<model_row>& rows,
           const std::function<void(const std::string&)>& begins, const std::function<void(const model_row&)>& done) {
    for (const std::size_t bytes : sizes) {
        const auto chosen = c.has_auto ? prices.chosen(c.what, c.ranks, bytes) : std::nullopt;
        std::vector<model::collective> calls = calls_of(c, bytes, prices);
        const auto simulated = prices.simulated_estimates_us(calls);
        for (std::size_t k = 0; k < calls.size(); ++k) {
            if (begins)
                begins(fmt::format("{}({}) on {} ranks, {}", schedule::name_of(c.what), c.algorithms[k], c.ranks,
                                   bytes_text(static_cast<double>(bytes))));
            rows.push_back(prices.price(calls[k]));
            if (simulated[k]) rows.back().simulated_us = simulated[k];
            rows.back().auto_segments = chosen && c.algorithms[k] == chosen->how.name() ? chosen->segments : 0;
            if (done) done(rows.back());
        }
    }
}

std::vector<model_timeline> timelines(const contest& c, std::size_t bytes, const pricing& prices, int most_ranks) {
    std::vector<model_timeline> all;
    for (const std::string& name : c.algorithms)
        all.push_back(prices.timeline(prices.call(c.what, name, std::min(c.ranks, most_ranks), bytes)));
    return all;
}

void print(const contest& c, const std::vector<std::size_t>& sizes, std::span<const model_row> rows,
           const pricing& prices) {
    for (std::size_t k = 0; k < sizes.size(); ++k)
        print_table(rows.subspan(k * c.algorithms.size(), c.algorithms.size()), prices.simulates());
}

std::optional<model_fastest> fastest(const contest& c, const std::vector<std::size_t>& sizes,
                                     std::span<const model_row> rows, pricing& prices) {
    if (c.algorithms.size() < 2 || sizes.size() < 2) return std::nullopt;
    const auto winner = [&](std::size_t bytes) { return winner_at(c, sizes, rows, bytes, prices, false); };
    const auto marked = [&](std::size_t bytes) { return winner_at(c, sizes, rows, bytes, prices, true); };
    model_fastest found{std::string(schedule::name_of(c.what)), c.ranks, prices.simulates(), marked(sizes.front()),
                        crossovers(sizes, winner)};
    for (crossover& one : found.changes) one.to = marked(one.bytes);
    return found;
}

} // namespace tutti::tools
