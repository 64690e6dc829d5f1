// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../algorithm/all.hpp"
#include "topology.hpp"

#include <bit>
#include <cstddef>

namespace tutti::model {

/// What runs, and in how many pieces.
struct selection {
    algorithm::any how;
    int segments = 1;
};

/// Into how many segments an algorithm's chunks are cut for `bytes` of data: only trees gain by it, since in all other
/// schedules every rank is busy anyway. A power of two, so that few plans are made.
[[nodiscard]] inline int segments_for(const algorithm::any& how, std::size_t bytes) noexcept {
    constexpr std::size_t worthwhile = 256 * 1024, most = 16;
    if (how.name() != algorithm::double_binary_tree::name || bytes < 4 * worthwhile) return 1;
    const std::size_t wanted = bytes / (2 * worthwhile);
    return static_cast<int>(std::bit_floor(wanted < most ? wanted : most));
}

/// The allreduce over several nodes with several ranks each, where operands may change places: between nodes goes what
/// must, once a node and not once a rank.
///
/// A butterfly, too, crosses between nodes no more than log2 N times where all is a power of two, and has half of the
/// rounds inside a node; but then every rank carries all of the data across, which only little data does not mind.
/// Otherwise each rank carries its shard of the node's sum: in the fewest rounds while the shard is little, then in the
/// fewest bytes.
[[nodiscard]] inline algorithm::any across_nodes(std::size_t bytes, const topology& on) {
    using namespace algorithm;
    constexpr std::size_t very_little = 1024, little_shard = 16 * 1024;
    const int g = on.ranks_per_node;
    const bool even = std::has_single_bit(static_cast<unsigned>(g));
    if (even && std::has_single_bit(static_cast<unsigned>(on.size)) && bytes <= very_little) return butterfly{};
    if (bytes / static_cast<unsigned>(g) <= little_shard) return hierarchical<halving_doubling, butterfly>{g};
    if (!even) return hierarchical<ring, ring>{g};
    if (!std::has_single_bit(static_cast<unsigned>(on.nodes()))) return hierarchical<halving_doubling, ring>{g};
    return hierarchical<halving_doubling, halving_doubling>{g};
}

/// A first rule, by latency against bandwidth: the fewest rounds for little data, the fewest bytes for much. It
/// depends on nothing but what all ranks know: operation, bytes of the whole vector, where the ranks are, and whether
/// operands may change places. Costs: schedule::cost of each algorithm.
[[nodiscard]] inline selection choose(schedule::operation what, std::size_t bytes, const topology& on,
                                      bool commutative = true) {
    using namespace algorithm;
    using schedule::operation;
    constexpr std::size_t little = 16 * 1024;
    const bool power_of_two = std::has_single_bit(static_cast<unsigned>(on.size));
    const auto pick = [&](const any& how) { return selection{how, segments_for(how, bytes)}; };
    switch (what) {
    case operation::allreduce:
        if (commutative && on.has_levels()) return pick(across_nodes(bytes, on));
        if (!commutative || bytes <= little) return pick(butterfly{});
        return power_of_two ? pick(halving_doubling{}) : pick(ring{});
    case operation::reduce_scatter:
    case operation::allgather: return power_of_two || bytes <= little ? pick(halving_doubling{}) : pick(ring{});
    case operation::reduce:
        if (!commutative) return pick(naive{});
        [[fallthrough]];
    case operation::broadcast: return bytes < 1024 * little ? pick(binomial_tree{}) : pick(double_binary_tree{});
    }
    return pick(ring{});
}

} // namespace tutti::model
