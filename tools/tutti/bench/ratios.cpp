// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "ratios.hpp"

#include "../common/lists.hpp"
#include "../common/statistics.hpp"
#include "figures.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// Sizes of rows, by what else they are of.
using kinds = std::map<std::string, std::set<std::size_t>>;

/// What a row is of, whichever algorithm it is measured with: a contestant chooses by itself.
row_object subject_without_algorithm(const row_object& row) {
    row_object subject = subject_in(row);
    subject.erase("algorithm");
    return subject;
}

/// Ranks that have a part in it.
int ranks_in(const row_object& row) {
    return !row.at("pairs").is_null() ? 2 * row.at("pairs").get<int>() : row.at("ranks").get<int>();
}

/// "allreduce float32 sum in place".
std::string kind_of(const row_object& row) {
    const std::string op = row.at("op") == "none" ? "" : " " + plain(row.at("op"));
    return title_of(row) + " " + plain(row.at("type")) + op + (row.at("in_place").get<bool>() ? " in place" : "");
}

std::string kind_of(const foreign_row& row) {
    return row.operation + (row.root ? fmt::format(" root {}", *row.root) : "") + (row.type ? " " + *row.type : "") +
           (row.op ? " " + *row.op : "") + (row.in_place ? " in place" : "") +
           (row.ranks ? fmt::format(" of {} ranks", *row.ranks) : "");
}

/// "a (8, 64 bytes); b; and 7 more".
std::string some_of(const kinds& all) {
    constexpr std::size_t most = 8, most_sizes = 4;
    std::vector<std::string> words;
    for (const auto& [kind, sizes] : all) {
        if (words.size() == most) break;
        std::vector<std::string> some;
        for (const std::size_t bytes : sizes) some.push_back(some.size() < most_sizes ? std::to_string(bytes) : "...");
        some.resize(std::min(some.size(), most_sizes + 1));
        words.push_back(kind + (some.empty() ? "" : " (" + join(some) + " bytes)"));
    }
    return join(words, "; ") + (all.size() > most ? fmt::format("; and {} more", all.size() - most) : "");
}

} // namespace

bool ratios::rival::is_like(const row_object& ours) const {
    if (!read) return subject == subject_without_algorithm(ours);
    for (const char* const key : {"uneven", "between", "imbalance"})
        if (!ours.at(key).is_null()) return false;
    return ours.at("operation") == read->operation && ours.at("bytes") == read->bytes &&
           ours.at("in_place") == read->in_place && (!read->type || ours.at("type") == *read->type) &&
           (!read->op || ours.at("op") == *read->op) &&
           (!read->root || ours.at("root").is_null() || ours.at("root") == *read->root) &&
           (!read->ranks || ranks_in(ours) == *read->ranks);
}

ratios::ratios(const bench_settings& settings, int ranks)
    : settings_(settings), tolerance_(settings.tolerance_is_given ? settings.tolerance : 0),
      names_(settings.contestants) {
    for (const std::string& file : settings.against) {
        if (!is_foreign(file))
            throw std::invalid_argument("--against: rows of tutti bench --json, as in " + file +
                                        ", are not compared together with those of other programs");
        foreign_file read = read_foreign(file, ranks);
        const bool knows = std::ranges::all_of(read.rows, [](const foreign_row& r) { return r.ranks.has_value(); });
        names_.push_back(std::filesystem::path(file).filename().string());
        told_.push_back(
            fmt::format("{}: {}{}", names_.back(), read.tool,
                        knows ? "" : fmt::format(", which does not say of how many ranks: taken for {}", ranks)));
        for (const std::string& benchmark : read.unknown) unknown_.emplace_back(names_.back(), benchmark);
        for (foreign_row& row : read.rows) theirs_.push_back({names_.back(), std::move(row), {}});
    }
}

void ratios::require_some(const std::vector<row_object>& rows) const {
    if (settings_.against.empty()) return;
    for (const row_object& row : rows)
        if (std::ranges::any_of(theirs_, [&](const rival& r) { return r.is_like(row); })) return;
    kinds ours, there;
    for (const row_object& row : rows) ours[kind_of(row)].insert(row.at("bytes").get<std::size_t>());
    for (const rival& r : theirs_) there[kind_of(*r.read)].insert(r.read->bytes);
    throw std::invalid_argument(
        fmt::format("--against: {} holds none of {}, but {}", join(names_), some_of(ours), some_of(there)));
}

void ratios::add_theirs(const std::string& name, const row_object& row) {
    const row_object subject = subject_without_algorithm(row);
    auto of = std::ranges::find_if(theirs_, [&](const rival& r) { return r.name == name && r.subject == subject; });
    if (of == theirs_.end()) of = theirs_.insert(of, {name, std::nullopt, subject});
    of->times.add(row);
}

void ratios::add(row_object row) {
    if (!settings_.against.empty()) { // what the others have is the mean
        const double moved = row.at("busbw_GBps").get<double>() * row.at("time_us").get<double>();
        row["time_us"] = row.at("avg_us");
        row["busbw_GBps"] = moved / row.at("time_us").get<double>();
    }
    const row_object subject = subject_in(row);
    auto of = std::ranges::find_if(ours_, [&](const own& o) { return subject_in(o.row) == subject; });
    if (of == ours_.end()) of = ours_.insert(of, {row});
    of->times.add(row);
}

std::vector<row_object> ratios::rows_of_others() const {
    std::vector<row_object> rows;
    for (const own& ours : ours_) {
        const double moved = ours.row.at("busbw_GBps").get<double>() * ours.row.at("time_us").get<double>();
        const auto add = [&](const std::string& by, double time_us) {
            row_object& row = rows.emplace_back(ours.row);
            row["algorithm"] = by;
            for (const char* const unknown : {"chosen", "predicted_us", "wrong", "p50_low_us", "p50_high_us"})
                row[unknown] = nullptr;
            row["time_us"] = row["p50_us"] = time_us;
            row["busbw_GBps"] = moved / time_us;
        };
        bool beside_means = false;
        for (const rival& theirs : theirs_) {
            if (!theirs.is_like(ours.row)) continue;
            beside_means = beside_means || theirs.read;
            for (const double time_us : theirs.read ? std::vector{theirs.read->time_us} : theirs.times.times().rounds)
                add(theirs.read ? theirs.name + ", mean" : theirs.name, time_us);
        }
        if (beside_means) // as the last lines compare them
            for (const double time_us : ours.times.times().rounds)
                add((ours.row.at("algorithm") == "-" ? "tutti" : plain(ours.row.at("algorithm"))) + ", mean", time_us);
    }
    return rows;
}

/// A file has one time of a row, and does not say how that varies: then the interval is that of our rounds, and a false
/// alarm is what they say where theirs is our median.
compared_times ratios::compared(const rival& theirs, const own& ours, double alarms) const {
    const measured_times now = ours.times.times();
    if (!theirs.read) return compare(theirs.times.times(), now, tolerance_, alarms);
    compared_times c{theirs.read->time_us, now.median(), {}, change::unknown, 0};
    if (now.rounds.size() < least_rounds) return c;
    const std::size_t depth = depth_of_median(now.rounds.size(), 1 - 2 * alarms);
    c.false_alarm = (1 - median_is_within(now.rounds.size(), depth)) / 2;
    const interval between = now.between_rounds(depth);
    c.ratio = {between.low / c.earlier, between.high / c.earlier};
    c.what = change_of(c.ratio, tolerance_);
    return c;
}

void ratios::print_heading(std::FILE* to) const {
    if (settings_.against.empty())
        fmt::print(
            to, "# ratio: our {} over theirs, timed by the same code and launched in turn; below 1 tutti is faster\n",
            settings_.how == timing::barrier ? "p50" : "avg");
    else
        fmt::print(to, "# ratio: our avg over theirs, both the mean of calls and ranks; below 1 tutti is faster. Other "
                       "code timed theirs, on a machine that it does not name; the interval is of our rounds alone\n");
    for (const std::string& file : told_) fmt::print(to, "# {}\n", file);
}

verdict ratios::print(double most_other_cores, bool launches_rounds, std::FILE* to) const {
    print_heading(to);
    std::vector<table_cells> table;
    std::map<std::string, tally> counts;      // by name
    std::map<std::string, kinds> lacks, left; // by name
    std::set<std::size_t> met;
    tally all;
    std::ptrdiff_t rows = 0;
    for (const own& ours : ours_)
        rows += std::ranges::count_if(theirs_, [&](const rival& theirs) { return theirs.is_like(ours.row); });
    for (const own& ours : ours_) {
        std::set<std::string> partners;
        for (std::size_t k = 0; k < theirs_.size(); ++k) {
            const rival& theirs = theirs_[k];
            if (!theirs.is_like(ours.row)) continue;
            met.insert(k);
            partners.insert(theirs.name);
            const compared_times c = beside_other_work(compared(theirs, ours, most_alarms / static_cast<double>(rows)),
                                                       theirs.times, ours.times, most_other_cores);
            table.push_back(
                cells_of(theirs.name, ours.row, choice_text(ours.row, ours.times.chosen(), ours.times.chosen()), c));
            counts[theirs.name].add(c);
            all.add(c);
        }
        for (const std::string& name : names_)
            if (!partners.contains(name))
                lacks[name][kind_of(ours.row)].insert(ours.row.at("bytes").get<std::size_t>());
    }
    for (std::size_t k = 0; k < theirs_.size(); ++k)
        if (const auto& read = theirs_[k].read; read && !met.contains(k))
            left[theirs_[k].name][kind_of(*read)].insert(read->bytes);
    for (const auto& [name, benchmark] : unknown_) left[name][benchmark];
    print_table(to, "of", "theirs us", "ours us", table);
    verdict v;
    for (const std::string& name : names_) {
        const tally& t = counts[name];
        fmt::print(to, "# beside {}: slower in {}, faster in {}, neither in {}, not judged in {}\n", name,
                   counted(t.count(change::slower), "row"), t.count(change::faster), t.count(change::none),
                   t.not_judged());
        if (!lacks[name].empty())
            fmt::print(to, "# {}: {}\n", settings_.against.empty() ? "not measured of " + name : name + " lacks",
                       some_of(lacks[name]));
        if (!left[name].empty()) fmt::print(to, "# rows of {} without a partner here: {}\n", name, some_of(left[name]));
        if (!settings_.tolerance_is_given) continue;
        v.slower += t.count(change::slower);
        v.complete = v.complete && t.not_judged() == 0 && lacks[name].empty();
    }
    print_reasons(to, all, most_other_cores, launches_rounds);
    return v;
}

int compare_files(const bench_settings& s) {
    const earlier_runs now(s.now);
    const row_object& first = now.rows().front();
    const row_object conditions = conditions_in(first);
    now.require(conditions);
    const bool launches_rounds = // of a launcher's ranks each file is one launch
        std::ranges::any_of(now.rows(), [](const row_object& row) { return row.value("launch", 0U) > 0; });
    const auto compared = [&](auto&& earlier, auto... tolerance) {
        earlier.require_some(now.rows());
        for (const row_object& row : now.rows()) earlier.add(row);
        fmt::print("# now: {}\n", join(s.now));
        for (const char* const key : {"started", "host", "kernel", "version"})
            fmt::print("# {} now: {}\n", key, plain(first.value(key, row_object())));
        return earlier.print(tolerance..., s.most_other_work * first.value("cores", 1.), launches_rounds, stdout);
    };
    verdict v;
    if (compares_with_others(s)) {
        v = compared(ratios(s, first.value("ranks", 1)));
    } else {
        earlier_runs earlier(s.against);
        earlier.require(conditions);
        v = compared(std::move(earlier), s.tolerance);
    }
    std::uint64_t wrong = 0;
    for (const row_object& row : now.rows())
        if (const row_object w = row.value("wrong", row_object()); !w.is_null()) wrong += w.get<std::uint64_t>();
    fmt::print("# wrong elements: {}\n", wrong);
    return wrong > 0 ? 1 : bench_result{0, v.slower, v.complete}.status();
}

} // namespace tutti::tools
