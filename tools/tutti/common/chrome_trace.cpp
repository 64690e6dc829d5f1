// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "chrome_trace.hpp"

#include "trace_events.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace tutti::tools {
namespace {

using nlohmann::ordered_json;
using schedule::activity;

constexpr double microseconds(double seconds) { return seconds * 1e6; }

std::string slice_name(const activity& a) {
    const std::string name(schedule::name_of(a.what));
    if (a.peer < 0) return name;
    return name + (a.what == schedule::action::send ? " to " : " from ") + std::to_string(a.peer);
}

class trace_events {
public:
    explicit trace_events(std::span<const activity> activities)
        : activities_(activities), by_begin_(activities.size()), lanes_(activities.size()) {
        std::iota(by_begin_.begin(), by_begin_.end(), std::size_t{0});
        std::ranges::sort(by_begin_, {}, [&](std::size_t i) {
            const activity& a = activities[i];
            return std::tuple(a.begin_s, a.rank, a.step, a.end_s);
        });
        assign_lanes();
        for (const std::size_t i : by_begin_) add_slice(i);
        add_arrows();
    }
    [[nodiscard]] std::string text() const {
        return ordered_json{{"displayTimeUnit", "ns"}, {"traceEvents", events_}}.dump();
    }

private:
    void assign_lanes() {
        std::map<int, trace_lanes> lanes; // by rank
        for (const std::size_t i : by_begin_)
            lanes_[i] = lanes[activities_[i].rank].lane(activities_[i].begin_s, activities_[i].end_s);
        for (const auto& [rank, of] : lanes) add_names(rank, of.size());
    }
    void add_names(int rank, int lanes) {
        const std::string name = "rank " + std::to_string(rank);
        events_.push_back(trace_name("process_name", rank, 0, "name", name));
        events_.push_back(trace_name("process_sort_index", rank, 0, "sort_index", rank));
        for (int lane = 1; lane <= lanes; ++lane)
            events_.push_back(trace_name("thread_name", rank, lane, "name", name + ", lane " + std::to_string(lane)));
    }
    void add_slice(std::size_t i) {
        const activity& a = activities_[i];
        ordered_json args{{"step", a.step}, {"bytes", a.bytes}};
        if (a.peer >= 0) args["peer"] = a.peer;
        events_.push_back(trace_slice(a.rank, lanes_[i], slice_name(a), a.begin_s, a.end_s));
        events_.back()["args"] = std::move(args);
    }
    /// The k-th of a channel belong together in the order of the list, whenever they began.
    void add_arrows() {
        std::map<std::pair<int, int>, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> channels;
        for (std::size_t i = 0; i < activities_.size(); ++i) {
            const activity& a = activities_[i];
            if (a.what == schedule::action::send) channels[{a.rank, a.peer}].first.push_back(i);
            if (a.what == schedule::action::receive || a.what == schedule::action::receive_reduce)
                channels[{a.peer, a.rank}].second.push_back(i);
        }
        for (const auto& [channel, ends] : channels)
            for (std::size_t k = 0; k < std::min(ends.first.size(), ends.second.size()); ++k)
                add_arrow(ends.first[k], ends.second[k]);
    }
    /// From the begin of the send to the middle of what is left of the receive then: an arrow belongs to the slice that
    /// it ends within, and an end of a slice may be the begin of the next.
    void add_arrow(std::size_t send, std::size_t receive) {
        const activity &s = activities_[send], &r = activities_[receive];
        const double from = std::min(std::max(s.begin_s, r.begin_s), r.end_s);
        ++arrows_;
        const auto add = [&](const char* phase, const activity& a, int lane, double at) -> ordered_json& {
            return events_.emplace_back(ordered_json{{"ph", phase},
                                                     {"pid", a.rank},
                                                     {"tid", lane},
                                                     {"name", "message"},
                                                     {"cat", "message"},
                                                     {"id", arrows_},
                                                     {"ts", microseconds(at)}});
        };
        add("s", s, lanes_[send], s.begin_s);
        add("f", r, lanes_[receive], from + (r.end_s - from) / 2)["bp"] = "e";
    }

    std::span<const activity> activities_;
    std::vector<std::size_t> by_begin_;
    std::vector<int> lanes_; ///< by activity, from 1
    ordered_json events_ = ordered_json::array();
    int arrows_ = 0;
};

} // namespace

std::string chrome_trace(std::span<const activity> activities) { return trace_events(activities).text(); }

} // namespace tutti::tools
