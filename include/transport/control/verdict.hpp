// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/notice.hpp"
#include "call_history.hpp"
#include "rank_states.hpp"
#include "wait_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

namespace detail {

/// "rank 3", "ranks 0, 1 and 3"; of long lists the first: "ranks 0, 1, 3, 4, 5, 6, 7, 8 and 12 others".
TUTTI_COLD inline std::string ranks_in_words(const std::vector<int>& ranks) {
    constexpr std::size_t most = 8;
    const bool whole = ranks.size() <= most + 1;
    const std::size_t shown = whole ? ranks.size() : most;
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < shown; ++i) {
        if (i > 0) text += whole && i + 1 == shown ? " and " : ", ";
        text += std::to_string(ranks[i]);
    }
    return whole ? text : text + " and " + std::to_string(ranks.size() - shown) + " others";
}

inline const notice* answer_of(const diagnosis& q, int rank) {
    const auto found = q.answers.find(rank);
    return found == q.answers.end() ? nullptr : &found->second;
}

/// The ranks that wait for a rank, directly or through others, in words.
inline std::string waiters_in_words(const wait_graph& g, const wait_graph::root& r) {
    const auto w = g.waiters_for(r);
    if (w.all.empty()) return {};
    std::string text = " (" + ranks_in_words(w.all) + (w.all.size() == 1 ? " waits for it" : " wait for it");
    if (w.direct.size() < w.all.size() && !w.direct.empty()) text += ", through " + ranks_in_words(w.direct);
    return text + ")";
}

/// The earliest call of the communicator that a rank is in; null if it is in none.
inline const waiting_call* earliest_call(const notice& answer, std::uint64_t communicator) {
    const waiting_call* first = nullptr;
    for (const waiting_call& w : answer.waits)
        if (w.communicator == communicator && w.request != no_number && (!first || w.request < first->request))
            first = &w;
    return first;
}

/// Names the ranks that are still in an earlier call of the communicator than others.
TUTTI_COLD inline std::string stragglers_in_words(const diagnosis& q) {
    std::uint64_t newest = q.report.request == no_number ? 0 : q.report.request;
    for (const auto& [rank, answer] : q.answers)
        if (const auto* w = earliest_call(answer, q.report.communicator)) newest = std::max(newest, w->request);
    std::vector<int> late;
    std::string call;
    for (const auto& [rank, answer] : q.answers) {
        const auto* w = earliest_call(answer, q.report.communicator);
        if (!w || w->request >= newest) continue;
        late.push_back(rank);
        if (call.empty()) call = w->call;
    }
    if (late.empty()) return {};
    return "; " + ranks_in_words(late) +
           (late.size() == 1 ? " is still in an earlier call, " : " are still in earlier calls, the first of them ") +
           call;
}

TUTTI_COLD inline notice blank_verdict(const diagnosis& q, cause why, int peer, std::string text) {
    notice v;
    v.kind = notice_kind::verdict;
    v.why = why;
    v.communicator = q.report.communicator;
    v.members = q.report.members;
    v.rank = q.report.rank;
    v.peer = peer;
    v.request = q.report.request;
    v.step = q.report.step;
    v.call = q.report.call;
    v.text = std::move(text);
    return v;
}

inline notice blank_verdict(const diagnosis& q, blame b) { return blank_verdict(q, b.why, b.peer, std::move(b.text)); }

/// Blames the one that is in the earliest call, if all are in calls of one communicator. Else it blames the first that
/// is in a call of another communicator than the reporter; in doubt, whom the reporter waits for.
TUTTI_COLD inline notice circle_verdict(const diagnosis& q, const std::vector<wait_graph::node>& circle) {
    if (circle.empty()) return blank_verdict(q, cause::timeout, q.report.peer, "ranks wait for each other");
    std::string text = "ranks wait for each other in a circle: rank " + std::to_string(circle.front().rank);
    const auto* late = &circle.front();
    const wait_graph::node* elsewhere = nullptr;
    bool equal = true, mixed = false, apart = false;
    for (const auto& n : circle) {
        if (&n != &circle.front()) text += " for rank " + std::to_string(n.rank);
        apart = apart || n.what->communicator != circle.front().what->communicator;
        mixed = mixed || apart || n.what->request == no_number;
        equal = equal && n.what->request == late->what->request;
        if (n.what->request < late->what->request) late = &n;
        if (!elsewhere && n.what->communicator != q.report.communicator && n.rank != q.report.rank) elsewhere = &n;
    }
    text += " for rank " + std::to_string(circle.front().rank);
    if (mixed) {
        if (apart) text += ", in calls of different communicators";
        for (const auto& n : circle) text += "; rank " + std::to_string(n.rank) + " in " + n.what->call;
    }
    if (equal && !mixed)
        text += ", all in this call: its messages are slow or do not get through, or its algorithm is wrong, which "
                "tutti::algorithm::prove would tell";
    const int doubted = (equal || mixed) && q.report.peer >= 0 ? q.report.peer : late->rank;
    const int peer = apart && elsewhere ? elsewhere->rank : doubted;
    return blank_verdict(q, cause::timeout, peer, text + stragglers_in_words(q));
}

/// Names the first calls that two ranks made unlike, and where that was seen if it was in another one.
TUTTI_COLD inline std::string difference_in_words(const diagnosis& q, const difference& d) {
    std::string text = "rank " + std::to_string(d.ours.rank) + " called " + d.ours.call->call;
    if (!d.is_first && d.ours.call->call == d.theirs.call->call)
        return text + " like rank " + std::to_string(d.theirs.rank) + ", which had called something else before";
    text += ", rank " + std::to_string(d.theirs.rank) + " called " + d.theirs.call->call;
    const auto request = d.ours.call->request;
    if (d.ours.call->communicator != q.report.communicator)
        return text + " as call " + std::to_string(request) + " of another communicator, which holds up " +
               q.report.call;
    if (request == q.report.request) return text;
    return text + " as call " + std::to_string(request) +
           (request < q.report.request ? ", an earlier call than " : ", a later call than ") + q.report.call +
           ", which found it";
}

/// Both have told of that call, with the same signature: then its parts alone can differ, whose lengths no signature
/// has.
[[nodiscard]] inline bool are_alike(const notice& ours, const notice& theirs) {
    const past_call* const a = call_of({ours.rank, &ours.calls}, ours.communicator, ours.request);
    const past_call* const b = call_of({theirs.rank, &theirs.calls}, ours.communicator, ours.request);
    return a && b && a->signature == b->signature;
}

} // namespace detail

/// The verdict on a rank that is gone: blames it, or the first cause of its earlier failure.
TUTTI_COLD inline notice verdict_of_loss(const diagnosis& q, int rank) {
    auto b = blame_for_absence(q.ranks, rank);
    if (detail::of(q.ranks, rank).now == standing::left)
        b.text += detail::waiters_in_words(wait_graph(q), {rank, absence::gone, nullptr});
    return detail::blank_verdict(q, std::move(b));
}

/// The verdict on two ranks that called different things: names both calls.
TUTTI_COLD inline notice verdict_of_mismatch(const diagnosis& q) {
    const int peer = q.report.peer;
    const notice* theirs = peer >= 0 ? detail::answer_of(q, peer) : nullptr;
    if (peer >= 0 && !theirs && detail::of(q.ranks, peer).now == standing::lost) return verdict_of_loss(q, peer);
    if (theirs) {
        const std::vector<history> both{{q.report.rank, &q.report.calls}, {peer, &theirs->calls}};
        const auto unlike = unlike_calls(both);
        const auto found = unlike.find(q.report.communicator);
        if (found != unlike.end()) {
            const auto d = difference_in(both, found->first, found->second);
            if (d.is_first) return detail::blank_verdict(q, cause::mismatch, peer, detail::difference_in_words(q, d));
        }
    }
    std::string text = "rank " + std::to_string(q.report.rank) + " called " + q.report.call;
    const bool numbered = theirs && theirs->request != q.report.request;
    if (numbered) text += " as call " + std::to_string(q.report.request);
    if (theirs && !numbered && detail::are_alike(q.report, *theirs)) {
        text +=
            ", rank " + std::to_string(peer) + " called " + theirs->call + ", but " +
            (q.report.text.empty() ? "a message between them is not as long as its receiver expects" : q.report.text);
    } else if (theirs && !numbered && theirs->call == q.report.call) {
        text += " like rank " + std::to_string(peer) + ", which had sent something else in an earlier call";
    } else if (theirs) {
        text += ", rank " + std::to_string(peer) + " called " + theirs->call;
        if (numbered) text += " as call " + std::to_string(theirs->request);
    } else if (peer >= 0) {
        text += ", rank " + std::to_string(peer) + " has already returned from its call or is elsewhere";
    } else {
        text += ", another rank called something else";
    }
    return detail::blank_verdict(q, cause::mismatch, peer, text);
}

namespace detail {

/// The first difference between the ranks' last calls, whether or not any of them waits: on the communicator of the
/// report, else on one that it is held up on.
TUTTI_COLD inline std::optional<difference> difference_of_calls(const diagnosis& q, const wait_graph& graph) {
    std::vector<history> all;
    for (const auto& [rank, answer] : q.answers) all.push_back({rank, &answer.calls});
    const auto unlike = unlike_calls(all);
    if (unlike.empty()) return std::nullopt;
    auto where = unlike.find(q.report.communicator);
    const auto others = where == unlike.end() ? graph.communicators() : std::vector<std::uint64_t>{};
    for (auto id = others.begin(); where == unlike.end() && id != others.end(); ++id) where = unlike.find(*id);
    if (where == unlike.end()) return std::nullopt;
    return difference_in(all, where->first, where->second);
}

TUTTI_COLD inline notice verdict_on_root(const diagnosis& q, const wait_graph& g, const wait_graph::root& r) {
    const std::string who = "rank " + std::to_string(r.rank);
    const bool elsewhere = r.missed->communicator != q.report.communicator;
    const bool numbered = r.missed->request != no_number;
    const std::string call =
        (elsewhere || !numbered ? r.missed->call : "the call") + (elsewhere ? " on another communicator" : "");
    const std::string absent = numbered ? " has not joined " + call : " has not made its part of " + call;
    std::string text;
    switch (r.why) {
    case absence::gone: return verdict_of_loss(q, r.rank);
    case absence::failed: {
        auto b = blame_for_absence(q.ranks, r.rank);
        b.text += waiters_in_words(g, r);
        return blank_verdict(q, std::move(b));
    }
    case absence::silent: text = who + absent + " and does not answer: it is stopped, or outside of all calls"; break;
    case absence::idle: text = who + absent + ": it answers, and is in no call"; break;
    case absence::alone: text = who + " is inside " + call + " and waits for nobody: its own work is not done"; break;
    }
    return blank_verdict(q, cause::timeout, r.rank, text + waiters_in_words(g, r) + stragglers_in_words(q));
}

} // namespace detail

/// The verdict on a deadline that passed: blames the root of the waiting, in whatever communicator, not the reporter's
/// neighbour. Linear in the answers. Ranks that wait in unlike calls need not have sent each other anything that shows
/// it: their last calls do.
inline notice verdict_of_timeout(const diagnosis& q) {
    const wait_graph graph(q);
    if (const auto d = detail::difference_of_calls(q, graph))
        return detail::blank_verdict(q, cause::mismatch, d->theirs.rank, detail::difference_in_words(q, *d));
    if (const auto root = graph.find_root()) return detail::verdict_on_root(q, graph, *root);
    return detail::circle_verdict(q, graph.circle());
}

} // namespace tutti::transport::bootstrap
