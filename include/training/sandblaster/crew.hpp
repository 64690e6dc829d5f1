// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../buckets/agreement.hpp"
#include "../server/links.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tutti::training::sandblaster {

/// Who does what. Equal on all ranks.
struct crew {
    std::uint64_t parameters = 0; ///< how many, over all shards
    int coordinator = 0;          ///< a rank, which may hold a shard too
    std::vector<int> shards{};    ///< ranks, each with an equal part of the parameters, in this order
    std::vector<int> replicas{};  ///< ranks that compute, which are none of the above
};

/// A communicator for each pair of ranks that talk, so that a lost replica ends its own pairs alone.
template <class Communicator>
class crew_links {
public:
    /// Collective over `world`. Throws invalid_argument for a crew without shards or replicas, with fewer parameters
    /// than shards, or with a rank that there is not or that has two parts; mismatch where crews differ. Cost: as many
    /// splits as there are ranks.
    crew_links(const Communicator& world, crew of) : of_(checked(world, std::move(of))), links_(world, layout_of(of_)) {
        rank_ = world.rank();
    }

    /// The crew, as it was given.
    [[nodiscard]] const crew& of() const noexcept { return of_; }
    /// Whether this rank is the one that coordinates.
    [[nodiscard]] bool coordinates() const noexcept { return rank_ == of_.coordinator; }
    /// This rank's index among the shards; -1 if it holds none.
    [[nodiscard]] int shard() const noexcept { return server::detail::index_in(of_.shards, rank_); }
    /// This rank's index among the replicas; -1 if it is none.
    [[nodiscard]] int replica() const noexcept { return server::detail::index_in(of_.replicas, rank_); }
    /// The parameters of a shard. Their numbers differ by one at most.
    [[nodiscard]] server::key_range part(std::size_t shard) const noexcept { return links_.where().keys_of(shard); }
    /// The communicator of this rank and that one.
    [[nodiscard]] const Communicator& with(int rank) const { return links_.with(rank); }
    /// The rank of that one in it.
    [[nodiscard]] int peer(int rank) const noexcept { return links_.peer(rank); }
    /// Ends what is under way with that rank, for both.
    void end(int rank, const char* why) const noexcept {
        if (rank != rank_) server::detail::end_pair(with(rank), why);
    }

private:
    [[nodiscard]] static crew checked(const Communicator& world, crew of) {
        training::detail::require_same_lines(
            world, "crew",
            {"coordinator " + std::to_string(of.coordinator), std::to_string(of.shards.size()) + " shards"},
            "give all ranks the same crew");
        if (of.shards.empty() || of.replicas.empty()) reject("crew", "it needs a shard and a replica");
        if (of.parameters < of.shards.size()) reject("crew", "a shard would have no parameters");
        for (const int r : of.replicas)
            if (r == of.coordinator || server::detail::index_in(of.shards, r) >= 0)
                reject("crew", "rank " + std::to_string(r) + " cannot be a replica too");
        return of;
    }
    /// Those that serve are the coordinator and the shards; a segment is a shard's part.
    [[nodiscard]] static server::store_layout layout_of(const crew& of) {
        std::vector<int> serve = of.shards;
        if (server::detail::index_in(serve, of.coordinator) < 0) serve.push_back(of.coordinator);
        return {of.parameters, std::move(serve), of.replicas, static_cast<int>(of.shards.size()), 1};
    }

    crew of_;
    server::links<Communicator> links_;
    int rank_ = 0;
};

} // namespace tutti::training::sandblaster
