// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "bench_trace.hpp"

#include "chrome_trace.hpp"
#include "text_output.hpp"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

namespace tutti::tools {

trace_file::trace_file(const std::string& path) : path_(path) {
    write_whole("", path_); // what cannot be written is told before anything is measured
}

void trace_file::add(const row& r, activities recorded) {
    if (recorded.empty()) return; // one rank alone has nothing to do
    const double begin_s = std::ranges::min(recorded, {}, &model::activity::begin_s).begin_s;
    const double end_s = std::ranges::max(recorded, {}, &model::activity::end_s).end_s;
    // A tenth of the row before it is left free, so that where one ends can be seen.
    const double at_s = rows_.empty() ? 0 : rows_.back().end_s + (rows_.back().end_s - rows_.back().begin_s) / 10;
    for (model::activity& a : recorded) {
        a.begin_s += at_s - begin_s;
        a.end_s += at_s - begin_s;
    }
    const std::string chosen = r.chosen.empty() ? "" : " (" + r.chosen + ")";
    rows_.push_back({in_words(r.what) + chosen, at_s, at_s + (end_s - begin_s)});
    ranks_ = r.what.ranks;
    activities_.insert(activities_.end(), recorded.begin(), recorded.end());
}

std::string trace_file::text() const {
    auto trace = nlohmann::ordered_json::parse(chrome_trace(activities_));
    const auto name = [&](const char* what, const char* key, const nlohmann::ordered_json& value) {
        trace["traceEvents"].push_back(
            {{"ph", "M"}, {"pid", ranks_}, {"tid", 1}, {"name", what}, {"args", {{key, value}}}});
    };
    name("process_name", "name", "rows of the bench"); // a process of its own, above those of the ranks
    name("process_sort_index", "sort_index", -1);
    name("thread_name", "name", "rows");
    for (const span_of_row& r : rows_)
        trace["traceEvents"].push_back({{"ph", "X"},
                                        {"pid", ranks_},
                                        {"tid", 1},
                                        {"name", r.name},
                                        {"ts", r.begin_s * 1e6},
                                        {"dur", (r.end_s - r.begin_s) * 1e6}});
    return trace.dump();
}

void trace_file::finish() const { write_whole(text() + "\n", path_); }

} // namespace tutti::tools
