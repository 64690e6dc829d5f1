// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../../base/sort.hpp"
#include "plan_run.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace tutti::engine {

[[nodiscard]] constexpr const char* remedy_for(cause c) noexcept {
    switch (c) {
    case cause::lost_peer: return "look at that rank's own output for why it ended, then start the job again";
    case cause::timeout: return "look at what that rank is doing; raise the deadline if it is merely slow";
    case cause::mismatch: return "make all ranks call the same operations in the same order with equal arguments";
    default: return "";
    }
}

/// The remedy for a fault whose detail is known.
TUTTI_COLD [[nodiscard]] inline std::string remedy_for(cause c, const std::string& detail) {
    if (c == cause::mismatch && detail.find(", which expects ") != detail.npos)
        return "compare what one rank sends with what the other expects: their counts differ";
    if (c == cause::mismatch && detail.find(" met a message of ") != detail.npos)
        return std::string("compare both ends of the message: they must agree in element type and count") +
               (detail.find(" of another element type") == detail.npos ? "; receive<T>(from) takes any count" : "");
    if (c == cause::mismatch && detail.find("symmetric memory") != detail.npos)
        return "pass symmetric_memory on all ranks or on none (a span of it counts as plain memory), or name an "
               "algorithm on all ranks";
    const auto tells = [&](const char* words) { return detail.find(words) != detail.npos; };
    if (c == cause::lost_peer && tells("this process exits"))
        return "end the world in main, or make it before the program uses OpenSSL";
    if (c == cause::timeout && tells("wait for each other in a circle")) {
        if (tells("in calls of different communicators"))
            return tells(" in the group with tag ")
                       ? "give all members of a group the same ranks in the same order, and the same tag, as often; "
                         "make calls on several communicators in one order on all ranks"
                       : "make calls on several communicators in one order on all ranks, or start them by async()";
        if (tells(" in receive of ") || tells(" in send of "))
            return "start sends and receives together by group(), or by sendrecv(), so that no order can deadlock";
    }
    return remedy_for(c);
}

// `Work` is a plan_run, or a communicator's point_to_point.

/// The fault of a run: the run's facts, added to those of the control plane.
template <class Work = plan_run>
TUTTI_COLD [[nodiscard]] fault fault_of(const transport::any& t, const Work* run, cause why, int peer,
                                        std::string detail) {
    fault f;
    f.why = why;
    f.peer = peer;
    f.detail = std::move(detail);
    f.remedy = remedy_for(why, f.detail);
    if (peer >= 0 && peer < t.size()) {
        const transport::peer_name name = t.name_of(peer);
        f.host = name.host;
        f.address = name.address;
        f.group = name.group;
        f.global_peer = name.global_rank;
    }
    if (run) {
        f.operation = run->words();
        if (Work::has_steps) f.step = run->waiting_step();
        f.bytes_done = run->bytes_done();
    }
    return f;
}

/// The last calls that a communicator has begun or done here, oldest first.
TUTTI_COLD [[nodiscard]] inline std::vector<transport::past_call> history_of(const group& g) {
    std::vector<transport::past_call> all;
    for (const auto& past : g.done)
        if (past.what) all.push_back({g.id, past.request, past.signature, in_words(*past.what) + g.name});
    for (const auto& queue : g.queues)
        for (const auto* r = queue.first; r; r = r->next)
            all.push_back({g.id, r->request(), r->signature(), in_words(r->what()) + g.name});
    tutti::detail::sort_stably(
        all, [](const transport::past_call& a, const transport::past_call& b) { return a.request < b.request; });
    if (all.size() > transport::most_past_calls)
        all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(transport::most_past_calls));
    return all;
}

/// A notice of this rank about a communicator.
[[nodiscard]] inline transport::notice notice_about(const transport::any& t, const group& g,
                                                    transport::notice_kind kind) {
    transport::notice n;
    n.kind = kind;
    n.communicator = g.id;
    n.members = g.size();
    n.rank = t.rank();
    return n;
}

/// A notice to the coordinator about a run and one of its steps, -1 for none.
template <class Work>
TUTTI_COLD [[nodiscard]] transport::notice notice_of(const transport::any& t, const Work& run,
                                                     transport::notice_kind kind, int step) {
    auto n = notice_about(t, run.members(), kind);
    if (Work::has_steps) n.step = step;
    n.peer = run.peer_of(step);
    n.request = run.request();
    n.bytes = run.bytes_done();
    n.call = run.words();
    if (kind != transport::notice_kind::timeout) n.calls = history_of(run.members());
    return n;
}

/// The notice that the peer of a run's step cannot be reached.
template <class Work>
[[nodiscard]] transport::notice notice_of_unreachable(const transport::any& t, const Work& run, int peer, int step,
                                                      std::string how) {
    auto n = notice_of(t, run, transport::notice_kind::unreachable, step);
    n.peer = peer;
    n.text = std::move(how);
    return n;
}

/// The answer to an inquiry about a call that is over.
[[nodiscard]] inline transport::notice notice_of_past(const transport::any& t, const group& g,
                                                      const group::past& over) {
    auto n = notice_about(t, g, transport::notice_kind::waiting);
    n.request = over.request;
    n.call = in_words(*over.what) + g.name;
    n.calls = history_of(g);
    return n;
}

} // namespace tutti::engine
