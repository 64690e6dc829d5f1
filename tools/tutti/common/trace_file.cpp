// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "trace_file.hpp"

#include "chrome_trace.hpp"
#include "text_output.hpp"
#include "trace_events.hpp"

#include <algorithm>
#include <utility>

namespace tutti::tools {

trace_file::trace_file(const std::string& path) : path_(path) {
    require_writable(path_); // what cannot be written is told before anything is measured
}

void trace_file::add(std::string name, int ranks, std::vector<schedule::activity> call) {
    if (call.empty()) return; // one rank alone has nothing to do
    const double begin_s = std::ranges::min(call, {}, &schedule::activity::begin_s).begin_s;
    const double end_s = std::ranges::max(call, {}, &schedule::activity::end_s).end_s;
    // A tenth of the call before it is left free, so that where one ends can be seen.
    const double at_s = calls_.empty() ? 0 : calls_.back().end_s + (calls_.back().end_s - calls_.back().begin_s) / 10;
    for (schedule::activity& a : call) {
        a.begin_s += at_s - begin_s;
        a.end_s += at_s - begin_s;
    }
    calls_.push_back({std::move(name), at_s, at_s + (end_s - begin_s)});
    ranks_ = std::max(ranks_, ranks);
    activities_.insert(activities_.end(), call.begin(), call.end());
}

std::string trace_file::text() const {
    auto trace = nlohmann::ordered_json::parse(chrome_trace(activities_));
    auto& events = trace["traceEvents"];
    events.push_back(trace_name("process_name", ranks_, 1, "name", "calls")); // a process of its own, above the ranks
    events.push_back(trace_name("process_sort_index", ranks_, 1, "sort_index", -1));
    events.push_back(trace_name("thread_name", ranks_, 1, "name", "calls"));
    for (const span_of_call& r : calls_) events.push_back(trace_slice(ranks_, 1, r.name, r.begin_s, r.end_s));
    return trace.dump();
}

void trace_file::finish() const { write_whole(text() + "\n", path_); }

} // namespace tutti::tools
