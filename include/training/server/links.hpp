// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../buckets/agreement.hpp"
#include "placement.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::server {

namespace detail {
/// Ends what is under way on a pair, for both of its ranks: each takes the other one for lost.
template <class Communicator>
void end_pair(const Communicator& pair, const char* why) noexcept {
    try {
        pair.abort(why);
    } catch (const error&) {
        // Another thread is inside a call, which is against the rules; the requests wait for their deadline.
    }
}

/// -1: it is not there.
[[nodiscard]] inline int index_in(const std::vector<int>& ranks, int rank) noexcept {
    const auto at = std::find(ranks.begin(), ranks.end(), rank);
    return at == ranks.end() ? -1 : static_cast<int>(at - ranks.begin());
}
} // namespace detail

/// Communicators for each pair of a server and another rank of the store. A communicator is unusable once one of its
/// ranks is lost, or has aborted it. So a rank that is lost ends its own pairs, and all others go on. A rank that
/// serves and works has its client and its server apart: if one of them ends, the other goes on.
template <class Communicator>
class links {
public:
    /// Collective over `world`. Throws invalid_argument as placement, or for a rank that there is not; mismatch where
    /// layouts differ. Cost: as many splits as there are ranks.
    links(const Communicator& world, store_layout layout) : where_(std::move(layout)), rank_(world.rank()) {
        const auto& l = where_.layout();
        for (const auto* ranks : {&l.servers, &l.workers})
            for (const int r : *ranks)
                if (r < 0 || r >= world.size())
                    reject("store_layout",
                           "there is no rank " + std::to_string(r) + " among " + std::to_string(world.size()));
        training::detail::require_same_lines(world, "store_layout", lines_of(l), "give all ranks the same layout");
        server_ = detail::index_in(l.servers, rank_);
        worker_ = detail::index_in(l.workers, rank_);
        const int places = world.size() + world.size() % 2;
        for (int round = 0; round + 1 < places; ++round) add(world, partner_of(rank_, round, places));
        add(world, rank_);
    }

    /// Who keeps what.
    [[nodiscard]] const placement& where() const noexcept { return where_; }
    /// This rank's index among the servers; -1 if it is none.
    [[nodiscard]] int server() const noexcept { return server_; }
    /// This rank's index among the workers; -1 if it is none.
    [[nodiscard]] int worker() const noexcept { return worker_; }
    /// The rank of a server.
    [[nodiscard]] int rank_of_server(int index) const { return where_.layout().servers.at(std::size_t(index)); }
    /// The rank of a worker.
    [[nodiscard]] int rank_of_worker(int index) const { return where_.layout().workers.at(std::size_t(index)); }

    /// For messages of your own between this rank and that one, one of which is a server; or of this rank alone.
    [[nodiscard]] const Communicator& with(int rank) const { return pairs_.at(rank); }
    /// Of this rank's client and the server on that rank.
    [[nodiscard]] const Communicator& with_server(int rank) const { return to_servers_.at(rank); }
    /// Of this rank's server and the client on that rank.
    [[nodiscard]] const Communicator& with_worker(int rank) const { return to_workers_.at(rank); }
    /// Of the servers on this rank and that one.
    [[nodiscard]] const Communicator& between_servers(int rank) const { return between_servers_.at(rank); }
    /// The rank of that one in each of these.
    [[nodiscard]] int peer(int rank) const noexcept { return rank > rank_ ? 1 : 0; }

private:
    [[nodiscard]] static std::vector<std::string> lines_of(const store_layout& l) {
        std::vector<std::string> lines{std::to_string(l.keys) + " keys", std::to_string(l.segments) + " segments",
                                       std::to_string(l.copies) + " copies"};
        for (const int r : l.servers) lines.push_back("server " + std::to_string(r));
        for (const int r : l.workers) lines.push_back("worker " + std::to_string(r));
        return lines;
    }
    /// In each round of a tournament all ranks meet in pairs; over all rounds each meets each other one once. `places`
    /// is even. The last place may be nobody's.
    [[nodiscard]] static int partner_of(int rank, int round, int places) noexcept {
        const int circle = places - 1;
        if (rank == circle) return round * (places / 2) % circle; // whose own partner would be itself
        const int partner = (round - rank + circle) % circle;
        return partner == rank ? circle : partner;
    }
    /// Collective. `partner` may be nobody, or this rank.
    void add(const Communicator& world, int partner) {
        const bool meets = partner < world.size();
        const Communicator pair = world.split(meets ? std::min(rank_, partner) : rank_);
        if (!meets || (server_ < 0 && detail::index_in(where_.layout().servers, partner) < 0)) return;
        pairs_.emplace(partner, pair);
        const int lower = std::min(rank_, partner), higher = std::max(rank_, partner);
        add_client(pair, lower, higher);
        if (lower == higher) return;
        add_client(pair, higher, lower);
        if (server_ >= 0 && detail::index_in(where_.layout().servers, partner) >= 0)
            between_servers_.emplace(partner, pair.duplicate());
    }
    /// Of the client on one of both ranks of a pair and the server on the other one, if they are there.
    void add_client(const Communicator& pair, int client, int server) {
        const auto& l = where_.layout();
        if (detail::index_in(l.workers, client) < 0 || detail::index_in(l.servers, server) < 0) return;
        const Communicator both = pair.duplicate();
        if (client == rank_) to_servers_.emplace(server, both);
        if (server == rank_) to_workers_.emplace(client, both);
    }

    placement where_;
    int rank_, server_ = -1, worker_ = -1;
    std::map<int, Communicator> pairs_, to_servers_, to_workers_, between_servers_; ///< by the other rank
};

} // namespace tutti::training::server
