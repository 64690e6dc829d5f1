// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "row_json.hpp"

#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

row_object or_null(const std::string& text) { return text.empty() ? row_object(nullptr) : row_object(text); }

/// TUTTI_ENCRYPT=1 does what --encrypt does.
bool encrypts(const bench_settings& s) {
    const char* const wanted = std::getenv("TUTTI_ENCRYPT");
    return s.encrypt || (wanted && std::string_view{wanted} == "1");
}

/// To so many parts of one, as the shortest number that says so. Of microseconds a millionth is below what a clock
/// tells, and keeps what means tell.
double rounded(double value, double parts = 1e6) { return std::round(value * parts) / parts; }
std::optional<double> rounded(const std::optional<double>& value, double parts = 1e6) {
    return value ? std::optional(rounded(*value, parts)) : std::nullopt;
}
/// To six digits.
double six_digits(double value) {
    if (value <= 0 || !std::isfinite(value)) return value;
    return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

row_object times_of(const row& r, std::size_t launch) {
    const auto p50 = [&](auto end) {
        return r.time_us.p50_interval ? row_object(rounded((*r.time_us.p50_interval).*end)) : row_object(nullptr);
    };
    return {{"iterations", r.iterations},
            {"round", r.round},
            {"launch", launch},
            {"predicted_us", known_or_null(rounded(r.predicted_us))},
            {"time_us", rounded(r.base_us)},
            {"p50_us", rounded(r.time_us.p50)},
            {"p50_low_us", p50(&interval::low)},
            {"p50_high_us", p50(&interval::high)},
            {"p99_us", known_or_null(rounded(r.time_us.p99))},
            {"min_us", rounded(r.time_us.least)},
            {"max_us", rounded(r.time_us.most)},
            {"avg_us", rounded(r.average_us)},
            {"rank_min_us", rounded(r.rank_averages_us.low)},
            {"rank_max_us", rounded(r.rank_averages_us.high)},
            {"slowest_rank", r.slowest_rank},
            {"behind_us", known_or_null(rounded(r.behind_us))},
            {"skew_us", known_or_null(rounded(r.skew_us))},
            {"messages_per_s", known_or_null(rounded(r.messages_per_s(), 1))},
            {"algbw_GBps", six_digits(r.algorithm_GBps())},
            {"busbw_GBps", six_digits(r.bus_GBps())},
            {"cpu_us", rounded(r.cpu_us)},
            {"other_cores", known_or_null(rounded(r.other_cores, 1e3))},
            {"wrong", known_or_null(r.wrong)},
            {"alone_us", r.overlap ? row_object(rounded(r.overlap->pure_us)) : row_object(nullptr)},
            {"compute_us", r.overlap ? row_object(rounded(r.overlap->compute_us)) : row_object(nullptr)},
            {"overlapped_us", r.overlap ? row_object(rounded(r.overlap->both_us)) : row_object(nullptr)},
            {"overlap_percent", r.overlap ? known_or_null(rounded(r.overlap->percent(), 10)) : row_object(nullptr)}};
}

/// Null where the row says nothing.
row_object part_of(const row_object& row, row_object part) {
    for (const auto& [key, value] : part.items()) value = row.value(key, row_object());
    return part;
}

} // namespace

row_object subject_of(const job& what) {
    return {{"operation", what.name()},
            {"algorithm", what.algorithm.name},
            {"bytes", what.bytes()},
            {"count", what.count},
            {"type", name_of(what.type)},
            {"op", what.reduces() ? name_of(what.op) : "none"},
            {"in_place", what.in_place},
            {"root", what.rooted() ? row_object(what.root) : row_object(nullptr)},
            {"uneven", what.uneven ? row_object(*what.uneven) : row_object(nullptr)},
            {"pairs", what.in_pairs() ? row_object(what.pairs) : row_object(nullptr)},
            {"between", what.between ? row_object(fmt::format("{}-{}", what.between->first, what.between->second))
                                     : row_object(nullptr)},
            {"imbalance", what.late ? row_object(in_words(*what.late)) : row_object(nullptr)}};
}

row_object conditions_of(const bench_settings& s, int ranks, const testbed& at) {
    return {{"transport", s.transport},
            {"ranks", ranks},
            {"placement", or_null(at.placement)},
            {"processor", at.processor},
            {"cores", at.cores},
            {"bind", or_null(s.bind.given() ? s.bind.text() : at.bound)},
            {"interface", or_null(at.interface)},
            {"device", or_null(at.device)},
            {"timing", s.how == timing::barrier ? "barrier"
                       : s.how == timing::loop  ? "loop"
                                                : "stream"},
            {"warm_up", s.warm_up},
            {"cold", s.cold},
            {"behind", s.imbalances.empty() ? row_object(nullptr) : row_object(s.behind)},
            {"memory", memory_name(s)},
            {"offset", s.memory == memory_kind::page ? row_object(s.offset) : row_object(nullptr)},
            {"overlap", s.overlap},
            {"tests", s.tests},
            {"progress", s.by_waiters ? "by_waiters" : "in_calls"},
            {"lend_bytes", s.lend_bytes},
            {"lanes", s.lanes},
            {"encrypt", encrypts(s)},
            {"machine_file", or_null(s.machine_file)}};
}

row_object to_json(const row& r, const bench_settings& s, const testbed& at) {
    row_object all = subject_of(r.what);
    all["chosen"] = or_null(r.chosen);
    all.update(times_of(r, s.launch.number.value_or(0)));
    all.update(conditions_of(s, r.what.ranks, at));
    all.update({{"library", "tutti"},
                {"host", at.host},
                {"kernel", at.kernel},
                {"version", at.version},
                {"started", at.started}});
    return all;
}

row_object subject_in(const row_object& row) { return part_of(row, subject_of({})); }
row_object conditions_in(const row_object& row) { return part_of(row, conditions_of({}, 0, {})); }

std::string difference(const row_object& conditions, std::string_view where, const row_object& other,
                       std::string_view file) {
    for (const auto& [key, value] : conditions.items()) {
        if (const row_object there = other.value(key, row_object()); there != value)
            return fmt::format("{} is {} {}, but {} in {}", key, plain(value), where, plain(there), file);
    }
    return "";
}

std::string plain(const row_object& value) {
    if (value.is_null()) return "none";
    return value.is_string() ? value.get<std::string>() : value.dump();
}

} // namespace tutti::tools
