// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/notice.hpp"
#include "../contract/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// The state of a rank in the world.
enum class standing : std::uint8_t {
    present,
    lost,    ///< died, or the others cannot reach it
    left,    ///< said so
    leaving, ///< stays only until its peers have taken its messages
};

/// The rank at fault, and what happened, in a sentence.
struct blame {
    cause why = cause::lost_peer;
    int peer = -1;
    std::string text;
    friend bool operator==(const blame&, const blame&) = default;
};

/// The coordinator's record of a rank.
struct rank_record {
    standing now = standing::present;
    bool deaf = false;               ///< its connection has ended: nothing can be delivered
    bool silent = false;             ///< a deadline has passed by its fault, and nothing was heard of it since
    clock::time_point stays_until{}; ///< of a rank that is leaving
    std::string how;                 ///< of a lost rank: how that was noticed
    /// The cause of the failure of its calls, and its place among all such reports. Null: none, or its program goes on.
    std::shared_ptr<const blame> failure;
    std::uint64_t failed_at = 0;
};
using rank_records = std::vector<rank_record>;

namespace detail {

inline const rank_record& of(const rank_records& all, int rank) { return all[static_cast<std::size_t>(rank)]; }

/// The failure that a rank's own goes back to; null if its calls have not failed. A rank that is at fault for others
/// may have failed before by the fault of yet another.
inline const blame* first_failure(const rank_records& all, int rank) {
    const rank_record* at = &of(all, rank);
    if (!at->failure) return nullptr;
    for (;;) {
        const rank_record& before = of(all, at->failure->peer);
        if (!before.failure || before.failed_at >= at->failed_at) return at->failure.get();
        at = &before;
    }
}

/// Why others wait for a rank in vain.
inline std::string absence_in_words(const rank_records& all, int rank) {
    const rank_record& r = of(all, rank);
    const std::string who = "rank " + std::to_string(rank);
    if (r.now == standing::left || r.now == standing::leaving) return who + " has left";
    if (r.now == standing::lost) return who + " was lost: " + r.how;
    return who + " does not join further calls";
}

} // namespace detail

/// The blame for a rank that is gone, or joins no call. After a failure it goes to the first cause: the rank that made
/// its calls fail.
TUTTI_COLD inline blame blame_for_absence(const rank_records& all, int rank) {
    const auto words = detail::absence_in_words(all, rank);
    const blame* const first = detail::first_failure(all, rank);
    if (!first) return {cause::lost_peer, rank, words};
    return {first->why, first->peer, first->text + "; after that " + words};
}

/// A timeout or mismatch under inquiry: the report, and the answers of ranks so far.
struct pending_report {
    notice report;
    std::map<int, notice> answers{}; ///< one a rank, the reporters' included
    clock::time_point due;           ///< when it is closed whatever is known
    std::size_t heard = 0;           ///< members of the communicator that have said all that they know
    int awaited = -1;                ///< the rank on whose answer alone it depends now
    bool postponed = false;          ///< until accusations are decided, which happens once

    /// Takes a rank's answer or report. A timeout tells less than an answer, which has the last calls as well.
    TUTTI_COLD void add(int from, notice n) {
        const auto known = answers.find(from);
        const bool knew_all = known != answers.end() && tells_all(known->second);
        if (knew_all && !tells_all(n)) return;
        if (!knew_all && tells_all(n) && n.members > 0) ++heard;
        answers.insert_or_assign(from, std::move(n));
    }

    /// A further report: a mismatch says more than the timeouts that it causes.
    void weigh(const notice& n) {
        if (n.kind == notice_kind::mismatch && report.kind == notice_kind::timeout) report = n;
    }

    [[nodiscard]] bool has_heard(int rank) const {
        const auto known = answers.find(rank);
        return known != answers.end() && tells_all(known->second);
    }
    /// The rank is in a call of the communicator, or has answered as one that knows it.
    [[nodiscard]] bool has_member(int rank) const {
        const auto known = answers.find(rank);
        return known != answers.end() && known->second.members > 0;
    }

private:
    [[nodiscard]] static bool tells_all(const notice& n) { return n.kind != notice_kind::timeout; }
};

/// The verdict on each communicator that failed; the oldest is forgotten past `capacity`.
class remembered_verdicts {
public:
    static constexpr std::size_t capacity = 1024;

    [[nodiscard]] const notice* find(std::uint64_t communicator) const {
        const auto found = verdicts_.find(communicator);
        return found == verdicts_.end() ? nullptr : &found->second;
    }

    /// Keeps the first verdict on a communicator.
    void add(notice verdict) {
        const auto id = verdict.communicator;
        if (!verdicts_.try_emplace(id, std::move(verdict)).second) return;
        order_.push_back(id);
        if (order_.size() <= capacity) return;
        verdicts_.erase(order_.front());
        order_.pop_front();
    }

private:
    std::map<std::uint64_t, notice> verdicts_;
    std::deque<std::uint64_t> order_;
};

} // namespace tutti::transport::bootstrap
