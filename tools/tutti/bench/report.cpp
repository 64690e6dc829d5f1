// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "report.hpp"

#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace tutti::tools {
namespace {

// Four digits that matter, in at most seven columns.
std::string figure(double value) {
    if (value >= 9999.5) return fmt::format("{:.0f}", value);
    if (value >= 999.95) return fmt::format("{:.0f}", value);
    if (value >= 99.995) return fmt::format("{:.1f}", value);
    return fmt::format("{:.2f}", value);
}

std::string figure(const std::optional<double>& value) { return value ? figure(*value) : "-"; }

std::string_view operator_name_of(const job& what) { return what.reduces() ? name_of(what.op) : "none"; }

template <class... Cell>
void print_line(const Cell&... cell) {
    fmt::print("{:>12} {:>11} {:>7} {:>11} {:<21} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} {:>9} {:>6}\n",
               cell...);
}

nlohmann::ordered_json to_json(const row& r, const bench_settings& settings) {
    const auto or_null = [](const auto& value) { return value ? nlohmann::ordered_json(*value) : nullptr; };
    return {{"operation", r.what.name()},
            {"algorithm", r.what.algorithm.name},
            {"chosen", r.chosen.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(r.chosen)},
            {"transport", settings.transport},
            {"ranks", r.what.ranks},
            {"bytes", r.what.bytes()},
            {"count", r.what.count},
            {"type", name_of(r.what.type)},
            {"op", operator_name_of(r.what)},
            {"in_place", r.what.in_place},
            {"symmetric", settings.symmetric},
            {"timing", settings.how == timing::barrier ? "barrier" : "loop"},
            {"iterations", r.iterations},
            {"predicted_us", or_null(r.predicted_us)},
            {"p50_us", r.time_us.p50},
            {"p99_us", or_null(r.time_us.p99)},
            {"min_us", r.time_us.least},
            {"max_us", r.time_us.most},
            {"algbw_GBps", r.algorithm_GBps()},
            {"busbw_GBps", r.bus_GBps()},
            {"cpu_us", r.cpu_us},
            {"wrong", or_null(r.wrong)},
            {"skew_us", or_null(r.skew_us)}};
}

} // namespace

bench_report::bench_report(const bench_settings& settings, int ranks, bool one_clock)
    : settings_(settings), ranks_(ranks) {
    if (!settings.json.empty()) {
        json_.reset(std::fopen(settings.json.c_str(), "w"));
        if (!json_) throw std::system_error(errno, std::generic_category(), "cannot write " + settings.json);
        fmt::print(json_.get(), "[");
        end_of_rows_ = std::ftell(json_.get());
        fmt::print(json_.get(), "]\n");
        flush_json();
    }
    print_header(one_clock);
}

void bench_report::print_header(bool one_clock) const {
    const std::string amount = settings_.seconds > 0 ? fmt::format("{} s", settings_.seconds)
                                                     : fmt::format("{} iterations", settings_.iterations);
    fmt::print(
        "# tutti bench: {} ranks over {}, {} a row after {} for warming up, {} call{} a row checked, deadline {} s, "
        "{} cores here\n",
        ranks_, settings_.transport, amount, settings_.warm_up, settings_.checks, settings_.checks == 1 ? "" : "s",
        settings_.deadline_s, std::thread::hardware_concurrency());
    const bool loop = settings_.how == timing::loop;
    fmt::print("# times: of the slowest rank of each iteration, {}{}{}; algbw and busbw by the {}\n",
               loop ? "calls back to back"
                    : (one_clock ? "after a barrier in shared memory" : "after a barrier of the library itself"),
               settings_.cold ? ", caches swept before each" : "", settings_.symmetric ? ", in symmetric memory" : "",
               loop ? "mean" : "p50");
    print_line("bytes", "count", "type", "op", "algorithm", "place", "predicted", "p50", "p99", "min", "max", "skew",
               "algbw", "busbw", "cpu", "wrong");
    print_line("", "", "", "", "", "", "us", "us", "us", "us", "us", "us", "GB/s", "GB/s", "us", "");
    std::fflush(stdout);
}

void bench_report::print_operation(std::string_view name) {
    if (std::exchange(current_, name) != name) fmt::print("# {}\n", name);
}

void bench_report::begin(const job& what) { progress_.show(in_words(what)); }

void bench_report::add(const row& r) {
    progress_.clear();
    print_operation(r.what.name());
    print_line(r.what.bytes(), r.what.count, name_of(r.what.type), operator_name_of(r.what), r.what.algorithm.name,
               r.what.in_place ? "in" : "out", figure(r.predicted_us), figure(r.time_us.p50), figure(r.time_us.p99),
               figure(r.time_us.least), figure(r.time_us.most), figure(r.skew_us), figure(r.algorithm_GBps()),
               figure(r.bus_GBps()), figure(r.cpu_us), r.wrong ? std::to_string(*r.wrong) : "-");
    std::fflush(stdout);
    bus_GBps_ += r.bus_GBps();
    ++rows_;
    if (json_) write_json(r);
}

// After each row the file is whole, whatever happens next: the closing bracket is written again and again.
void bench_report::write_json(const row& r) {
    std::fseek(json_.get(), end_of_rows_, SEEK_SET);
    fmt::print(json_.get(), "{}\n{}", rows_ == 1 ? "" : ",", to_json(r, settings_).dump());
    end_of_rows_ = std::ftell(json_.get());
    fmt::print(json_.get(), "\n]\n");
    flush_json();
}

void bench_report::flush_json() {
    if (std::fflush(json_.get()) != 0 || std::ferror(json_.get())) json_failed(errno);
}

void bench_report::json_failed(int number) const {
    throw std::system_error(number, std::generic_category(), "cannot write " + settings_.json);
}

void bench_report::finish(std::uint64_t wrong) {
    progress_.clear();
    if (json_ && std::fclose(json_.release()) != 0) json_failed(errno);
    fmt::print("# average busbw: {:.3f} GB/s over {} rows\n", rows_ == 0 ? 0 : bus_GBps_ / static_cast<double>(rows_),
               rows_);
    if (settings_.checks > 0) fmt::print("# wrong elements: {}\n", wrong);
    std::fflush(stdout);
}

} // namespace tutti::tools
