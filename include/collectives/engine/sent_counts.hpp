// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/status_page.hpp"
#include "../schedule/lowering/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tutti::engine {

/// What the runs of one plan send to each peer, for the rank's status page. It is counted once a layout, and added when
/// a run is done, so that a message costs nothing. Empty where the rank has no page.
class sent_counts {
public:
    /// Takes the rows of the peers that the plan sends to. `members`: the world's rank of each of the communicator.
    void open(transport::status::page& page, const schedule::plan& plan, const std::vector<int>& members) {
        peers_.resize(plan.peers.size());
        for (const schedule::step& step : plan.steps) {
            if (!sends(step)) continue;
            const auto peer = static_cast<std::size_t>(step.peer);
            peers_[peer].row = &page.row_of(members[static_cast<std::size_t>(plan.peers[peer])]);
        }
    }
    /// Counts anew. `transfers`: of each step of that plan.
    template <class Transfers>
    void count(const schedule::plan& plan, const Transfers& transfers) noexcept {
        if (peers_.empty()) return;
        for (to_peer& p : peers_) p.messages = p.bytes = 0;
        for (std::size_t i = 0; i < transfers.size(); ++i) {
            const schedule::step& step = plan.steps[i];
            if (!sends(step) || !schedule::leads(plan.steps, i)) continue;
            to_peer& p = peers_[static_cast<std::size_t>(step.peer)];
            ++p.messages;
            p.bytes += transfers[i].bytes;
        }
    }
    /// A run is done.
    void add() const noexcept {
        for (const to_peer& p : peers_)
            if (p.row) p.row->add(p.messages, p.bytes);
    }

private:
    struct to_peer {
        transport::status::traffic* row = nullptr; ///< null: the plan sends it nothing
        std::uint64_t messages = 0, bytes = 0;
    };
    std::vector<to_peer> peers_; ///< by the plan's peer
};

} // namespace tutti::engine
