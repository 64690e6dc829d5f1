// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/any_duration.hpp"
#include "../../base/error.hpp"
#include "../server/links.hpp"

#include <chrono>
#include <optional>
#include <utility>
#include <vector>

namespace tutti::training {

/// Lets the first of several workers train alone for a while, before the others begin. If it is lost, they begin too;
/// and if another one is lost, the rest is not disturbed. Source: the warm start of Dean et al., NIPS 2012.
template <class Communicator>
class warm_start {
public:
    /// Collective over `world`. `workers` are some of its ranks, the first one first, the same on all. Throws
    /// invalid_argument where that names a rank twice, or one that there is not. Cost: as of server::links.
    warm_start(const Communicator& world, const std::vector<int>& workers) {
        if (workers.size() < 2) return;
        pairs_.emplace(world, server::store_layout{1, {workers.front()}, {workers.begin() + 1, workers.end()}});
    }
    warm_start(const warm_start&) = delete;
    warm_start& operator=(const warm_start&) = delete;
    /// If the first worker has not told the others, it counts as lost.
    ~warm_start() {
        if (is_told_ || !is_first()) return;
        try {
            each([](const Communicator& pair, int) { pair.abort("the first worker of a warm start is gone"); });
        } catch (const error&) { // they wait for their deadline
        }
    }

    /// On the first worker: the others may begin. Those that are lost do not matter.
    void tell() {
        if (std::exchange(is_told_, true) || !is_first()) return;
        each([](const Communicator& pair, int peer) { pair.send(1, peer); });
    }
    /// On the others: returns when they may begin. Throws timeout after so long.
    void wait(any_duration most = std::chrono::hours(24)) const {
        if (!pairs_ || pairs_->worker() < 0) return;
        const int first = pairs_->rank_of_server(0);
        try {
            static_cast<void>(pairs_->with(first).with_deadline(most).template receive<int>(pairs_->peer(first)));
        } catch (const error& e) {
            if (e.why() == cause::timeout || e.why() == cause::invalid_argument) throw;
        }
    }

private:
    [[nodiscard]] bool is_first() const noexcept { return pairs_ && pairs_->server() == 0; }
    void each(const auto& call) const {
        for (const int rank : pairs_->where().layout().workers) {
            try {
                call(pairs_->with(rank), pairs_->peer(rank));
            } catch (const error& e) { // that worker is lost, unless the call itself is wrong
                if (e.why() == cause::invalid_argument) throw;
            }
        }
    }

    std::optional<server::links<Communicator>> pairs_; ///< of the first worker, as a server, and each other one
    bool is_told_ = false;
};

} // namespace tutti::training
