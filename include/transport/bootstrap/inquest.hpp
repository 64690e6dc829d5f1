// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../notice.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tutti::transport::bootstrap {

/// How a rank stands in the world.
enum class standing : std::uint8_t {
    present,
    lost, ///< died, or the others cannot reach it
    left, ///< said so
};

/// What is known of a call that went wrong: the first report and the answers of the ranks inside the call.
struct inquest {
    notice report;                   ///< the first mismatch, else the first timeout; `rank` is who reported
    std::map<int, notice> answers;   ///< one a rank, the reporter's included
    std::vector<standing> standings; ///< of every rank of the world
    std::vector<std::string> how;    ///< of every lost rank: how that was noticed
};

namespace detail {

/// "rank 3", "ranks 0, 1 and 3"; of long lists the first: "ranks 0, 1, 3, 4, 5, 6, 7, 8 and 12 others".
inline std::string ranks_in_words(const std::vector<int>& ranks) {
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

inline const notice* answer_of(const inquest& q, int rank) {
    const auto found = q.answers.find(rank);
    return found == q.answers.end() ? nullptr : &found->second;
}

/// The ranks met by going from waiter to waited-for, beginning with `from`; ends with a rank that did not answer, one
/// that waits for nobody, or (a circle) with one that is already in the list.
inline std::vector<int> path_from(const inquest& q, int from) {
    std::vector<int> path{from};
    std::vector<bool> met(q.standings.size(), false);
    for (const notice* n = answer_of(q, from); n && n->peer >= 0; n = answer_of(q, path.back())) {
        met[static_cast<std::size_t>(path.back())] = true;
        path.push_back(n->peer);
        if (met[static_cast<std::size_t>(n->peer)]) break;
    }
    return path;
}

/// The path that explains most: the reporter's, unless it ends inside the call and another rank's does not.
inline std::vector<int> telling_path(const inquest& q) {
    auto path = path_from(q, q.report.rank);
    if (!answer_of(q, path.back())) return path;
    for (const auto& [rank, answer] : q.answers) {
        auto other = path_from(q, rank);
        if (!answer_of(q, other.back())) return other;
    }
    return path;
}

/// Who waits for `root`, directly or through others, in words.
inline std::string waiters_in_words(const inquest& q, int root) {
    std::vector<int> all;
    std::vector<int> through;
    for (const auto& [rank, answer] : q.answers) {
        if (rank == root || path_from(q, rank).back() != root) continue;
        all.push_back(rank);
        if (answer.peer == root) through.push_back(rank);
    }
    if (all.empty()) return {};
    std::string text = " (" + ranks_in_words(all) + (all.size() == 1 ? " waits for it" : " wait for it");
    if (through.size() < all.size() && !through.empty()) text += ", through " + ranks_in_words(through);
    return text + ")";
}

/// Names the ranks that are still in an earlier call than others.
inline std::string stragglers_in_words(const inquest& q) {
    std::uint64_t newest = q.report.request;
    for (const auto& [rank, answer] : q.answers) newest = std::max(newest, answer.request);
    std::string text;
    for (const auto& [rank, answer] : q.answers)
        if (answer.request < newest)
            text += "; rank " + std::to_string(rank) + " is still in an earlier call, " + answer.call;
    return text;
}

inline notice blank_verdict(const inquest& q, cause why, int peer, std::string text) {
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

/// The same inquest as if one rank had reported the message of another that is in an unlike call of the same number;
/// nothing if there are no such two.
inline std::optional<inquest> unlike_calls(const inquest& q) {
    std::map<std::uint64_t, const notice*> first;
    for (const auto& [rank, answer] : q.answers) {
        const notice* known = first.try_emplace(answer.request, &answer).first->second;
        if (known->call == answer.call) continue;
        inquest found = q;
        found.report = *known;
        found.report.peer = rank;
        return found;
    }
    return std::nullopt;
}

inline notice circle_verdict(const inquest& q, const std::vector<int>& path) {
    const auto begin = std::find(path.begin(), path.end() - 1, path.back());
    std::string text = "ranks wait for each other in a circle: rank " + std::to_string(*begin);
    int late = *begin;
    bool equal = true;
    for (auto it = begin + 1; it != path.end(); ++it) {
        text += " for rank " + std::to_string(*it);
        const auto theirs = answer_of(q, *it)->request, latest = answer_of(q, late)->request;
        equal = equal && theirs == latest;
        if (theirs < latest) late = *it;
    }
    const int peer = equal && q.report.peer >= 0 ? q.report.peer : late;
    return blank_verdict(q, cause::timeout, peer, text + stragglers_in_words(q));
}

/// Two ranks' calls of one number that are the first in which they differ.
struct difference {
    const past_call *ours, *theirs;
};
/// The first difference of two histories, as far as both are known: all calls before it were alike. Nothing if there is
/// none, or if it lies before what is known of both.
inline std::optional<difference> first_difference(const std::vector<past_call>& ours,
                                                  const std::vector<past_call>& theirs) {
    bool alike_before = false;
    for (const past_call& a : ours) {
        const auto b =
            std::find_if(theirs.begin(), theirs.end(), [&](const auto& t) { return t.request == a.request; });
        if (b == theirs.end()) continue;
        if (a.signature != b->signature && (alike_before || a.request == 0)) return difference{&a, &*b};
        alike_before = a.signature == b->signature;
        if (!alike_before) return std::nullopt;
    }
    return std::nullopt;
}

/// Names the first calls that two ranks made unlike, and where that was seen if it was in a later one.
inline std::string difference_in_words(const inquest& q, const difference& d) {
    std::string text = "rank " + std::to_string(q.report.rank) + " called " + d.ours->call + ", rank " +
                       std::to_string(q.report.peer) + " called " + d.theirs->call;
    if (d.ours->request != q.report.request)
        text += " as call " + std::to_string(d.ours->request) + ", an earlier call than " + q.report.call +
                ", which found it";
    return text;
}

} // namespace detail

/// The verdict that blames a rank which is gone.
inline notice verdict_of_loss(const inquest& q, int rank) {
    const auto i = static_cast<std::size_t>(rank);
    const std::string who = "rank " + std::to_string(rank);
    if (q.standings[i] == standing::left)
        return detail::blank_verdict(q, cause::lost_peer, rank, who + " has left" + detail::waiters_in_words(q, rank));
    return detail::blank_verdict(q, cause::lost_peer, rank, who + " was lost: " + q.how[i]);
}

/// The verdict on two ranks that called different things: names both calls.
inline notice verdict_of_mismatch(const inquest& q) {
    const int peer = q.report.peer;
    const notice* theirs = peer >= 0 ? detail::answer_of(q, peer) : nullptr;
    if (peer >= 0 && !theirs && q.standings[static_cast<std::size_t>(peer)] == standing::lost)
        return verdict_of_loss(q, peer);
    if (theirs)
        if (const auto d = detail::first_difference(q.report.calls, theirs->calls))
            return detail::blank_verdict(q, cause::mismatch, peer, detail::difference_in_words(q, *d));
    std::string text = "rank " + std::to_string(q.report.rank) + " called " + q.report.call;
    const bool numbered = theirs && theirs->request != q.report.request;
    if (numbered) text += " as call " + std::to_string(q.report.request);
    if (theirs && !numbered && theirs->call == q.report.call) {
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

/// The verdict on a deadline that passed: blames the root of the waiting, not the reporter's neighbour. Linear in the
/// answers times the length of the waiting. Ranks that wait in unlike calls of one number need not have sent each other
/// anything that shows it: here it does.
inline notice verdict_of_timeout(const inquest& q) {
    if (const auto unlike = detail::unlike_calls(q)) return verdict_of_mismatch(*unlike);
    const auto path = detail::telling_path(q);
    const int root = path.back();
    const std::string who = "rank " + std::to_string(root);
    if (q.standings[static_cast<std::size_t>(root)] != standing::present) return verdict_of_loss(q, root);
    if (!detail::answer_of(q, root))
        return detail::blank_verdict(q, cause::timeout, root,
                                     who + " has not joined the call or is stopped" +
                                         detail::waiters_in_words(q, root) + detail::stragglers_in_words(q));
    if (path.size() > 1 && std::count(path.begin(), path.end(), root) > 1) return detail::circle_verdict(q, path);
    return detail::blank_verdict(q, cause::timeout, root,
                                 who + " is inside the call and waits for nobody" + detail::waiters_in_words(q, root) +
                                     detail::stragglers_in_words(q));
}

} // namespace tutti::transport::bootstrap
