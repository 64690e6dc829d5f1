// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "../contract/notice.hpp"
#include "rank_states.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

namespace tutti::transport::bootstrap {

/// The facts about a call that went wrong. Refers to the coordinator's records.
struct diagnosis {
    const notice& report;                 ///< the first mismatch, else the first timeout; `rank` is the reporter
    const std::map<int, notice>& answers; ///< one a rank, the reporter's included
    const rank_records& ranks;            ///< of the whole world
};

/// Why a rank that is waited for does nothing. Of several such ranks the first in this order is to blame.
enum class absence : std::uint8_t {
    gone,
    failed, ///< its calls had failed before
    silent, ///< it does not answer
    idle,   ///< it answers that it is in no call
    alone,  ///< it is in that very call and waits for no rank
};

/// The wait graph of all communicators, as the ranks have reported it. A node is a call under way on a rank. Linear in
/// nodes and in peers of nodes, in time and memory.
class wait_graph {
public:
    /// A rank that holds others up, and the call in which they miss it.
    struct root {
        int rank;
        absence why;
        const waiting_call* missed;
    };
    struct node {
        int rank;
        const waiting_call* what;
    };

    TUTTI_COLD explicit wait_graph(const diagnosis& q)
        : q_(&q), first_(q.ranks.size() + 1, 0), heard_(q.ranks.size(), false) {
        int next = 0;
        for (const auto& [rank, answer] : q.answers) {
            for (; next <= rank; ++next) first_[static_cast<std::size_t>(next)] = nodes_.size();
            heard_[static_cast<std::size_t>(rank)] = true;
            for (const waiting_call& w : answer.waits) nodes_.push_back({rank, &w});
        }
        for (; next < static_cast<int>(first_.size()); ++next) first_[static_cast<std::size_t>(next)] = nodes_.size();
    }

    /// The root that holds up the reported call, or else any call of its communicator. Nothing if all wait in cycles.
    TUTTI_COLD [[nodiscard]] std::optional<root> find_root() const {
        const auto found = search(reported());
        return found ? found : search(nodes_of_communicator());
    }

    /// The call that was reported waits for that rank, directly or through others.
    [[nodiscard]] bool leads_to(int rank) const {
        bool found = false;
        walk(reported(), [&](const node& n, int peer) { found = found || n.rank == rank || peer == rank; });
        return found;
    }

    /// The other communicators on which the call that was reported is held up, the nearest first.
    TUTTI_COLD [[nodiscard]] std::vector<std::uint64_t> communicators() const {
        std::vector<std::uint64_t> all;
        std::unordered_set<std::uint64_t> met{q_->report.communicator};
        walk(reported(), [&](const node& n, int) {
            if (met.insert(n.what->communicator).second) all.push_back(n.what->communicator);
        });
        return all;
    }

    /// Where all wait: a circle that the reporter's waiting leads to, each node once, beginning with the first met.
    TUTTI_COLD [[nodiscard]] std::vector<node> circle() const {
        const auto begin = reported();
        if (begin.empty()) return {};
        std::vector<std::size_t> path;
        std::vector<bool> met(nodes_.size(), false);
        std::optional<std::size_t> at = begin.front();
        while (at && !met[*at]) {
            met[*at] = true;
            path.push_back(*at);
            const auto& peers = nodes_[*at].what->peers;
            at = peers.empty() ? std::nullopt : node_for(peers.front(), *nodes_[*at].what);
        }
        if (!at) return {};
        std::vector<node> round;
        for (auto k = std::find(path.begin(), path.end(), *at); k != path.end(); ++k) round.push_back(nodes_[*k]);
        return round;
    }

    /// The ranks that wait for a root, by number; and those of them that do so without others between.
    struct waiters {
        std::vector<int> all, direct;
    };
    TUTTI_COLD [[nodiscard]] waiters waiters_for(const root& r) const {
        const reversed back(*this, r);
        std::vector<bool> met(nodes_.size(), false);
        auto frontier = back.direct;
        for (const std::size_t n : frontier) met[n] = true;
        for (std::size_t k = 0; k < frontier.size(); ++k)
            for (std::size_t e = back.head[frontier[k]]; e != none; e = back.edges[e].next)
                if (!met[back.edges[e].from]) {
                    met[back.edges[e].from] = true;
                    frontier.push_back(back.edges[e].from);
                }
        return {ranks_at(frontier, r.rank), ranks_at(back.direct, r.rank)};
    }

private:
    static constexpr std::size_t none = ~std::size_t{0};
    using numbers = std::vector<std::size_t>;

    /// The nodes that wait for each node, as lists; and those that wait for the root itself.
    struct reversed {
        struct edge {
            std::size_t from, next;
        };
        TUTTI_COLD reversed(const wait_graph& g, const root& r) : head(g.nodes_.size(), none) {
            for (std::size_t n = 0; n < g.nodes_.size(); ++n) {
                bool waits_for_root = false;
                for (const int peer : g.nodes_[n].what->peers) {
                    const auto to = g.node_for(peer, *g.nodes_[n].what);
                    const bool alone = to && r.why == absence::alone && g.nodes_[*to].what == r.missed;
                    waits_for_root = waits_for_root || alone || (!to && peer == r.rank);
                    if (!to) continue;
                    edges.push_back({n, head[*to]});
                    head[*to] = edges.size() - 1;
                }
                if (waits_for_root) direct.push_back(n);
            }
        }
        std::vector<std::size_t> head, direct;
        std::vector<edge> edges;
    };

    [[nodiscard]] std::size_t first_of(int rank) const { return first_[static_cast<std::size_t>(rank)]; }

    /// The call of `peer` that holds up the ranks waiting for it in `w`: the same call if the peer is in it; else the
    /// one that its program waits for, in the same communicator rather than in another; else an earlier call of that
    /// communicator.
    TUTTI_COLD [[nodiscard]] std::optional<std::size_t> node_for(int peer, const waiting_call& w) const {
        if (detail::of(q_->ranks, peer).now != standing::present) return std::nullopt;
        int best_kind = 0;
        std::optional<std::size_t> best;
        for (std::size_t n = first_of(peer); n < first_of(peer + 1); ++n) {
            const waiting_call& t = *nodes_[n].what;
            const bool same = t.communicator == w.communicator;
            // Those that do not block explain nothing: another message of theirs may be the awaited one.
            if (t.request == no_number && !t.blocks) continue;
            const int kind = same && t.request == w.request  ? 4
                             : same && t.blocks              ? 3
                             : t.blocks                      ? 2
                             : same && t.request < w.request ? 1
                                                             : 0;
            if (kind > best_kind) best_kind = kind, best = n;
        }
        return best;
    }

    static constexpr int nobody = -1, another_node = -2;

    /// Visits all nodes that these wait for, directly or through others, each once: with each peer that is in no call
    /// that explains its silence, with another_node for other peers, with nobody where it has no peer.
    template <class Visit>
    void walk(numbers frontier, Visit visit) const {
        std::vector<bool> met(nodes_.size(), false);
        for (const std::size_t n : frontier) met[n] = true;
        for (std::size_t k = 0; k < frontier.size(); ++k) {
            const node& n = nodes_[frontier[k]];
            if (n.what->peers.empty()) visit(n, nobody);
            for (const int peer : n.what->peers) {
                const auto next = node_for(peer, *n.what);
                visit(n, next ? another_node : peer);
                if (!next || met[*next]) continue;
                met[*next] = true;
                frontier.push_back(*next);
            }
        }
    }

    [[nodiscard]] std::optional<root> search(const numbers& from) const {
        std::optional<root> best;
        walk(from, [&](const node& n, int peer) {
            if (peer == another_node) return;
            const root r = peer == nobody ? root{n.rank, absence::alone, n.what} : root{peer, absence_of(peer), n.what};
            if (!best || r.why < best->why) best = r;
        });
        return best;
    }

    [[nodiscard]] absence absence_of(int rank) const {
        const rank_record& r = detail::of(q_->ranks, rank);
        if (r.now != standing::present) return absence::gone;
        if (r.failure) return absence::failed;
        return heard_[static_cast<std::size_t>(rank)] ? absence::idle : absence::silent;
    }

    /// The reporter's calls on the communicator of the report: that very one if it is under way still.
    TUTTI_COLD [[nodiscard]] numbers reported() const {
        numbers all;
        const int rank = q_->report.rank;
        for (std::size_t n = first_of(rank); n < first_of(rank + 1); ++n) {
            if (nodes_[n].what->communicator != q_->report.communicator) continue;
            if (nodes_[n].what->request == q_->report.request) return {n};
            all.push_back(n);
        }
        return all;
    }
    [[nodiscard]] numbers nodes_of_communicator() const {
        numbers all;
        for (std::size_t n = 0; n < nodes_.size(); ++n)
            if (nodes_[n].what->communicator == q_->report.communicator) all.push_back(n);
        return all;
    }

    TUTTI_COLD [[nodiscard]] std::vector<int> ranks_at(const numbers& nodes, int but) const {
        std::vector<int> ranks;
        for (const std::size_t n : nodes)
            if (nodes_[n].rank != but) ranks.push_back(nodes_[n].rank);
        std::sort(ranks.begin(), ranks.end());
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
        return ranks;
    }

    const diagnosis* q_;
    std::vector<node> nodes_;        // in the order of ranks
    std::vector<std::size_t> first_; // by rank: the number of its first node
    std::vector<bool> heard_;        // by rank
};

} // namespace tutti::transport::bootstrap
