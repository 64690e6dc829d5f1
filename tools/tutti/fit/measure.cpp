// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../common/choices.hpp"
#include "../common/lists.hpp"
#include "../common/other_work.hpp"
#include "../common/progress.hpp"
#include "../common/random.hpp"
#include "../common/sizes.hpp"
#include "../common/statistics.hpp"
#include "../run/spawn.hpp"
#include "fit.hpp"

#include <collectives/choice/default_choice.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace tutti::tools {
namespace {

/// Sizes from the smallest, each so many times the former, are fitted; those so many times as large are not.
constexpr std::size_t smallest = 8, factor = 8, between = 4;

/// The schedules that identify the parameters: see the help.
const std::set<std::string> identifying{"naive", "ring", "butterfly", "one_shot", "binomial_tree"};

/// One run of `tutti bench`.
struct errand {
    std::string transport;
    int ranks = 0;
    std::string operations;
    std::vector<std::string> algorithms;
};

std::string all_of(const descriptor& from) {
    std::string text;
    std::array<char, 4096> piece;
    for (;;) {
        const ssize_t got = read(from.get(), piece.data(), piece.size());
        if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
        if (got == 0 || (got < 0 && errno != EINTR)) return text;
    }
}

int ended(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

std::string all_sizes(const fit_settings& s) {
    std::vector<std::string> words;
    for (const auto& some : {fitted_sizes(s), tested_sizes(s)})
        for (const std::size_t bytes : some) words.push_back(std::to_string(bytes));
    return join(words, ",");
}

nlohmann::json rows_of(const errand& e, const fit_settings& s) {
    const std::vector<std::string> command{"tutti",       "bench",
                                           "--transport", e.transport,
                                           "--ranks",     std::to_string(e.ranks),
                                           "--operation", e.operations,
                                           "--algorithm", join(e.algorithms, ","),
                                           "--place",     "in",
                                           "--bytes",     all_sizes(s),
                                           "--seconds",   std::to_string(s.seconds),
                                           "-w",          "1",
                                           "-c",          "0",
                                           "--json",      "-"};
    spawn_options how;
    how.command = command;
    how.program = this_program;
    child bench = spawn(how);
    const std::string rows = all_of(bench.output);
    const std::string said = all_of(bench.error); // little: it fits into the pipe meanwhile
    if (ended(bench.pid) != 0) throw std::runtime_error("tutti bench failed:\n" + said);
    return nlohmann::json::parse(rows);
}

/// Runs errands again where other work disturbed them, as long as there is time to spare for that.
class patient {
public:
    /// The rows of the attempt that was disturbed least.
    nlohmann::json run(const errand& e, const fit_settings& s) {
        constexpr int attempts = 3;
        constexpr double disturbed_cores = 0.1;
        nlohmann::json best;
        double least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < attempts && least > disturbed_cores && (k == 0 || spare_s_ > 0); ++k) {
            const auto begin = clock::now();
            const other_work others;
            nlohmann::json rows = rows_of(e, s);
            if (k > 0) spare_s_ -= std::chrono::duration<double>(clock::now() - begin).count();
            if (others.cores() >= least) continue;
            least = others.cores();
            best = std::move(rows);
        }
        return best;
    }

private:
    using clock = std::chrono::steady_clock;
    double spare_s_ = 60;
};

std::string all_but_allreduce() {
    std::string list;
    for (const operation what : schedule::operations)
        if (what != operation::allreduce) list.append(list.empty() ? "" : ",").append(name_of(what));
    return list;
}

/// Whatever measures the same in each round: an errand for allreduce, which is fitted, and one for all else.
std::vector<errand> errands(const fit_settings& s) {
    std::vector<errand> all;
    for (const std::string& transport : s.transports)
        for (const int ranks : s.ranks)
            for (const std::string& operations : {std::string("allreduce"), all_but_allreduce()}) {
                std::set<std::string> names;
                for (const operation what : operations_of(operations))
                    for (const choice& c : choices("all", what, ranks)) names.insert(c.name);
                all.push_back({transport, ranks, operations, {names.begin(), names.end()}});
            }
    return all;
}

void shuffle(auto& items, random_source& random) {
    for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[random.below(k)]);
}

observed first_of(const errand& e, const nlohmann::json& row, const std::vector<std::size_t>& fitted) {
    const auto what = operations_of(row.at("operation").get<std::string>()).front();
    const std::string name = row.at("algorithm");
    const auto bytes = row.at("bytes").get<std::size_t>();
    const algorithm::any how = *choices(name, what, e.ranks).front().algorithm;
    const bool kept = std::binary_search(fitted.begin(), fitted.end(), bytes);
    return {e.transport,
            name,
            {what, how, e.ranks, bytes, 0, model::segments_for(how, bytes), true, sizeof(float)},
            kept,
            kept && what == operation::allreduce && identifying.contains(name),
            {}};
}

/// By operation, algorithm and bytes.
using rows_of_errand = std::map<std::tuple<std::string, std::string, std::size_t>, observed>;

/// How many times as long as the shortest of its rounds a row of this one took, in the median of all rows.
double slowness(const rows_of_errand& rows, std::size_t round) {
    std::vector<double> ratios;
    for (const auto& [key, o] : rows)
        ratios.push_back(o.seconds[round] / *std::min_element(o.seconds.begin(), o.seconds.end()));
    return median_of(std::move(ratios));
}

/// A machine may change its state for seconds: a virtual one when its cores come to share a cache, or cease to. Leaves
/// out what was measured in a slower state than the fastest, all rows of a round alike, so that those of one errand are
/// of one machine. What took less there than in the fastest was disturbed in that, and stays.
void keep_fastest_state(rows_of_errand& rows, std::size_t rounds) {
    constexpr double another_state = 1.15;
    std::vector<double> slow;
    for (std::size_t round = 0; round < rounds; ++round) slow.push_back(slowness(rows, round));
    const double bound = *std::min_element(slow.begin(), slow.end()) * another_state;
    for (auto& [key, o] : rows) {
        std::vector<double> fast, other;
        for (std::size_t round = 0; round < rounds; ++round)
            (slow[round] <= bound ? fast : other).push_back(o.seconds[round]);
        const double least = *std::min_element(fast.begin(), fast.end());
        std::copy_if(other.begin(), other.end(), std::back_inserter(fast), [&](double s) { return s < least; });
        std::sort(fast.begin(), fast.end());
        o.seconds = std::move(fast);
    }
}

/// Sizes from this one on, as far as the settings go.
std::vector<std::size_t> sizes_from(std::size_t first, const fit_settings& s) {
    return first > s.largest ? std::vector<std::size_t>{} : sizes_of({first, s.largest, factor, 0});
}

} // namespace

std::vector<std::size_t> fitted_sizes(const fit_settings& s) { return sizes_from(smallest, s); }
std::vector<std::size_t> tested_sizes(const fit_settings& s) { return sizes_from(smallest * between, s); }

measurements measure(const fit_settings& s) {
    const other_work others;
    const std::vector<std::size_t> fitted = fitted_sizes(s);
    std::vector<errand> all = errands(s);
    std::map<std::tuple<std::string, int, std::string>, rows_of_errand> found;
    random_source random{1};
    patient runner;
    progress_line progress{true, without_terminal::lines};
    std::size_t done = 0;
    for (int round = 0; round < s.rounds; ++round) {
        shuffle(all, random);
        for (errand& e : all) {
            progress.show(done++, all.size() * static_cast<std::size_t>(s.rounds),
                          fmt::format("{} over {}, {} ranks, round {}",
                                      e.operations.starts_with("allreduce") ? "allreduce" : "other operations",
                                      e.transport, e.ranks, round + 1));
            shuffle(e.algorithms, random);
            rows_of_errand& rows = found[{e.transport, e.ranks, e.operations}];
            for (const nlohmann::json& row : runner.run(e, s)) {
                const auto at =
                    rows.try_emplace({row.at("operation"), row.at("algorithm"), row.at("bytes").get<std::size_t>()},
                                     first_of(e, row, fitted));
                at.first->second.seconds.push_back(row.at("p50_us").get<double>() * 1e-6);
            }
        }
    }
    measurements m;
    m.other_cores = others.cores();
    for (auto& [errand, rows] : found) {
        keep_fastest_state(rows, static_cast<std::size_t>(s.rounds));
        for (auto& [key, o] : rows) m.all.push_back(std::move(o));
    }
    return m;
}

} // namespace tutti::tools
