// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../transport/contract/medium.hpp"
#include "../algorithm/any.hpp"
#include "../schedule/placement.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tutti::model {

/// How the ranks of a communicator lie on nodes, and the media between them: the facts that a choice may use. The
/// same on all of its ranks.
struct topology {
    int size = 1; ///< the number of ranks
    /// The ranks of the largest node; `size` where there is one node. Where `placed` is null so many consecutive ranks
    /// share a node, and the last node may have fewer.
    int ranks_per_node = size;
    transport::medium near = transport::medium::memory; ///< between ranks of a node
    transport::medium far = near;                       ///< between nodes

    /// Where the ranks lie, if their nodes are of different sizes, or not of consecutive ranks; else null.
    std::shared_ptr<const schedule::placement> placed{};
    bool reads_in_place = false; ///< peers read all memory where it lies, as if it were symmetric

    /// The number of nodes.
    [[nodiscard]] int nodes() const noexcept {
        return placed ? placed->nodes() : (size + ranks_per_node - 1) / ranks_per_node;
    }
    /// All nodes have as many ranks.
    [[nodiscard]] bool even() const noexcept { return ranks_per_node * nodes() == size; }

    /// There are several nodes, and several ranks on them.
    [[nodiscard]] bool has_levels() const noexcept { return 1 < ranks_per_node && ranks_per_node < size; }

    /// A hierarchy of this operation joins parts of messages, for each of which a rank needs a scratch bank: of these
    /// there are enough, wherever ranks lie and whoever does the local work.
    [[nodiscard]] bool has_banks_for_levels(schedule::operation what) const noexcept {
        constexpr int most_ranks = 8192; // four banks a rank at most, of 32,767 with an executor
        const bool joins = what == schedule::operation::alltoall || (placed && schedule::has_shards(what));
        return !joins || size <= most_ranks;
    }

    /// The medium between ranks: the slower one, if there are two.
    [[nodiscard]] transport::medium between() const noexcept { return ranks_per_node < size ? far : near; }

    /// A hierarchy for these nodes, of any that is one; another algorithm as it is.
    [[nodiscard]] algorithm::any of_nodes(const algorithm::any& how) const {
        return placed ? how.on(placed) : how.with_ranks_per_node(ranks_per_node);
    }

    friend bool operator==(const topology& a, const topology& b) noexcept {
        const bool alike = a.size == b.size && a.ranks_per_node == b.ranks_per_node && a.near == b.near &&
                           a.far == b.far && a.reads_in_place == b.reads_in_place;
        return alike && (a.placed && b.placed ? *a.placed == *b.placed : a.placed == b.placed);
    }
};

/// The topology of ranks of which nodes[r] is the node of rank r.
[[nodiscard]] inline topology topology_of(std::span<const int> nodes, transport::medium near, transport::medium far) {
    auto placed = std::make_shared<const schedule::placement>(nodes);
    topology on{placed->size(), placed->most(), near, far};
    if (!placed->in_order() || placed->width() == 0) on.placed = std::move(placed);
    return on;
}

/// The topology of a communicator of these ranks of the transport's world, in this order.
template <class Transport>
[[nodiscard]] topology topology_of(const Transport& t, std::span<const int> members) {
    std::vector<int> nodes;
    nodes.reserve(members.size());
    for (const int m : members) nodes.push_back(t.node(m));
    topology on = topology_of(nodes, t.between().near, t.between().far);
    on.reads_in_place = t.between().reads_in_place;
    return on;
}

} // namespace tutti::model
