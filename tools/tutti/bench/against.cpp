// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "against.hpp"

#include "../common/lists.hpp"
#include "figures.hpp"
#include "foreign_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

namespace tutti::tools {

std::vector<row_object> rows_for(const std::vector<job>& jobs) {
    std::vector<row_object> rows;
    for (const job& j : jobs) {
        rows.push_back(subject_of(j));
        rows.back()["ranks"] = j.ranks;
    }
    return rows;
}

std::string title_of(const row_object& subject) {
    std::string text = plain(subject.at("operation"));
    for (const char* const key : {"root", "uneven", "pairs", "between", "imbalance"})
        if (!subject.at(key).is_null()) text += fmt::format(" {} {}", key, plain(subject.at(key)));
    return text;
}

std::string choice_text(const row_object& subject, const std::string& then, const std::string& now) {
    std::string text = plain(subject.at("algorithm"));
    if (!now.empty()) text += ":" + now;
    if (now != then) text += ",was:" + then;
    return text;
}

namespace {

/// Of two digits, and no less than it is.
double rounded_up(double value) {
    const double digit = std::pow(10, std::floor(std::log10(value)) - 1);
    return std::ceil(value / digit * (1 - 1e-12)) * digit;
}

} // namespace

table_cells cells_of(const std::string& of, const row_object& subject, const std::string& algorithm,
                     const compared_times& c) {
    return cells(of, plain(subject.at("bytes")), plain(subject.at("type")), plain(subject.at("op")), title_of(subject),
                 algorithm, subject.at("in_place").get<bool>() ? "in" : "out", figure(c.earlier), figure(c.now),
                 ratio_figure(c.now / c.earlier), is_judged(c.what) ? interval_figure(c.ratio) : "-", word_of(c.what));
}

void print_table(std::FILE* to, const char* of, const char* then, const char* now, std::vector<table_cells> rows) {
    rows.insert(rows.begin(), {of, "bytes", "type", "op", "operation", "algorithm", "place", then, now, "ratio",
                               "interval", "verdict"});
    fmt::print(to, "{}", table_text(rows, "<>>><<>>>>>"));
}

void print_reasons(std::FILE* to, const tally& t, double most_other_cores, bool launches_rounds) {
    if (t.count(change::unknown) > 0)
        fmt::print(to, "# not judged: {} of fewer than {} rounds, each a launch, on one side or both: {}\n",
                   counted(t.count(change::unknown), "row"), least_rounds,
                   launches_rounds
                       ? fmt::format("--rounds {} or more", least_rounds)
                       : "a launcher's ranks measure all rounds in one launch. Launch them that often, each time "
                         "with another --json FILE, and compare by --against FILE,... --now FILE,...");
    if (t.count(change::disturbed) > 0)
        fmt::print(to,
                   "# warning: other work used more than {:g} cores of the host beside {}: not judged; --other-work "
                   "sets the limit\n",
                   most_other_cores, counted(t.count(change::disturbed), "row"));
    if (t.count(change::untold) > 0)
        fmt::print(to,
                   "# other work beside {} is not known, since a launch took less than a tenth of a second: not "
                   "judged; --seconds takes longer, and --other-work 100 judges them\n",
                   counted(t.count(change::untold), "row"));
    if (t.alarms > 0)
        fmt::print(
            to,
            "# intervals are those of rounds, each a launch: if nothing changed and rounds are independent, a row "
            "is called slower in {:g} % of comparisons at most\n",
            rounded_up(100 * std::min(t.alarms, 1.)));
}

std::string_view word_of(change c) {
    constexpr std::array<std::string_view, kinds_of_change> words{"-",          "slower",     "faster",
                                                                  "not judged", "other work", "other work?"};
    return words[static_cast<std::size_t>(c)];
}

void rounds_of_row::add(const row_object& row) {
    const std::string file = row.value("file", "");
    const row_object both_ways = row.value("latency_us", row_object());
    const bool of_slowest = row.contains("mean_us") && (row.at("timing") != "barrier" || !row.at("pairs").is_null());
    if (!both_ways.is_null() || of_slowest)
        throw std::invalid_argument(file + " has times by other rules, as an older tutti bench: measure again");
    chosen_ = row.at("chosen").is_null() ? "" : row.at("chosen").get<std::string>();
    launches_[{file, row.value("launch", std::size_t{0})}].push_back(row.at("time_us").get<double>());
    cores_ = row.value("cores", 1.);
    if (const row_object others = row.value("other_cores", row_object()); !others.is_null())
        other_cores_.push_back(others.get<double>());
}

measured_times rounds_of_row::times() const {
    measured_times all;
    for (const auto& [launch, times] : launches_) all.rounds.push_back(median_of(times));
    return all;
}

compared_times beside_other_work(compared_times c, const rounds_of_row& then, const rounds_of_row& now,
                                 double most_other_cores) {
    if (std::max(then.other_cores(), now.other_cores()) <= most_other_cores) return c;
    c.what = then.knows_other_cores() && now.knows_other_cores() ? change::disturbed : change::untold;
    c.false_alarm = 0;
    return c;
}

double rounds_of_row::other_cores() const { return other_cores_.empty() ? cores_ : median_of(other_cores_); }

earlier_runs::earlier_runs(const std::vector<std::string>& files) : files_(files) {
    for (const std::string& file : files) {
        if (is_foreign(file))
            throw std::invalid_argument(
                file + " is not what tutti bench --json writes: files of other programs are for --against alone, "
                       "without such beside them");
        try {
            std::ifstream in(file, std::ios::binary);
            const std::size_t before = rows_.size();
            for (row_object& row : row_object::parse(in)) {
                row["file"] = file;
                if (is_of_tutti(row)) add_earlier(std::move(row));
            }
            if (rows_.size() == before) throw std::invalid_argument(file + " holds no rows of tutti");
        } catch (const nlohmann::json::exception&) {
            throw std::invalid_argument(file + " is not what this tutti bench --json writes");
        }
    }
}

void earlier_runs::add_earlier(row_object row) {
    then_[subject_in(row).dump()].add(row);
    rows_.push_back(std::move(row));
}

std::size_t earlier_runs::rounds() const {
    std::size_t most = 0;
    for (const auto& [subject, row] : then_) most = std::max(most, row.times().rounds.size());
    return most;
}

void earlier_runs::require(const row_object& conditions) const {
    for (const row_object& r : rows_)
        if (const std::string other = difference(conditions, "now", r, plain(r.at("file"))); !other.empty())
            throw std::invalid_argument("these runs cannot be compared: " + other);
}

void earlier_runs::require_some(const std::vector<row_object>& rows) const {
    if (std::ranges::none_of(rows, [&](const row_object& r) { return then_.contains(subject_in(r).dump()); }))
        throw std::invalid_argument("--against: " + join(files_) + " holds none of the rows that are to be compared");
}

void earlier_runs::add(const row_object& row) {
    const row_object subject = subject_in(row);
    const auto [at, first] = now_.try_emplace(subject.dump());
    if (first) subjects_.push_back(subject);
    at->second.add(row);
}

std::size_t earlier_runs::common_rows() const {
    return static_cast<std::size_t>(
        std::count_if(now_.begin(), now_.end(), [&](const auto& one) { return then_.contains(one.first); }));
}

std::vector<compared_row> earlier_runs::compared(double tolerance, double most_other_cores) const {
    const double alarms = most_alarms / static_cast<double>(common_rows());
    std::vector<compared_row> all;
    for (const row_object& subject : subjects_) {
        const auto then = then_.find(subject.dump());
        if (then == then_.end()) continue;
        const rounds_of_row& now = now_.at(then->first);
        const compared_times c = compare(then->second.times(), now.times(), tolerance, alarms);
        all.push_back(
            {subject, then->second.chosen(), now.chosen(), beside_other_work(c, then->second, now, most_other_cores)});
    }
    return all;
}

verdict earlier_runs::print(double tolerance, double most_other_cores, bool launches_rounds, std::FILE* to) const {
    const std::size_t rows = common_rows();
    const row_object first = rows_.empty() ? row_object() : rows_.front();
    fmt::print(to,
               "# against {}, measured {}: slower is what takes {:g} % longer at least, beyond the intervals of both\n",
               files_.empty() && !rows_.empty() ? plain(first.at("file")) : join(files_), plain(first.at("started")),
               100 * tolerance);
    for (const char* const key : {"host", "kernel", "version"})
        fmt::print(to, "# {} then: {}\n", key, plain(first.value(key, row_object())));
    std::vector<table_cells> table;
    tally all;
    for (const compared_row& r : compared(tolerance, most_other_cores)) {
        table.push_back(cells_of("", r.subject, choice_text(r.subject, r.then_chosen, r.now_chosen), r.times));
        all.add(r.times);
    }
    print_table(to, "", "then us", "now us", table);
    if (rows < then_.size()) fmt::print(to, "# not measured now: {} of then\n", counted(then_.size() - rows, "row"));
    if (rows < now_.size()) fmt::print(to, "# not measured then: {} of now\n", counted(now_.size() - rows, "row"));
    fmt::print(to, "# slower: {}, faster: {}, neither: {}, not judged: {}\n", all.count(change::slower),
               all.count(change::faster), all.count(change::none), all.not_judged());
    print_reasons(to, all, most_other_cores, launches_rounds);
    return {all.count(change::slower), rows == then_.size() && rows == now_.size() && all.not_judged() == 0};
}

} // namespace tutti::tools
