// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../algorithm/all.hpp"
#include "many_ranks.hpp"
#include "selection.hpp"
#include "topology.hpp"

#include <algorithm>
#include <cstddef>

/// The part of the rule for several nodes with several ranks each, where operands may change places: between nodes goes
/// what must, once a node and not once a rank. Derived by the model, as many_ranks.hpp.
namespace tutti::model::detail {

/// So much data for each rank goes around a ring of consecutive nodes: it crosses between nodes once, and the ranks of
/// a node wait for no other part of it.
[[nodiscard]] inline bool fills_ring(std::size_t bytes, const topology& on) noexcept {
    constexpr std::size_t long_shard = std::size_t{1} << 20, in_uneven_nodes = 8 * 1024;
    return !on.placed && part_of(bytes, on.size) >= (on.even() ? long_shard : in_uneven_nodes);
}

/// An allreduce. Very little data go by a butterfly over all ranks, of which every rank carries everything across: of a
/// larger radix where nodes are many, since that has fewer rounds. Otherwise each rank carries its shard of the node's
/// sum: in the fewest rounds while that is little, straight to the other nodes while their messages are long enough,
/// and else by halves. Of nodes of different sizes a rank each carries all, which much data do not bear.
[[nodiscard]] inline algorithm::any allreduce_across_nodes(std::size_t bytes, const topology& on) {
    using namespace algorithm;
    constexpr std::size_t very_little = 64, little = 16 * 1024, much = std::size_t{1} << 20;
    constexpr int few_nodes = 4, some_nodes = 16;
    const int g = on.ranks_per_node, nodes = on.nodes();
    const bool even = is_power_of_two(g);
    if (bytes <= very_little && nodes > few_nodes) return butterfly_of{};
    if (bytes <= very_little && even && !on.placed && is_power_of_two(on.size)) return butterfly{};
    if (part_of(bytes, g) * static_cast<unsigned>(rounds_of(nodes)) <= little)
        return hierarchical<halving_doubling, butterfly>{g};
    if (fills_ring(bytes, on)) return ring{};
    if (on.placed && on.placed->in_order() && much <= bytes) return by_halves_among_many(bytes, on.size);
    if (!even && nodes <= some_nodes) return hierarchical<ring, ring>{g};
    const std::size_t a_node = is_power_of_two(nodes) ? 32 : 6;
    if (worth_exchanging(part_of(bytes, on.size), nodes, a_node))
        return hierarchical<halving_doubling, parameter_server>{g};
    return hierarchical<halving_doubling, halving_doubling>{g};
}

/// Shards. A rank's message to each other node is of one shard: in one message delay, unless nodes are many and shards
/// are next to nothing. Nodes of different sizes have one rank each that carries all of theirs, which pays for little
/// data; where only the last has fewer ranks there are no levels for shards.
[[nodiscard]] inline algorithm::any shards_across_nodes(std::size_t bytes, const topology& on) {
    using namespace algorithm;
    constexpr std::size_t little = 64, little_in_all = 16 * 1024, handled_by_carriers = 256 * 1024;
    constexpr int few_nodes = 7;
    if (on.placed && !on.even() && bytes <= handled_by_carriers)
        return hierarchical<halving_doubling, parameter_server>{on.ranks_per_node};
    const std::size_t next_to_nothing = std::max(little, static_cast<std::size_t>(on.nodes() / 2));
    if (on.nodes() > few_nodes && part_of(bytes, on.size) <= next_to_nothing) return halving_doubling{};
    if (fills_ring(bytes, on)) return ring{};
    if (on.even()) return hierarchical<halving_doubling, parameter_server>{on.ranks_per_node};
    return bytes <= little_in_all ? any(halving_doubling{}) : by_halves_among_many(bytes, on.size);
}

/// From or to a root: each rank of a node carries its part, which pays until a message costs less than its bytes; in
/// segments beyond that, but between two equal nodes, where there is nothing to follow each other.
[[nodiscard]] inline selection root_across_nodes(std::size_t bytes, const topology& on) {
    using namespace algorithm;
    constexpr std::size_t very_little = 128, much = 512 * 1024;
    const bool levels = is_power_of_two(on.ranks_per_node) && on.even() && very_little <= bytes;
    if (much <= bytes && !(on.nodes() == 2 && on.even())) return in_short_segments(bytes);
    return {levels ? any(hierarchical<halving_doubling, binomial_tree>{on.ranks_per_node}) : any(binomial_tree{})};
}

} // namespace tutti::model::detail
