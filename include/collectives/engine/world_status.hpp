// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/error.hpp"
#include "../../transport/contract/notice.hpp"
#include "../../transport/contract/transport.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace tutti::engine {

/// The state of the world by the notices so far: lost ranks, ranks that have left, failed communicators.
class world_status {
public:
    enum class presence : std::uint8_t { here, lost, left };

    explicit world_status(int size) : ranks_(static_cast<std::size_t>(size)) {}

    /// `now`: when it was heard.
    void record(const transport::notice& n, transport::clock::time_point now = {}) {
        using transport::notice_kind;
        if (n.kind == notice_kind::lost) set(n, presence::lost, now);
        if (n.kind == notice_kind::departed) set(n, presence::left, now);
        if (n.kind != notice_kind::verdict || verdict_on(n.communicator)) return;
        if (verdicts_.size() == remembered) verdicts_.pop_front();
        verdicts_.push_back(n);
    }
    [[nodiscard]] presence of(int rank) const { return of_rank(rank).now; }
    /// When this rank heard so, of one that is lost or has left.
    [[nodiscard]] transport::clock::time_point since(int rank) const { return of_rank(rank).since; }
    /// Nobody is lost, and no communicator has failed, as far as is known.
    [[nodiscard]] bool all_well() const noexcept { return lost_.empty() && verdicts_.empty(); }
    /// Lost ranks, the first first.
    [[nodiscard]] const std::vector<int>& lost() const noexcept { return lost_; }
    /// The first rank that was lost within the last second and that the program does not know of; -1 if none.
    [[nodiscard]] int lately_lost(transport::clock::time_point now) const {
        const auto first = std::find_if(lost_.begin(), lost_.end(), [&](int rank) {
            return !is_known(rank) && now - of_rank(rank).since <= std::chrono::seconds(1);
        });
        return first == lost_.end() ? -1 : *first;
    }
    /// Of a rank that is lost or has left: what happened, in a sentence; the rank at fault, itself or the one that had
    /// made its calls fail before; and why.
    [[nodiscard]] const std::string& how(int rank) const { return of_rank(rank).how; }
    [[nodiscard]] int culprit(int rank) const { return of_rank(rank).culprit; }
    [[nodiscard]] cause why(int rank) const { return of_rank(rank).why; }
    /// The program has been told that its calls fail by that rank, and has called on. Counts of a rank that is gone.
    void note_known(int rank) {
        if (exists(rank) && of(rank) != presence::here) ranks_[static_cast<std::size_t>(rank)].is_known = true;
    }
    [[nodiscard]] bool is_known(int rank) const { return exists(rank) && of_rank(rank).is_known; }
    /// The verdict on a communicator, null if there is none. It may come before this rank has the communicator.
    [[nodiscard]] const transport::notice* verdict_on(std::uint64_t communicator) const {
        for (const auto& v : verdicts_)
            if (v.communicator == communicator) return &v;
        return nullptr;
    }

private:
    static constexpr std::size_t remembered = 256;

    struct state {
        presence now = presence::here;
        cause why = cause::lost_peer;
        int culprit = -1;
        bool is_known = false;
        transport::clock::time_point since{};
        std::string how;
    };
    [[nodiscard]] const state& of_rank(int rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] bool exists(int rank) const { return rank >= 0 && static_cast<std::size_t>(rank) < ranks_.size(); }

    void set(const transport::notice& n, presence p, transport::clock::time_point now) {
        if (!exists(n.rank)) return;
        if (p == presence::lost && of(n.rank) != presence::lost) lost_.push_back(n.rank);
        const bool by_another = exists(n.peer) && n.peer != n.rank;
        ranks_[static_cast<std::size_t>(n.rank)] = {p,
                                                    n.peer == n.rank || by_another ? n.why : cause::lost_peer,
                                                    by_another ? n.peer : n.rank,
                                                    is_known(n.rank),
                                                    now,
                                                    n.text};
    }

    std::vector<state> ranks_;
    std::vector<int> lost_;
    std::deque<transport::notice> verdicts_;
};

} // namespace tutti::engine
