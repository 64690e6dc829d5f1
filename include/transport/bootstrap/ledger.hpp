// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../notice.hpp"
#include "../transport.hpp"
#include "inquest.hpp"
#include "open_case.hpp"
#include "remembered_verdicts.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// What a complaint begins with; `tutti run` looks for it.
inline constexpr std::string_view mismatch_at_the_end = "tutti: mismatch at the end of a communicator: ";

/// The control plane's memory: one per world. A state machine without I/O, threads or a clock; whoever owns it holds
/// the lock, hands in what ranks say, and delivers what drain() returns. What a rank says never makes it throw
/// (memory aside) and its memory is bounded.
///
/// - lost, unreachable: every other rank is told `lost`, once a rank. An unreachable rank has `accusation_grace` to
///   turn out to have left: its farewell and the end of its data channels travel different ways.
/// - left: every other rank is told `departed`; that its connection then ends means nothing.
/// - abort: a verdict for all on that communicator.
/// - The first timeout or mismatch on a communicator opens a case: all are asked, those inside a call on it answer. It
///   is closed by one verdict for all when every member has answered, when a mismatch's named peer has, when a rank
///   that matters to it is lost, or after `case_grace`.
/// - A communicator has one verdict; later reports on it get that one again.
/// - closing: what ranks have called on a communicator is compared. A difference, of which no message could tell any
///   more, is a complaint, one a communicator.
class ledger {
public:
    static constexpr std::chrono::milliseconds case_grace{400};
    static constexpr std::chrono::milliseconds accusation_grace{100};
    static constexpr std::size_t max_cases = 64;      ///< open at once; the oldest is closed early
    static constexpr std::size_t max_text = 4096;     ///< bytes of any string kept or repeated
    static constexpr std::size_t max_past_call = 120; ///< bytes of a past call's
    static constexpr std::size_t max_closed = 65'536; ///< communicators whose ends are compared

    /// What is to be delivered to rank `to`.
    struct outgoing {
        int to;
        notice what;
    };

    explicit ledger(int size)
        : size_(size), standings_(static_cast<std::size_t>(size), standing::present),
          how_(static_cast<std::size_t>(size)), silent_(static_cast<std::size_t>(size), false) {}

    /// A rank spoke. What it claims of itself in n.rank does not count; nonsense is ignored.
    void take(int from, notice n, clock::time_point now) {
        if (!in_world(from) || standing_of(from) == standing::left) return;
        clean(n, from);
        switch (n.kind) {
        case notice_kind::closing: compare(from, n); break;
        case notice_kind::left: leave(from); break;
        case notice_kind::abort: abort(from, n); break;
        case notice_kind::unreachable: accuse(from, n, now); break;
        case notice_kind::timeout:
        case notice_kind::mismatch: report(from, std::move(n), now); break;
        case notice_kind::waiting: answer(from, std::move(n)); break;
        default: break;
        }
    }

    /// The connection of a rank ended. If it had not said `left`, it is lost.
    void lost(int rank, std::string how, clock::time_point) {
        if (!in_world(rank)) return;
        silent_[static_cast<std::size_t>(rank)] = true;
        declare_lost(rank, std::move(how));
    }

    /// Makes the decisions that are due.
    void tick(clock::time_point now) {
        const auto accusations = accusations_;
        for (const auto& [rank, a] : accusations)
            if (a.due <= now) declare_lost(rank, a.how);
        while (!cases_.empty() && cases_.at(oldest_case()).due <= now) close(oldest_case());
    }

    /// When tick() is wanted next; time_point::max() when nothing is pending.
    [[nodiscard]] clock::time_point next_tick() const {
        auto next = clock::time_point::max();
        for (const auto& [rank, a] : accusations_) next = std::min(next, a.due);
        for (const auto& [id, c] : cases_) next = std::min(next, c.due);
        return next;
    }

    /// What is to be delivered, in order; empties the list.
    [[nodiscard]] std::vector<outgoing> drain() { return std::exchange(outgoing_, {}); }

    /// Sentences for whoever looks after the program, on rank 0's standard error; empties the list.
    [[nodiscard]] std::vector<std::string> complaints() { return std::exchange(complaints_, {}); }

    [[nodiscard]] standing standing_of(int rank) const { return standings_[static_cast<std::size_t>(rank)]; }

private:
    struct accusation {
        std::string how;
        clock::time_point due;
    };

    [[nodiscard]] bool in_world(int rank) const { return rank >= 0 && rank < size_; }

    void clean(notice& n, int from) const {
        n.rank = from;
        if (!in_world(n.peer) || n.peer == from) n.peer = -1;
        if (n.members < 1 || n.members > size_) n.members = size_;
        if (n.text.size() > max_text) n.text.resize(max_text);
        if (n.call.size() > max_text) n.call.resize(max_text);
        if (n.calls.size() > most_past_calls) n.calls.resize(most_past_calls);
        for (past_call& c : n.calls)
            if (c.call.size() > max_past_call) c.call.resize(max_past_call);
    }

    void say(int to, notice what) {
        const bool deaf = standing_of(to) == standing::left || silent_[static_cast<std::size_t>(to)];
        if (!deaf) outgoing_.push_back({to, std::move(what)});
    }

    void say_to_all(const notice& what, int except = -1) {
        for (int r = 0; r < size_; ++r)
            if (r != except) say(r, what);
    }

    void ask_all(notice about) {
        about.why = about.kind == notice_kind::mismatch ? cause::mismatch : cause::timeout;
        about.kind = notice_kind::inquiry;
        about.calls.clear();
        say_to_all(about, about.rank);
    }

    void say_of(int rank, notice_kind kind, std::string text) {
        notice n{.kind = kind, .rank = rank, .peer = rank, .call = {}, .text = std::move(text), .calls = {}};
        say_to_all(n, rank);
    }

    void leave(int rank) {
        accusations_.erase(rank);
        const auto before = std::exchange(standings_[static_cast<std::size_t>(rank)], standing::left);
        if (before == standing::lost) return;
        say_of(rank, notice_kind::departed, {});
        settle_cases_of(rank, false);
    }

    void accuse(int from, const notice& n, clock::time_point now) {
        if (n.peer < 0 || standing_of(n.peer) != standing::present || standing_of(from) != standing::present) return;
        const auto how = "rank " + std::to_string(from) + " cannot reach it: " + n.text;
        accusations_.emplace(n.peer, accusation{how, now + accusation_grace});
    }

    void declare_lost(int rank, std::string how) {
        accusations_.erase(rank);
        if (standing_of(rank) != standing::present) return;
        if (how.size() > max_text) how.resize(max_text);
        standings_[static_cast<std::size_t>(rank)] = standing::lost;
        how_[static_cast<std::size_t>(rank)] = how;
        say_of(rank, notice_kind::lost, std::move(how));
        settle_cases_of(rank, true);
    }

    /// Closes the cases to which a rank that has just gone matters: someone waits for it, or (when it was lost; one
    /// that left may have done its part) it is certainly a member.
    void settle_cases_of(int rank, bool as_member) {
        std::vector<std::uint64_t> settled;
        for (const auto& [id, c] : cases_) {
            const bool member = c.report.members == size_ || c.answers.count(rank) > 0;
            if (c.names(rank) || (as_member && member)) settled.push_back(id);
        }
        for (const auto id : settled) {
            const auto q = inquest_of(cases_.at(id));
            if (!as_member && q.report.kind == notice_kind::mismatch)
                decide(verdict_of_mismatch(q));
            else
                decide(verdict_of_loss(q, rank));
        }
    }

    void abort(int from, const notice& n) {
        if (repeat_verdict(from, n.communicator)) return;
        notice v = n;
        v.calls.clear();
        v.kind = notice_kind::verdict;
        v.why = cause::aborted;
        v.peer = from;
        decide(std::move(v));
    }

    void report(int from, notice n, clock::time_point now) {
        if (repeat_verdict(from, n.communicator)) return;
        const int gone = gone_rank_that_explains(from, n);
        if (gone == from) return say(from, verdict_of_loss(inquest_of({n, {}, now}), from));
        if (gone >= 0) return decide(verdict_of_loss(inquest_of({n, {{from, n}}, now}), gone));
        const auto id = n.communicator;
        auto [it, opened] = cases_.try_emplace(id, open_case{n, {}, now + case_grace});
        if (opened) ask_all(n);
        it->second.weigh(n);
        it->second.add(from, std::move(n));
        if (it->second.complete()) close(id);
        if (cases_.size() > max_cases) close(oldest_case());
    }

    /// A rank that is gone and so settles a report at once: the reporter itself if the others gave it up, the peer it
    /// names, or anyone if the whole world takes part; -1 if none.
    [[nodiscard]] int gone_rank_that_explains(int from, const notice& n) const {
        if (standing_of(from) != standing::present) return from;
        if (n.peer >= 0 && standing_of(n.peer) != standing::present && n.kind == notice_kind::timeout) return n.peer;
        if (n.members < size_) return -1;
        for (int r = 0; r < size_; ++r)
            if (standing_of(r) == standing::lost) return r;
        return -1;
    }

    void answer(int from, notice n) {
        const auto it = cases_.find(n.communicator);
        if (it == cases_.end() || standing_of(from) != standing::present) return;
        it->second.add(from, std::move(n));
        if (it->second.complete()) close(it->first);
    }

    void close(std::uint64_t id) {
        const auto q = inquest_of(cases_.at(id));
        decide(q.report.kind == notice_kind::mismatch ? verdict_of_mismatch(q) : verdict_of_timeout(q));
    }

    [[nodiscard]] std::uint64_t oldest_case() const {
        const auto sooner = [](const auto& a, const auto& b) { return a.second.due < b.second.due; };
        return std::min_element(cases_.begin(), cases_.end(), sooner)->first;
    }

    [[nodiscard]] inquest inquest_of(const open_case& c) const { return {c.report, c.answers, standings_, how_}; }

    struct account {
        int rank;
        past_call last;
        bool complained;
    };

    /// A rank that was lost has left calls undone, which is known; and a verdict has told of its communicator.
    void compare(int from, const notice& n) {
        const auto is_lost = [](standing s) { return s == standing::lost; };
        if (std::any_of(standings_.begin(), standings_.end(), is_lost)) return;
        for (const past_call& c : n.calls) {
            if (verdicts_.find(c.communicator)) continue;
            const auto known = closed_.find(c.communicator);
            if (known != closed_.end())
                compare(known->second, from, c);
            else if (closed_.size() < max_closed)
                closed_.emplace(c.communicator, account{from, c, false});
        }
    }
    void compare(account& a, int from, const past_call& c) {
        if (a.complained || (a.last.request == c.request && a.last.signature == c.signature)) return;
        a.complained = true;
        const auto in_words = [](int rank, const past_call& p) {
            return "rank " + std::to_string(rank) + " made " + std::to_string(p.request) +
                   (p.request == 1 ? " call, " : " calls, the last of them ") + p.call;
        };
        complaints_.push_back(std::string(mismatch_at_the_end) + in_words(a.rank, a.last) + "; " + in_words(from, c) +
                              "; make all ranks call the same operations in the same order with equal arguments; "
                              "a barrier() at the end of the program makes this an exception");
    }

    /// Remembers a verdict, tells everyone, and ends the case.
    void decide(notice verdict) {
        if (verdict.text.size() > 2 * max_text) verdict.text.resize(2 * max_text);
        cases_.erase(verdict.communicator);
        say_to_all(verdict);
        verdicts_.add(std::move(verdict));
    }

    bool repeat_verdict(int to, std::uint64_t communicator) {
        const notice* known = verdicts_.find(communicator);
        if (known) say(to, *known);
        return known;
    }

    int size_;
    std::vector<standing> standings_;
    std::vector<std::string> how_;
    std::vector<bool> silent_; // by rank: its connection has ended, nothing can be delivered
    std::map<int, accusation> accusations_;
    std::map<std::uint64_t, open_case> cases_;
    remembered_verdicts verdicts_;
    std::vector<outgoing> outgoing_;
    std::map<std::uint64_t, account> closed_; // by communicator: who told first
    std::vector<std::string> complaints_;
};

/// Prints them on standard error, a line each.
inline void print(const std::vector<std::string>& complaints) {
    for (const std::string& c : complaints) std::fputs((c + "\n").c_str(), stderr);
}

} // namespace tutti::transport::bootstrap
