// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "page.hpp"

#include "../common/lists.hpp"
#include "../common/quantities.hpp"
#include "../common/statistics.hpp"
#include "figures.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace tutti::tools {
namespace {

/// As many curves as are told apart in one chart, by colours; those of an earlier run have colours of their own.
constexpr std::size_t most_curves = 10;

/// One row in all its rounds.
struct measured_point {
    std::vector<row_object> rounds;
    double time_us = 0;
    std::optional<interval> time_interval;
    std::optional<double> predicted_us;
    double busbw_GBps = 0;
    std::uint64_t wrong = 0;

    [[nodiscard]] const row_object& of() const { return rounds.front(); }
    [[nodiscard]] std::size_t bytes() const { return of().at("bytes").get<std::size_t>(); }
};

std::string shown(const row_object& value) {
    return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

void summarise(measured_point& p) {
    std::vector<double> times;
    for (const row_object& r : p.rounds) {
        times.push_back(r.at("time_us").get<double>());
        if (!r.at("wrong").is_null()) p.wrong += r.at("wrong").get<std::uint64_t>();
        if (!r.at("predicted_us").is_null()) p.predicted_us = r.at("predicted_us").get<double>();
    }
    const row_object& first = p.of();
    p.time_us = median_of(times);
    if (times.size() > 1) {
        p.time_interval = measured_times{times}.between_rounds(depth_of_median(times.size()));
    } else if (!first.at("p50_low_us").is_null() && first.at("p50_us") == first.at("time_us")) { // no average of a loop
        p.time_interval = {first.at("p50_low_us").get<double>(), first.at("p50_high_us").get<double>()};
    }
    const double moved = first.at("busbw_GBps").get<double>() * first.at("time_us").get<double>();
    p.busbw_GBps = p.time_us > 0 ? moved / p.time_us : 0;
}

/// Messages have no algorithm: then the library, as of others.
std::string by_whom(const row_object& row) { return row.at("algorithm") == "-" ? "tutti" : shown(row.at("algorithm")); }

/// In the order of the rows.
std::vector<measured_point> points_of(const std::vector<row_object>& rows) {
    std::vector<measured_point> points;
    std::map<std::string, std::size_t> places;
    for (const row_object& r : rows) {
        const auto [at, first] = places.try_emplace(subject_in(r).dump(), points.size());
        if (first) points.emplace_back();
        points[at->second].rounds.push_back(r);
    }
    std::ranges::for_each(points, summarise);
    return points;
}

/// What rows of one operation differ in, besides their size and algorithm.
constexpr std::array<std::string_view, 8> traits{"type",   "op",    "in_place", "root",
                                                 "uneven", "pairs", "between",  "imbalance"};

std::string trait_text(const row_object& row, std::string_view trait) {
    const row_object& value = row.at(std::string(trait));
    if (value.is_null()) return "";
    if (trait == "in_place") return value.get<bool>() ? "in place" : "out of place";
    return trait == "type" || trait == "op" ? shown(value) : fmt::format("{} {}", trait, shown(value));
}

/// The traits that are not the same in all points.
std::vector<std::string_view> differing(const std::vector<const measured_point*>& points) {
    std::vector<std::string_view> found;
    for (const std::string_view trait : traits)
        if (std::ranges::any_of(points, [&](const measured_point* p) {
                return trait_text(p->of(), trait) != trait_text(points.front()->of(), trait);
            }))
            found.push_back(trait);
    return found;
}

std::string words_of(const row_object& row, const std::vector<std::string_view>& among) {
    std::vector<std::string> words;
    for (const std::string_view trait : among)
        if (std::string text = trait_text(row, trait); !text.empty()) words.push_back(std::move(text));
    return join(words);
}

/// Points of one subject but the size.
struct curve {
    std::string chart, name; ///< of several algorithms, a chart has those of one kind of data; else what differs
    std::vector<const measured_point*> now, then;
};

std::vector<curve> curves_of(const std::vector<const measured_point*>& now,
                             const std::vector<const measured_point*>& then) {
    const auto among = differing(now);
    const bool compares = std::ranges::any_of(
        now, [&](const measured_point* p) { return p->of().at("algorithm") != now.front()->of().at("algorithm"); });
    std::vector<curve> curves;
    const auto place = [&](const measured_point* p) {
        const std::string words = words_of(p->of(), among), algorithm = by_whom(p->of());
        const std::pair<std::string, std::string> names{compares ? words : "",
                                                        compares || words.empty() ? algorithm : words};
        auto at = std::ranges::find(curves, names, [](const curve& c) { return std::pair(c.chart, c.name); });
        return at == curves.end() ? curves.insert(at, {names.first, names.second, {}, {}}) : at;
    };
    for (const measured_point* p : now) place(p)->now.push_back(p);
    for (const measured_point* p : then) place(p)->then.push_back(p);
    std::ranges::stable_sort(curves, {}, &curve::chart);
    return curves;
}

row_object time_point(const measured_point& p) {
    row_object point{{"x", p.bytes()}, {"y", p.time_us}};
    if (p.time_interval) point.update({{"low", p.time_interval->low}, {"high", p.time_interval->high}});
    return point;
}

row_object bandwidth_point(const measured_point& p) {
    row_object point{{"x", p.bytes()}, {"y", p.busbw_GBps}};
    const double moved = p.busbw_GBps * p.time_us; // the longer, the less
    if (p.time_interval && p.time_interval->low > 0)
        point.update({{"low", moved / p.time_interval->high}, {"high", moved / p.time_interval->low}});
    return point;
}

row_object predicted_point(const measured_point& p, bool of_time) {
    const double us = *p.predicted_us;
    return {{"x", p.bytes()}, {"y", of_time ? us : us > 0 ? p.busbw_GBps * p.time_us / us : 0}};
}

/// A logarithm has no place for nothing.
row_object series_of(std::string name, std::size_t hue, const char* style,
                     const std::vector<const measured_point*>& points, const auto& point_of) {
    row_object drawn = row_object::array();
    for (const measured_point* p : points) {
        if (p->bytes() == 0) continue;
        if (row_object point = point_of(*p); point.is_object() && point.at("y").template get<double>() > 0)
            drawn.push_back(std::move(point));
    }
    return {{"name", std::move(name)}, {"hue", hue}, {"style", style}, {"points", std::move(drawn)}};
}

row_object chart_of(std::string title, std::span<const curve> curves, bool of_time) {
    const auto point = [of_time](const measured_point& p) { return of_time ? time_point(p) : bandwidth_point(p); };
    const auto predicted = [of_time](const measured_point& p) {
        return p.predicted_us ? predicted_point(p, of_time) : row_object(nullptr);
    };
    row_object series = row_object::array();
    const auto add = [&](row_object one) {
        if (!one.at("points").empty()) series.push_back(std::move(one));
    };
    for (std::size_t k = 0; k < curves.size(); ++k) {
        const curve& c = curves[k];
        add(series_of(c.name, k, "line", c.now, point));
        add(series_of(c.name + ", earlier", k + most_curves / 2, "earlier", c.then, point));
        add(series_of(c.name + ", predicted", k, "dashed", c.now, predicted));
    }
    return {{"title", std::move(title)},
            {"x", "size"},
            {"y", of_time ? "time, µs" : "busbw, GB/s"},
            {"log_x", true},
            {"log_y", true},
            {"bytes_x", true},
            {"series", std::move(series)}};
}

/// None of an operation that has one size: a curve needs two.
row_object charts_of(const std::string& operation, const std::vector<curve>& curves) {
    row_object charts = row_object::array();
    std::set<std::size_t> sizes;
    bool beside_earlier = false;
    for (const curve& c : curves) {
        for (const measured_point* p : c.now)
            if (p->bytes() > 0) sizes.insert(p->bytes());
        beside_earlier = beside_earlier || !c.then.empty();
    }
    if (sizes.size() < 2) return charts;
    const std::size_t most = beside_earlier ? most_curves / 2 : most_curves;
    for (auto from = curves.begin(); from != curves.end();) {
        auto to = std::find_if(from, curves.end(), [&](const curve& c) { return c.chart != from->chart; });
        to = from + std::min<std::ptrdiff_t>(to - from, static_cast<std::ptrdiff_t>(most));
        const std::string where = from->chart.empty() ? "" : ", " + from->chart;
        for (const bool of_time : {true, false}) {
            row_object chart = chart_of(fmt::format("{} of {}{}", of_time ? "Time" : "Bandwidth", operation, where),
                                        {from, to}, of_time);
            if (!chart.at("series").empty()) charts.push_back(std::move(chart));
        }
        from = to;
    }
    return charts;
}

row_object number(double value, const std::string& text, const char* unit = nullptr) {
    row_object cell{{"text", text}, {"value", std::strtod(fmt::format("{:.12g}", value).c_str(), nullptr)}};
    if (unit) cell["unit"] = unit;
    return cell;
}
row_object time_cell(const std::optional<double>& us) { return us ? number(*us, figure(*us), "µs") : row_object("-"); }

row_object wrong_paragraphs(const std::vector<measured_point>& points) {
    row_object told = row_object::array();
    for (const measured_point& p : points)
        if (p.wrong > 0)
            told.push_back(fmt::format("Wrong: {} elements of {} {}, {}, {}.", p.wrong, shown(p.of().at("operation")),
                                       by_whom(p.of()), bytes_text(static_cast<double>(p.bytes())),
                                       words_of(p.of(), {traits.begin(), traits.end()})));
    return told;
}

/// What a row of the table adds where there is an earlier run.
void add_comparison(row_object& line, const compared_row* c) {
    if (!c) {
        for (int k = 0; k < 5; ++k) line.push_back("-");
        return;
    }
    const compared_times& t = c->times;
    const bool judged = is_judged(t.what);
    const auto ratio = [](double value) { return number(value, ratio_figure(value)); };
    line.push_back(time_cell(t.earlier));
    line.push_back(ratio(t.now / t.earlier));
    line.push_back(judged ? ratio(t.ratio.low) : row_object("-"));
    line.push_back(judged ? ratio(t.ratio.high) : row_object("-"));
    line.push_back(std::string(word_of(t.what)));
}

row_object table_of(const bench_figures& all, const std::vector<measured_point>& points) {
    std::map<std::string, const compared_row*> compared;
    for (const compared_row& c : all.compared) compared[c.subject.dump()] = &c;
    const bool predicts = std::ranges::any_of(points, [](const measured_point& p) { return !!p.predicted_us; });
    row_object heads{"operation", "algorithm", "data",        "size", "time, µs",
                     "from, µs",  "to, µs",    "busbw, GB/s", "wrong"};
    if (predicts) heads.insert(heads.end(), {"predicted, µs", "measured / predicted"});
    if (!all.earlier.empty()) heads.insert(heads.end(), {"earlier, µs", "now / earlier", "from", "to", "change"});
    row_object lines = row_object::array();
    for (const measured_point& p : points) {
        const row_object& r = p.rounds.back();
        const std::string chosen = shown(r.at("chosen"));
        const auto bytes = static_cast<double>(p.bytes());
        row_object line{shown(r.at("operation")), by_whom(r) + (chosen.empty() ? "" : ":" + chosen),
                        words_of(r, {traits.begin(), traits.end()}), number(bytes, bytes_text(bytes), "bytes")};
        line.push_back(time_cell(p.time_us));
        line.push_back(time_cell(p.time_interval ? std::optional(p.time_interval->low) : std::nullopt));
        line.push_back(time_cell(p.time_interval ? std::optional(p.time_interval->high) : std::nullopt));
        line.push_back(number(p.busbw_GBps, bandwidth_figure(p.busbw_GBps), "GB/s"));
        line.push_back(r.at("wrong").is_null() ? "-" : std::to_string(p.wrong));
        if (predicts) {
            line.push_back(time_cell(p.predicted_us));
            const double by = p.predicted_us.value_or(0);
            line.push_back(by > 0 ? number(p.time_us / by, fmt::format("{:.2f}", p.time_us / by)) : row_object("-"));
        }
        const auto found = compared.find(subject_in(r).dump());
        if (!all.earlier.empty()) add_comparison(line, found == compared.end() ? nullptr : found->second);
        lines.push_back(std::move(line));
    }
    return {{"caption", "All rows"},
            {"folded", points.size() > 100},
            {"heads", std::move(heads)},
            {"lines", std::move(lines)},
            {"names", 3}};
}

/// How all rows were measured, a setting a line.
row_object settings_table(const row_object& row, const std::optional<row_object>& then) {
    row_object lines = row_object::array();
    row_object keys = conditions_of({}, 1, {});
    for (const char* const key : {"host", "kernel", "version", "started"}) keys[key] = nullptr;
    for (const auto& [key, unused] : keys.items()) {
        row_object line{key, shown(row.value(key, row_object()))};
        if (then) line.push_back(shown(then->value(key, row_object())));
        lines.push_back(std::move(line));
    }
    row_object heads{"setting", then ? "now" : "value"};
    if (then) heads.push_back("earlier");
    return {{"caption", "How it was measured"},
            {"folded", true},
            {"heads", std::move(heads)},
            {"lines", std::move(lines)},
            {"names", 3}};
}

/// Who, where, and whether something else wanted the cores.
std::string lead_of(const std::vector<row_object>& rows) {
    const row_object& r = rows.front();
    const int ranks = r.at("ranks").get<int>(), cores = r.at("cores").get<int>();
    std::optional<double> most_others;
    for (const row_object& one : rows)
        if (!one.at("other_cores").is_null())
            most_others = std::max(most_others.value_or(0), one.at("other_cores").get<double>());
    const std::string placed = r.at("placement").is_null() ? "" : " (" + shown(r.at("placement")) + " by node)";
    return fmt::format("{} rank{} over {}{}, {} core{} on the first host{}. Bound: {}. Memory: {}. Other work {}.",
                       ranks, ranks == 1 ? "" : "s", shown(r.at("transport")), placed, cores, cores == 1 ? "" : "s",
                       r.at("placement").is_null() && ranks > cores ? ", fewer than ranks: a rank may wait for a core"
                                                                    : "",
                       r.at("bind").is_null() ? "no" : shown(r.at("bind")), shown(r.at("memory")),
                       !most_others       ? "is not known: all took less than a tenth of a second"
                       : *most_others > 0 ? fmt::format("used up to {:g} cores beside a row", *most_others)
                                          : "used no core");
}

} // namespace

row_object bench_page(const bench_figures& all) {
    const std::vector<measured_point> now = points_of(all.rows), then = points_of(all.earlier);
    std::vector<std::string> operations;
    for (const measured_point& p : now)
        if (const std::string name = shown(p.of().at("operation"));
            std::ranges::find(operations, name) == operations.end())
            operations.push_back(name);
    row_object sections = row_object::array();
    for (const std::string& name : operations) {
        const auto some = [&](const std::vector<measured_point>& of) {
            std::vector<const measured_point*> found;
            for (const measured_point& p : of)
                if (p.of().at("operation") == name) found.push_back(&p);
            return found;
        };
        row_object charts = charts_of(name, curves_of(some(now), some(then)));
        if (!charts.empty()) sections.push_back({{"title", name}, {"charts", std::move(charts)}});
    }
    const std::optional<row_object> first_then =
        all.earlier.empty() ? std::nullopt : std::optional(all.earlier.front());
    sections.push_back({{"title", "All rows"},
                        {"paragraphs", wrong_paragraphs(now)},
                        {"tables", {settings_table(all.rows.front(), first_then), table_of(all, now)}}});
    return {{"brand", "bench"},
            {"title",
             fmt::format("{} on {} ranks over {}",
                         operations.size() > 3 ? fmt::format("{} operations", operations.size()) : join(operations),
                         shown(all.rows.front().at("ranks")), shown(all.rows.front().at("transport")))},
            {"lead", lead_of(all.rows)},
            {"made", join(all.heading, ". ")},
            {"sources", "Bands are the intervals: of one round those of the p50, with 99.9 %; of several rounds "
                        "what holds their median. Dotted is the earlier run, dashed what is predicted."},
            {"sections", std::move(sections)}};
}

} // namespace tutti::tools
