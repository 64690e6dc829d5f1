// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "report.hpp"
#include "figures.hpp"
#include "page.hpp"

#include "../common/lists.hpp"
#include "../common/sections_page.hpp"
#include "../common/text_output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace tutti::tools {
namespace {

/// The p50's interval is known, and no further from it than so much of it.
bool is_within(const row_object& r, double precision) {
    if (r.at("p50_low_us").is_null()) return false;
    const double p50 = r.at("p50_us").get<double>();
    return std::max(r.at("p50_high_us").get<double>() - p50, p50 - r.at("p50_low_us").get<double>()) <=
           precision * p50 + 1e-3; // as rounded
}

/// Ranks with a processor each leave a call within some tenths of a microsecond; one that lets another run takes more.
bool is_apart(const row_object& r) {
    const row_object skew_us = r.value("skew_us", row_object()); // an older program's rows may lack it
    return !skew_us.is_null() && skew_us > std::max(1., r.at("p50_us").get<double>() / 4);
}

/// "20 iterations a row", "0.5 s a row in each of 5 rounds".
std::string amount_of(const bench_settings& s) {
    const double most_s = s.seconds > 0 ? s.seconds : precise_row_s;
    const std::string amount =
        s.iterations > 0  ? counted(s.iterations, "iteration") + " a row"
        : s.precision > 0 ? fmt::format("to {:g} % of the p50 in {:g} s a row at most", 100 * s.precision, most_s)
        : s.seconds > 0
            ? fmt::format("{} s a row", s.seconds)
            : fmt::format("{} to {} iterations in {:g} s a row", some_iterations, most_iterations, short_row_s);
    return s.rounds == 1 ? amount : fmt::format("{} in each of {} rounds", amount, s.rounds);
}

std::string memory_text(const bench_settings& s) {
    const std::string name(memory_name(s));
    if (name == "vector") return "vector, each buffer where a std::vector of its size begins";
    if (name == "page") return fmt::format("page, each buffer begins {} bytes behind the start of one", s.offset);
    return name + ", from communicator.allocate";
}

} // namespace

bench_report::bench_report(const bench_settings& settings, testbed at, int ranks, bool one_clock,
                           const std::vector<job>& jobs)
    : settings_(settings), at_(std::move(at)), ranks_(ranks), one_clock_(one_clock),
      quiet_(takes_standard_output({settings.json, settings.csv, settings.trace, settings.html},
                                   "--json, --csv, --trace and --html")),
      columns_(columns_for(jobs)), left_out_(tools::left_out(settings, jobs)),
      all_rows_(jobs.size() * settings.rounds) {
    if (compares_with_others(settings)) {
        ratios_.emplace(settings, ranks);
        ratios_->require_some(rows_for(jobs));
    } else if (!settings.against.empty()) {
        earlier_.emplace(settings.against); // first: it may be what is written next
        earlier_->require(conditions_of(settings, ranks, at_));
        earlier_->require_some(rows_for(jobs));
    }
    if (!settings.against_program.empty()) earlier_.emplace();
    read_launches_before();
    if (!settings.against_program.empty()) earlier_->require(conditions_of(settings, ranks, at_));
    if (!settings.json.empty()) json_.emplace(settings.json, row_file::format::json, !is_first());
    if (!settings.csv.empty()) csv_.emplace(settings.csv, row_file::format::csv, !is_first());
    if (is_last()) // the others have been measured
        for (const row_object& row : of_contestants_) while_read([&] { write(row); });
    if (!settings.html.empty()) require_sections_page();
    require_writable(settings.html);
    if (quiet_ || !is_first()) return;
    while_read([&] {
        for (const std::string& line : heading()) fmt::print("# {}\n", line);
        fmt::print("{}{}", line_of(columns_, [](const column& c) { return std::string(c.name); }),
                   line_of(columns_, [](const column& c) { return std::string(c.unit); }));
    });
}

/// What there is to know of the table below, a sentence a line.
std::vector<std::string> bench_report::heading() const {
    std::vector<std::string> lines;
    lines.push_back(fmt::format("tutti bench: {} over {}, {} after {} for warming up, {} a row checked, deadline {} s, "
                                "{} here",
                                counted(static_cast<std::size_t>(ranks_), "rank"), settings_.transport,
                                amount_of(settings_), settings_.warm_up, counted(settings_.checks, "call"),
                                settings_.deadline_s, counted(static_cast<std::size_t>(at_.cores), "core")));
    if (!at_.ranks_on.empty()) lines.push_back(fmt::format("{}", at_.ranks_on));
    const bool loop = settings_.how != timing::barrier;
    lines.push_back(fmt::format(
        "times: {}, {}{}; algbw and busbw by the {}",
        settings_.imbalances.empty() ? "of the slowest rank of each iteration, but avg of all ranks"
                                     : "of the late rank's own calls",
        settings_.how == timing::stream ? "calls back to back on a stream, by its events"
        : loop                          ? "calls back to back"
               : (one_clock_ ? "after a barrier in shared memory" : "after a barrier of the library itself"),
        settings_.cold ? ", caches swept before each" : "", loop ? "avg" : "p50"));
    lines.push_back(fmt::format("memory: {}", memory_text(settings_)));
    if (!settings_.imbalances.empty())
        lines.push_back(
            fmt::format("imbalance: rank {} computes so long before its call, and the others wait in theirs, which cpu "
                        "counts; behind: the mean of {} calls that follow in step, of the slowest rank",
                        ranks_ - 1, settings_.behind));
    if (settings_.overlap)
        lines.push_back(fmt::format(
            "overlap: calls are non-blocking, and a rank computes for as long as one takes; progress {}, {} tests "
            "meanwhile",
            settings_.by_waiters ? "by waiters" : "in calls", settings_.tests));
    if (const int threads = ranks_ * (settings_.by_waiters ? 2 : 1);
        settings_.overlap && one_clock_ && threads > at_.cores)
        lines.push_back(
            fmt::format("warning: {} ranks{} share {} cores: times of --overlap depend on who waits for a core", ranks_,
                        settings_.by_waiters ? ", each with a thread for progress," : "", at_.cores));
    if (!left_out_.empty()) lines.push_back(fmt::format("no rows, by these options: {}", left_out_));
    return lines;
}

void bench_report::begin(const job& what, std::size_t round) {
    if (std::exchange(round_, round) != round) current_ = {};
    progress_.show(rows_.size(), all_rows_, in_words(what));
}

void bench_report::print_row(const row& r) {
    if (std::exchange(current_, r.what.name()) != r.what.name())
        fmt::print("# {}{}\n", current_, settings_.rounds > 1 ? fmt::format(", round {}", r.round + 1) : "");
    fmt::print("{}", line_of(columns_, [&](const column& c) { return c.cell(r); }));
}

void bench_report::add(const row& r) {
    progress_.clear();
    const row_object& object = rows_.emplace_back(to_json(r, settings_, at_));
    if (settings_.launch.rows >= 0) append_row(settings_.launch.rows, object);
    if (earlier_) earlier_->add(object);
    if (ratios_) ratios_->add(object);
    while_read([&] {
        if (!quiet_) print_row(r);
        write(object);
        write_page_so_far();
    });
}

/// For who is interrupted: not to every row, since it takes some milliseconds.
void bench_report::write_page_so_far() {
    const auto now = std::chrono::steady_clock::now();
    if (is_standard_output(settings_.html) || now < next_page_ || !tutti::detail::place_of_plain_file(settings_.html))
        return;
    write_whole(page(), settings_.html);
    next_page_ = std::chrono::steady_clock::now() + std::chrono::seconds{1};
}

void bench_report::write(const row_object& row) {
    if (json_) json_->add(row);
    if (csv_) csv_->add(row);
}

/// `print` throws where it cannot write. That a reader has gone is no failure.
void bench_report::while_read(const std::function<void()>& print) {
    try {
        if (unread_) return;
        print();
        if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category(), "standard output");
    } catch (const std::system_error& e) {
        if (e.code() == std::errc::broken_pipe)
            unread_ = true;
        else if (quiet_ || std::string_view(e.what()).starts_with("cannot write"))
            throw; // of a table that cannot be written, main() tells
    }
}

void bench_report::read_launches_before() {
    if (settings_.launch.rows < 0) return;
    std::ifstream lines(fmt::format("/proc/self/fd/{}", settings_.launch.rows));
    for (std::string line; std::getline(lines, line);) {
        row_object row = row_object::parse(line);
        if (row.contains("program")) { // another one's
            row["library"] = row.at("program");
            row.erase("program");
            if (earlier_) {
                row["file"] = settings_.against_program;
                earlier_->add_earlier(std::move(row));
            } else {
                row["version"] = nullptr; // what it says is ours
                ratios_->add_theirs(row.at("library").get<std::string>(), row);
                of_contestants_.push_back(std::move(row));
            }
            continue;
        }
        if (earlier_) earlier_->add(row);
        if (ratios_) ratios_->add(row);
        rows_.push_back(std::move(row));
    }
}

/// Averages of one operation each: of several ones they say nothing, nor of rows that move nothing or are of one pair.
void bench_report::print_sums(std::FILE* to) const {
    struct bandwidth {
        std::string operation;
        double sum_GBps = 0;
        std::size_t rows = 0;
    };
    std::vector<bandwidth> all;
    std::uint64_t wrong = 0;
    std::size_t imprecise = 0;
    auto apart = std::ranges::count_if(of_contestants_, is_apart);
    if (earlier_ && !settings_.against_program.empty()) apart += std::ranges::count_if(earlier_->rows(), is_apart);
    for (const row_object& r : rows_) {
        if (settings_.precision > 0) imprecise += !is_within(r, settings_.precision);
        apart += is_apart(r);
        if (!r.at("wrong").is_null()) wrong += r.at("wrong").get<std::uint64_t>();
        if (r.at("bytes") == 0 || !r.at("between").is_null()) continue;
        auto of = std::ranges::find(all, r.at("operation").get<std::string>(), &bandwidth::operation);
        if (of == all.end()) of = all.insert(of, {r.at("operation").get<std::string>()});
        of->sum_GBps += r.at("busbw_GBps").get<double>();
        ++of->rows;
    }
    if (!quiet_)
        for (const bandwidth& b : all)
            fmt::print(to, "# average busbw of {}: {} GB/s over {}\n", b.operation,
                       bandwidth_figure(b.sum_GBps / static_cast<double>(b.rows)), counted(b.rows, "row"));
    if (apart > 0 && !quiet_ && !settings_.bind.given() && at_.ranks_on.find("not crowded") != std::string::npos)
        fmt::print(to, "# ranks may have shared a processor in {}, by their skew: --bind core\n",
                   counted(static_cast<std::size_t>(apart), "row"));
    if (imprecise > 0)
        fmt::print(to, "# warning: {} of {} rows did not reach {:g} % of the p50: --seconds gives them longer\n",
                   imprecise, rows_.size(), 100 * settings_.precision);
    if (settings_.checks > 0 && (!quiet_ || wrong > 0)) fmt::print(to, "# wrong elements: {}\n", wrong);
}

/// All rounds of each row: their median, and what holds it.
void bench_report::print_rounds() const {
    std::vector<std::pair<row_object, measured_times>> all;
    for (const row_object& r : rows_) {
        auto of = std::ranges::find(all, subject_in(r), [](const auto& one) { return one.first; });
        if (of == all.end()) of = all.emplace(of, subject_in(r), measured_times{});
        of->second.rounds.push_back(r.at("time_us").get<double>());
    }
    const std::size_t depth = depth_of_median(settings_.rounds);
    fmt::print("# over {} rounds: the median of their times, what holds it in {:.1f} % of cases, the least and the "
               "greatest\n",
               settings_.rounds, 100 * median_is_within(settings_.rounds, depth));
    for (const auto& [subject, times] : all) {
        const interval most = times.between_rounds(depth), range = times.between_rounds(1);
        fmt::print("# {:>12} bytes {} {} {} {} {}: {} us, {}-{}, {}-{}\n", subject.at("bytes").get<std::size_t>(),
                   title_of(subject), plain(subject.at("type")), plain(subject.at("op")),
                   subject.at("in_place").get<bool>() ? "in" : "out", plain(subject.at("algorithm")),
                   figure(times.median()), figure(most.low), figure(most.high), figure(range.low), figure(range.high));
    }
}

/// Who is slow with whom: of each size, the median over rounds of a message's time between each two ranks.
void bench_report::print_matrix() const {
    std::map<std::size_t, std::map<std::pair<int, int>, std::vector<double>>> sizes;
    for (const row_object& r : rows_)
        if (std::pair<int, int> b; !r.at("between").is_null() && std::sscanf(r.at("between").get<std::string>().c_str(),
                                                                             "%d-%d", &b.first, &b.second) == 2)
            sizes[r.at("bytes").get<std::size_t>()][b].push_back(r.at("time_us").get<double>());
    for (const auto& [bytes, pairs] : sizes) {
        fmt::print("# {} bytes between ranks, us\n#     ", bytes);
        for (int to = 0; to < ranks_; ++to) fmt::print(" {:>8}", to);
        for (int from = 0; from < ranks_; ++from) {
            fmt::print("\n# {:>4}", from);
            for (int to = 0; to < ranks_; ++to) {
                const auto found = pairs.find(std::minmax(from, to));
                fmt::print(" {:>8}", found == pairs.end() ? "-" : figure(median_of(found->second)));
            }
        }
        fmt::print("\n");
    }
}

std::string bench_report::page() const {
    bench_figures all{heading(), rows_, {}, {}};
    if (earlier_) {
        all.earlier = earlier_->rows();
        all.compared = earlier_->compared(settings_.tolerance, settings_.most_other_work * at_.cores);
    }
    if (ratios_) std::ranges::copy(ratios_->rows_of_others(), std::back_inserter(all.rows));
    return sections_page(bench_page(all));
}

verdict bench_report::finish() {
    progress_.clear();
    verdict v;
    while_read([&] {
        if (json_) json_->finish(is_last());
        if (csv_) csv_->finish(is_last());
        if (!is_last()) return;
        std::FILE* const to = quiet_ ? stderr : stdout;
        if (!quiet_ && settings_.rounds > 1) print_rounds();
        if (!quiet_) print_matrix();
        print_sums(to);
        const double most_other_cores = settings_.most_other_work * at_.cores;
        const bool launches_rounds = settings_.launch.number || settings_.transport == "memory";
        if (earlier_) v = earlier_->print(settings_.tolerance, most_other_cores, launches_rounds, to);
        if (ratios_) v = ratios_->print(most_other_cores, launches_rounds, to);
        if (!settings_.html.empty()) write_whole(page(), settings_.html);
    });
    return v;
}

} // namespace tutti::tools
