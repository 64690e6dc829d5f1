// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include <transport/medium.hpp>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tutti::model {

/// How the ranks of a communicator lie on nodes, and the media between them: the facts that a choice may use. The
/// same on all of its ranks.
struct topology {
    int size = 1;
    /// So many consecutive ranks share a node; the last node may have fewer. `size` where there is one node. 1 where it
    /// does not come out even: nodes of different sizes, or ranks of a node that are not consecutive.
    int ranks_per_node = size;
    transport::medium near = transport::medium::memory; ///< between ranks of a node
    transport::medium far = near;                       ///< between nodes

    /// How many blocks of ranks_per_node there are.
    [[nodiscard]] constexpr int nodes() const noexcept { return (size + ranks_per_node - 1) / ranks_per_node; }

    /// There are several nodes, and several ranks on them.
    [[nodiscard]] constexpr bool has_levels() const noexcept { return 1 < ranks_per_node && ranks_per_node < size; }

    /// The medium between ranks: the slower one, if there are two.
    [[nodiscard]] constexpr transport::medium between() const noexcept { return ranks_per_node < size ? far : near; }

    friend constexpr bool operator==(const topology&, const topology&) = default;
};

/// topology::ranks_per_node, where nodes[r] is the node of rank r.
[[nodiscard]] inline int ranks_per_node(std::span<const int> nodes) {
    const auto first_of_next = std::find_if(nodes.begin(), nodes.end(), [&](int n) { return n != nodes.front(); });
    const auto width = static_cast<std::size_t>(first_of_next - nodes.begin());
    std::vector<int> blocks;
    for (std::size_t r = 0; r < nodes.size(); ++r) {
        if (r % width == 0)
            blocks.push_back(nodes[r]);
        else if (nodes[r] != nodes[r - 1])
            return 1;
    }
    std::sort(blocks.begin(), blocks.end());
    const bool apart = std::adjacent_find(blocks.begin(), blocks.end()) == blocks.end();
    return apart ? static_cast<int>(width) : 1;
}

/// The topology of a communicator of these ranks of the transport's world, in this order.
template <class Transport>
[[nodiscard]] topology topology_of(const Transport& t, std::span<const int> members) {
    std::vector<int> nodes;
    nodes.reserve(members.size());
    for (const int m : members) nodes.push_back(t.node(m));
    return {static_cast<int>(members.size()), ranks_per_node(nodes), Transport::near, Transport::far};
}

} // namespace tutti::model
