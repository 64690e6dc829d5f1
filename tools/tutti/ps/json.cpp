// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "output.hpp"
#include "waiting.hpp"

#include <transport/contract/notice.hpp>

#include <nlohmann/json.hpp>

namespace tutti::tools {
namespace {

namespace status = transport::status;
using object = nlohmann::ordered_json;

object or_null(bool known, const object& value) { return known ? value : object(nullptr); }

object head_of(const observed_job& j) {
    return {{"job", status::world_in_words(j.world)},
            {"size", j.size},
            {"hosts", j.hosts},
            {"ranks_here", j.here},
            {"dead", dead_in(j)},
            {"started", j.joined_wall},
            {"program", j.command},
            {"host_of_rank_0", j.zero_host},
            {"group", or_null(!j.group.empty(), j.group)}};
}

object to_object(const observed_rank& r, const status::call_told& c) {
    const bool counts = c.request != transport::no_number;
    return {
        {"call", c.words},
        {"communicator", status::world_in_words(c.communicator)},
        {"number", or_null(counts, c.request)},
        {"blocks", c.blocks},
        {"step", or_null(c.step >= 0, c.step + 1)},
        {"steps", or_null(c.steps > 0, c.steps)},
        {"steps_done", or_null(c.steps > 0, c.done)},
        {"waits_for", c.peers},
        {"waits_for_in_all", c.waits_for},
        {"waits_s", seconds_since(r, c.since)},
        {"deadline_in_s", or_null(c.deadline != 0, static_cast<double>(c.deadline - r.told->copied) / 1e9 - r.age_s)}};
}

object to_object(const observed_rank& r) {
    object o{{"rank", r.rank}, {"host", r.host}, {"pid", r.pid}, {"state", name_of(r.state)}, {"here", r.is_here}};
    if (!r.told) return o;
    o["global_rank"] = or_null(r.told->global_rank >= 0, r.told->global_rank);
    o["age_s"] = r.age_s;
    o["calls_under_way"] = r.told->under_way;
    o["last_call_s_ago"] = or_null(r.told->entered != 0, seconds_since(r, r.told->entered));
    o["looked_s_ago"] = or_null(r.told->looked != 0, seconds_since(r, r.told->looked));
    o["failure"] = or_null(!r.told->failure.empty(), r.told->failure);
    o["calls"] = object::array();
    for (const auto& c : calls_of(r)) o["calls"].push_back(to_object(r, c));
    o["sent"] = object::array();
    for (const auto& t : r.told->sent)
        o["sent"].push_back({{"to", or_null(t.peer >= 0, t.peer)}, {"messages", t.messages}, {"bytes", t.bytes}});
    return o;
}

/// Bytes that are no UTF-8 may be in a command line: they are replaced.
std::string dumped(const object& o) { return o.dump(2, ' ', false, object::error_handler_t::replace) + "\n"; }

} // namespace

std::string jobs_json(const std::vector<observed_job>& jobs) {
    object all = object::array();
    for (const observed_job& j : jobs) all.push_back(head_of(j));
    return dumped({{"jobs", all}});
}

std::string job_json(const observed_job& job) {
    object o = head_of(job);
    o["remark"] = or_null(!job.remark.empty(), job.remark);
    o["ranks"] = object::array();
    for (const observed_rank& r : job.ranks) o["ranks"].push_back(to_object(r));
    const explanation e = explain_waiting(job);
    o["waits"] = object::array();
    for (const auto& [from, to] : e.waits) o["waits"].push_back({{"rank", from}, {"for", to}});
    o["root"] = {{"kind", e.kind}, {"rank", or_null(e.rank >= 0, e.rank)}, {"sentence", e.sentence}};
    return dumped(o);
}

} // namespace tutti::tools
