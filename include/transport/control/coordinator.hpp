// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/notice.hpp"
#include "../contract/transport.hpp"
#include "call_history.hpp"
#include "rank_states.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// The state of the control plane: one per world. A state machine without I/O, threads or a clock. Its owner holds the
/// lock, hands in the notices of ranks, and delivers what drain() returns. No notice makes it throw (memory aside), and
/// its memory is bounded. By the kind of a notice:
///
/// - lost, unreachable: every other rank is told `lost`, once a rank. An unreachable rank has `accusation_grace` to
///   turn out to have left: its farewell and the end of its data channels travel different ways.
/// - left: every other rank is told `departed`. The end of its connection then means nothing.
/// - leaving: a rank that waits for it is told so, if it has missed its deadline or finds its data channel ended.
///   Others hear of it when its data are taken and it says `left`.
/// - failed: until the rank resumes, its absence is blamed on the rank that made its calls fail. So a loss is named on
///   communicators that never had the lost rank.
/// - abort: a verdict for all on that communicator. A rank that has seen a mismatch of two messages names the sender.
/// - timeout, mismatch: the first one on a communicator becomes a pending report. All ranks of the world are asked, and
///   tell their calls on every communicator. One verdict for all ends it. That happens when every member and every rank
///   that they wait for has answered; when a mismatch's named peer has; when a rank that matters to it is lost; or
///   after `report_grace`. Before that it waits, once, for the decision on unreachable ranks.
/// - closing: the calls of ranks on a communicator are compared. A difference is a complaint, one a communicator, since
///   no message can tell it any more.
///
/// A communicator has one verdict; later reports on it get the same one again.
class coordinator {
public:
    static constexpr std::chrono::milliseconds report_grace{400};
    static constexpr std::chrono::milliseconds accusation_grace{100};
    static constexpr std::size_t max_pending = 64;    ///< open at once; the oldest is closed early
    static constexpr std::size_t max_text = 4096;     ///< bytes of any string kept or repeated
    static constexpr std::size_t max_past_call = 120; ///< bytes of a past call's, and of a waiting call's

    /// A notice for some ranks.
    struct outgoing {
        std::vector<int> to;
        notice what;
    };

    TUTTI_COLD explicit coordinator(int size) : size_(size), ranks_(static_cast<std::size_t>(size)) {}

    /// Takes a rank's notice. Its own n.rank does not count; nonsense is ignored.
    TUTTI_COLD void take(int from, notice n, clock::time_point now) {
        if (!in_world(from) || standing_of(from) == standing::left) return;
        record_of(from).silent = false;
        clean(n, from);
        switch (n.kind) {
        case notice_kind::closing: compare(from, n); break;
        case notice_kind::left: leave(from); break;
        case notice_kind::leaving: begin_leaving(from, n, now); break;
        case notice_kind::abort: abort(from, n); break;
        case notice_kind::unreachable: accuse(from, n, now); break;
        case notice_kind::failed: note_failure(from, std::move(n)); break;
        case notice_kind::resumed: record_of(from).failure.reset(); break;
        case notice_kind::timeout:
        case notice_kind::mismatch: report(from, std::move(n), now); break;
        case notice_kind::waiting: answer(from, std::move(n)); break;
        default: break;
        }
    }

    /// The connection of a rank ended. If it had not said `left`, it is lost.
    void lost(int rank, std::string how, clock::time_point) {
        if (!in_world(rank)) return;
        record_of(rank).deaf = true;
        declare_lost(rank, std::move(how));
    }

    /// Makes the decisions that are due.
    TUTTI_COLD void tick(clock::time_point now) {
        const auto accusations = accusations_;
        for (const auto& [rank, a] : accusations)
            if (a.due <= now) declare_lost(rank, a.how);
        while (!pending_.empty() && pending_.at(oldest_pending()).due <= now) close_after_accusations(oldest_pending());
    }

    /// When tick() is wanted next; time_point::max() when nothing is pending.
    [[nodiscard]] clock::time_point next_tick() const {
        auto next = clock::time_point::max();
        for (const auto& [rank, a] : accusations_) next = std::min(next, a.due);
        for (const auto& [id, c] : pending_) next = std::min(next, c.due);
        return next;
    }

    /// The notices to deliver, in order; empties the list.
    [[nodiscard]] std::vector<outgoing> drain() { return std::exchange(outgoing_, {}); }

    /// Sentences for rank 0's standard error; empties the list.
    [[nodiscard]] std::vector<std::string> complaints() { return std::exchange(complaints_, {}); }

    /// Until when ranks that are leaving may stay; the past if none is.
    [[nodiscard]] clock::time_point longest_stay() const {
        auto longest = clock::time_point::min();
        for (const rank_record& r : ranks_)
            if (r.now == standing::leaving) longest = std::max(longest, r.stays_until);
        return longest;
    }

    [[nodiscard]] standing standing_of(int rank) const { return detail::of(ranks_, rank).now; }
    /// The last that is known of the rank is that the others waited for it in vain.
    [[nodiscard]] bool is_silent(int rank) const { return detail::of(ranks_, rank).silent; }

private:
    struct accusation {
        int by;
        std::string why, how; ///< in the accuser's words; of the accused
        clock::time_point due;
    };

    [[nodiscard]] bool in_world(int rank) const { return rank >= 0 && rank < size_; }
    [[nodiscard]] rank_record& record_of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

    TUTTI_COLD void clean(notice& n, int from) const {
        const auto is_other = [&](int rank) { return in_world(rank) && rank != from; };
        const bool is_answer = n.kind == notice_kind::waiting;
        n.rank = from;
        if (n.kind != notice_kind::failed && !is_other(n.peer)) n.peer = -1;
        if (n.members < (is_answer ? 0 : 1) || n.members > size_) n.members = size_;
        if (n.text.size() > max_text) n.text.resize(max_text);
        if (n.call.size() > max_text) n.call.resize(max_text);
        if (n.calls.size() > most_past_calls) n.calls.resize(most_past_calls);
        for (past_call& c : n.calls)
            if (c.call.size() > max_past_call) c.call.resize(max_past_call);
        if (n.waits.size() > most_waiting_calls) n.waits.resize(most_waiting_calls);
        for (waiting_call& w : n.waits) {
            std::erase_if(w.peers, [&](int peer) { return !is_other(peer); });
            if (w.peers.size() > most_peers) w.peers.resize(most_peers);
            if (w.call.size() > max_past_call) w.call.resize(max_past_call);
        }
        // A rank that tells of one call alone need not say it twice.
        if (n.waits.empty() && n.peer >= 0) n.waits.push_back({n.communicator, n.request, true, {n.peer}, n.call});
    }

    /// A text joined from several.
    [[nodiscard]] static std::string cut(std::string text) {
        if (text.size() > 2 * max_text) text.resize(2 * max_text);
        return text;
    }

    TUTTI_COLD void say(int to, notice what) {
        const bool hears = standing_of(to) != standing::left && !record_of(to).deaf;
        if (hears) outgoing_.push_back({{to}, std::move(what)});
    }
    TUTTI_COLD void say_to_all(notice what, int except = -1) {
        std::vector<int> all;
        for (int r = 0; r < size_; ++r)
            if (r != except && standing_of(r) != standing::left && !record_of(r).deaf) all.push_back(r);
        if (!all.empty()) outgoing_.push_back({std::move(all), std::move(what)});
    }

    /// The reporter is asked as well: only answers have the last calls.
    void ask_all(const notice& about) {
        notice n;
        n.kind = notice_kind::inquiry;
        n.why = about.kind == notice_kind::mismatch ? cause::mismatch : cause::timeout;
        n.communicator = about.communicator;
        n.members = about.members;
        n.rank = about.rank;
        n.peer = about.peer;
        n.request = about.request;
        say_to_all(std::move(n), about.kind == notice_kind::mismatch ? about.rank : -1);
    }

    TUTTI_COLD [[nodiscard]] notice news_of(int rank, notice_kind kind) const {
        auto b = blame_for_absence(ranks_, rank);
        notice n;
        n.kind = kind;
        n.why = b.why;
        n.rank = rank;
        n.peer = b.peer;
        n.text = cut(std::move(b.text));
        return n;
    }
    TUTTI_COLD void say_of(int rank, notice_kind kind) { say_to_all(news_of(rank, kind), rank); }

    void begin_leaving(int rank, const notice& n, clock::time_point now) {
        constexpr std::uint64_t longest_ms = 600'000;
        if (standing_of(rank) != standing::present) return;
        accusations_.erase(rank);
        record_of(rank).now = standing::leaving;
        record_of(rank).stays_until = now + std::chrono::milliseconds(std::min(n.request, longest_ms));
        settle_reports_on(rank, false);
    }

    void leave(int rank) {
        accusations_.erase(rank);
        const auto before = std::exchange(record_of(rank).now, standing::left);
        if (before == standing::lost) return;
        say_of(rank, notice_kind::departed);
        settle_reports_on(rank, false);
    }

    TUTTI_COLD void accuse(int from, const notice& n, clock::time_point now) {
        if (n.peer < 0 || standing_of(from) != standing::present) return;
        if (standing_of(n.peer) == standing::leaving) return say(from, news_of(n.peer, notice_kind::departed));
        if (standing_of(n.peer) != standing::present) return;
        const auto how = "rank " + std::to_string(from) + " cannot reach it: " + n.text;
        const auto [made, is_first] =
            accusations_.try_emplace(n.peer, accusation{from, n.text, how, now + accusation_grace});
        const auto mutual = accusations_.find(from);
        if (!is_first || mutual == accusations_.end() || mutual->second.by != n.peer) return;
        // Both ends of a link say why it broke: one saw it, the other may know only that it was closed.
        made->second.how += in_turn(n.peer, from, mutual->second.why);
        mutual->second.how += in_turn(from, n.peer, n.text);
    }

    TUTTI_COLD static std::string in_turn(int rank, int of, const std::string& why) {
        return "; and rank " + std::to_string(rank) + " says of rank " + std::to_string(of) + ": " + why;
    }

    TUTTI_COLD void declare_lost(int rank, std::string how) {
        accusations_.erase(rank);
        if (standing_of(rank) != standing::present && standing_of(rank) != standing::leaving) return;
        if (how.size() > max_text) how.resize(max_text);
        record_of(rank).now = standing::lost;
        record_of(rank).how = std::move(how);
        if (first_lost_ < 0) first_lost_ = rank;
        say_of(rank, notice_kind::lost);
        settle_reports_on(rank, true);
    }

    /// The first since the rank has resumed counts. Many ranks fail by one cause: its words are kept once.
    TUTTI_COLD void note_failure(int from, notice n) {
        rank_record& r = record_of(from);
        if (r.failure || n.peer < 0 || !in_world(n.peer)) return;
        blame b{n.why, n.peer, std::move(n.text)};
        if (b.why == cause::invalid_argument || b.why == cause::bootstrap) b.why = cause::lost_peer;
        if (!last_failure_ || *last_failure_ != b) last_failure_ = std::make_shared<const blame>(std::move(b));
        r.failure = last_failure_;
        r.failed_at = ++failures_;
    }

    /// Ends the pending reports to which a rank that has just gone matters: a rank waits for it, or it was lost and is
    /// certainly a member. (A rank that has left may have done its part.)
    TUTTI_COLD void settle_reports_on(int rank, bool as_member) {
        std::vector<std::uint64_t> settled;
        for (const auto& [id, c] : pending_) {
            const bool member = c.report.members == size_ || c.has_member(rank);
            if ((as_member && member) || wait_graph(diagnosis_of(c)).leads_to(rank)) settled.push_back(id);
        }
        for (const auto id : settled) {
            const auto q = diagnosis_of(pending_.at(id));
            if (!as_member && q.report.kind == notice_kind::mismatch)
                decide(verdict_of_mismatch(q));
            else
                decide(verdict_of_loss(q, rank));
        }
    }

    TUTTI_COLD void abort(int from, const notice& n) {
        if (repeat_verdict(from, n.communicator)) return;
        notice v = n;
        v.calls.clear();
        v.waits.clear();
        v.kind = notice_kind::verdict;
        v.why = n.why == cause::mismatch ? cause::mismatch : cause::aborted;
        if (v.why == cause::aborted || v.peer < 0) v.peer = from;
        decide(std::move(v));
    }

    TUTTI_COLD void report(int from, notice n, clock::time_point now) {
        if (repeat_verdict(from, n.communicator)) return;
        if (const int gone = gone_rank_that_explains(from, n); gone >= 0) return blame_gone(from, n, gone);
        auto [it, opened] = pending_.try_emplace(n.communicator, pending_report{n, {}, now + report_grace});
        if (opened) ask_all(n);
        it->second.weigh(n);
        it->second.add(from, std::move(n));
        close_if_complete(it->first, from);
        if (pending_.size() > max_pending) close(oldest_pending());
    }
    /// Settles a report at once. One that comes from a rank which the others gave up is for that rank alone.
    TUTTI_COLD void blame_gone(int from, const notice& n, int gone) {
        const std::map<int, notice> answers{{from, n}};
        auto verdict = verdict_of_loss({n, answers, ranks_}, gone);
        verdict.text = cut(std::move(verdict.text));
        if (gone == from) return say(from, std::move(verdict));
        decide(std::move(verdict));
    }

    /// A rank that is gone and so settles a report at once: the reporter itself if the others gave it up, one that the
    /// reported call waits for, or anyone if the whole world takes part; -1 if none.
    [[nodiscard]] int gone_rank_that_explains(int from, const notice& n) const {
        if (standing_of(from) != standing::present) return from;
        if (n.kind == notice_kind::timeout && in_world(n.peer) && standing_of(n.peer) != standing::present)
            return n.peer; // the waits name a few peers alone
        if (n.kind == notice_kind::timeout)
            for (const waiting_call& w : n.waits)
                for (const int peer : w.peers)
                    if (w.communicator == n.communicator && w.request == n.request &&
                        standing_of(peer) != standing::present)
                        return peer;
        return n.members < size_ ? -1 : first_lost_;
    }

    void answer(int from, notice n) {
        const auto it = pending_.find(n.communicator);
        if (it == pending_.end() || standing_of(from) != standing::present) return;
        it->second.add(from, std::move(n));
        close_if_complete(it->first, from);
    }

    /// Ends a report when no further answer is needed. That is checked when the last member has answered, and then only
    /// when the rank answers on which the verdict depends. So a report costs a few times its answers.
    TUTTI_COLD void close_if_complete(std::uint64_t id, int from) {
        pending_report& c = pending_.at(id);
        const bool all_heard = c.heard >= static_cast<std::size_t>(c.report.members);
        if (c.report.kind == notice_kind::mismatch) {
            if (all_heard || c.has_heard(c.report.peer)) close(id);
            return;
        }
        if (!all_heard || (c.awaited >= 0 && c.awaited != from)) return;
        const auto root = wait_graph(diagnosis_of(c)).find_root();
        const bool may_answer = root && root->why != absence::gone && !c.has_heard(root->rank);
        if (may_answer) c.awaited = root->rank;
        if (!may_answer && !c.postponed) close_after_accusations(id); // else tick() closes it
    }

    TUTTI_COLD void close(std::uint64_t id) {
        const auto q = diagnosis_of(pending_.at(id));
        decide(q.report.kind == notice_kind::mismatch ? verdict_of_mismatch(q) : verdict_of_timeout(q));
    }

    /// Ends a report, but not before the current accusations are decided, once: a broken link would look like a cycle.
    void close_after_accusations(std::uint64_t id) {
        pending_report& c = pending_.at(id);
        if (accusations_.empty() || std::exchange(c.postponed, true)) return close(id);
        c.due = accusations_.begin()->second.due;
        for (const auto& [rank, a] : accusations_) c.due = std::max(c.due, a.due);
    }

    [[nodiscard]] std::uint64_t oldest_pending() const {
        const auto sooner = [](const auto& a, const auto& b) { return a.second.due < b.second.due; };
        return std::min_element(pending_.begin(), pending_.end(), sooner)->first;
    }

    [[nodiscard]] diagnosis diagnosis_of(const pending_report& c) const { return {c.report, c.answers, ranks_}; }

    /// A rank that was lost has left calls undone, which is known; and a verdict has told of its communicator. Where
    /// all that it knew is that a rank has left, that one may have made another call, but not too few.
    TUTTI_COLD void compare(int from, const notice& n) {
        if (first_lost_ >= 0) return;
        for (const past_call& c : n.calls) {
            const notice* const told = verdicts_.find(c.communicator);
            if (told && told->why != cause::lost_peer) continue;
            if (auto complaint = closed_.compare(from, c, told != nullptr))
                complaints_.push_back(std::move(*complaint));
        }
    }

    /// Remembers a verdict, tells all ranks, and ends the report.
    TUTTI_COLD void decide(notice verdict) {
        verdict.text = cut(std::move(verdict.text));
        pending_.erase(verdict.communicator);
        if (verdict.why == cause::timeout && in_world(verdict.peer)) record_of(verdict.peer).silent = true;
        say_to_all(verdict);
        verdicts_.add(std::move(verdict));
    }

    bool repeat_verdict(int to, std::uint64_t communicator) {
        const notice* known = verdicts_.find(communicator);
        if (known) say(to, *known);
        return known;
    }

    int size_;
    rank_records ranks_;
    int first_lost_ = -1;
    std::uint64_t failures_ = 0;
    std::shared_ptr<const blame> last_failure_;
    std::map<int, accusation> accusations_;
    std::map<std::uint64_t, pending_report> pending_;
    remembered_verdicts verdicts_;
    std::vector<outgoing> outgoing_;
    last_calls closed_;
    std::vector<std::string> complaints_;
};

} // namespace tutti::transport::bootstrap
