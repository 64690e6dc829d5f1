// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../notice.hpp"
#include "../transport.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tutti::transport::bootstrap {

/// How a rank stands in the world.
enum class standing : std::uint8_t {
    present,
    lost,    ///< died, or the others cannot reach it
    left,    ///< said so
    leaving, ///< stays only until what it had sent is taken
};

/// Who is at fault, and what happened, in a sentence.
struct blame {
    cause why = cause::lost_peer;
    int peer = -1;
    std::string text;
    friend bool operator==(const blame&, const blame&) = default;
};

/// What the ledger knows of a rank.
struct rank_record {
    standing now = standing::present;
    bool deaf = false;               ///< its connection has ended: nothing can be delivered
    clock::time_point stays_until{}; ///< of a rank that is leaving
    std::string how;                 ///< of a lost rank: how that was noticed
    /// By what its calls have failed, and when among all such reports. Null: they have not, or its program goes on.
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

/// What a rank does, or has done, that others wait in vain.
inline std::string absence_in_words(const rank_records& all, int rank) {
    const rank_record& r = of(all, rank);
    const std::string who = "rank " + std::to_string(rank);
    if (r.now == standing::left || r.now == standing::leaving) return who + " has left";
    if (r.now == standing::lost) return who + " was lost: " + r.how;
    return who + " does not join further calls";
}

} // namespace detail

/// Who is to blame that a rank is gone, or joins no call. After a failure that is not the rank itself but who had made
/// its calls fail: the first cause.
inline blame blame_for_absence(const rank_records& all, int rank) {
    const auto words = detail::absence_in_words(all, rank);
    const blame* const first = detail::first_failure(all, rank);
    if (!first) return {cause::lost_peer, rank, words};
    return {first->why, first->peer, first->text + "; after that " + words};
}

} // namespace tutti::transport::bootstrap
