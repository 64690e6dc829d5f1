// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "step_trace.hpp"

#include "../../tutti/common/trace_events.hpp"

#include <algorithm>
#include <chrono>

namespace tutti::tools {
namespace {

using clock = step_trace::clock;
using nlohmann::ordered_json;

constexpr std::chrono::microseconds least_slice{1}; // shorter slices cannot be seen
constexpr int own_thread = 1;                       // then come the lanes of the buckets

/// Events of one rank, as text.
class rank_events {
public:
    rank_events(int rank, clock::time_point zero) : rank_(rank), zero_(zero) {
        const std::string name = "rank " + std::to_string(rank);
        add(trace_name("process_name", rank, 0, "name", name));
        add(trace_name("process_sort_index", rank, 0, "sort_index", rank));
        name_thread(own_thread, "computing");
    }

    void name_thread(int thread, std::string_view name) { add(trace_name("thread_name", rank_, thread, "name", name)); }
    void slice(int thread, std::string_view name, clock::time_point begin, clock::time_point end, ordered_json args) {
        ordered_json event = trace_slice(rank_, thread, name, seconds(begin), seconds(end));
        if (!args.empty()) event["args"] = std::move(args);
        add(event);
    }
    [[nodiscard]] double seconds(clock::time_point at) const {
        return std::chrono::duration<double>(at - zero_).count();
    }
    [[nodiscard]] std::string text() && { return std::move(text_); }

private:
    void add(const ordered_json& event) { text_ += (text_.empty() ? "" : ",\n") + event.dump(); }

    int rank_;
    clock::time_point zero_;
    std::string text_;
};

/// A bucket waits for those before it, then it is under way, and it ends when this rank has last seen it so, or later.
void add_bucket(rank_events& to, int lane, const training::activity& a) {
    const std::string name = "bucket " + std::to_string(a.bucket);
    if (a.started - a.ready >= least_slice) to.slice(lane, name + " waits for its turn", a.ready, a.started, {});
    to.slice(lane, name, a.started, a.ended,
             {{"bytes", a.bytes}, {"waited_us", std::chrono::duration<double, std::micro>(a.waited).count()}});
    if (a.ended - a.open_until >= least_slice) to.slice(lane, name + " perhaps over", a.open_until, a.ended, {});
}

} // namespace

void step_trace::begin_step(std::size_t number) {
    is_on_ = left_ > 0;
    step_.number = number;
    step_.begin = now();
}

void step_trace::end_step() {
    if (!is_on_) return;
    keep(step_);
    --left_;
    is_on_ = false;
}

void step_trace::add(std::span<const training::activity> round) {
    if (is_on_) buckets_.insert(buckets_.end(), round.begin(), round.end());
}

void step_trace::keep(slice::note n) {
    n.end = now();
    if (n.end - n.begin >= least_slice) notes_.push_back(n);
}

clock::time_point step_trace::begin() const {
    const auto first = std::ranges::min_element(notes_, {}, &slice::note::begin);
    return first == notes_.end() ? now() : first->begin;
}

std::string step_trace::events(int rank, clock::time_point zero) const {
    rank_events to(rank, zero);
    for (const slice::note& n : notes_) {
        std::string name(n.what);
        if (n.what == step_.what) name += ' ' + std::to_string(n.number);
        if (!n.kind.empty()) name += ' ' + std::to_string(n.number) + '.' + std::string(n.kind);
        to.slice(own_thread, name, n.begin, n.end, {});
    }
    auto buckets = buckets_;
    std::ranges::stable_sort(buckets, {}, &training::activity::ready);
    trace_lanes lanes;
    for (const training::activity& a : buckets)
        add_bucket(to, own_thread + lanes.lane(to.seconds(a.ready), to.seconds(a.ended)), a);
    for (int lane = 1; lane <= lanes.size(); ++lane)
        to.name_thread(own_thread + lane, "gradients, lane " + std::to_string(lane));
    return std::move(to).text();
}

} // namespace tutti::tools
