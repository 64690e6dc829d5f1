// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "selection.hpp"

#include "../algorithm/all.hpp"

#include <bit>

namespace tutti::model {

namespace detail {
[[nodiscard]] TUTTI_INLINE bool is_power_of_two(int n) noexcept {
    return std::has_single_bit(static_cast<unsigned>(n));
}
} // namespace detail

/// The allreduce over several nodes with several ranks each, where operands may change places: between nodes goes what
/// must, once a node and not once a rank.
///
/// A butterfly, too, crosses between nodes no more than log2 N times where all is a power of two, and has half of the
/// rounds inside a node; but then every rank carries all of the data across, which only little data does not mind.
/// Otherwise each rank carries its shard of the node's sum: in the fewest rounds while the shard is little, then in the
/// fewest bytes.
[[nodiscard]] TUTTI_INLINE algorithm::any across_nodes(std::size_t bytes, const topology& on) {
    using namespace algorithm;
    constexpr std::size_t very_little = 1024, little_shard = 16 * 1024;
    constexpr std::size_t much = std::size_t{1} << 20;
    const int g = on.ranks_per_node;
    const bool even = detail::is_power_of_two(g);
    if (on.placed && on.placed->in_order() && bytes >= much) // of uneven nodes, whose carriers handle all data
        return detail::is_power_of_two(on.size) ? any(halving_doubling{}) : any(ring{});
    if (even && !on.placed && detail::is_power_of_two(on.size) && bytes <= very_little) return butterfly{};
    if (bytes / static_cast<unsigned>(g) <= little_shard) return hierarchical<halving_doubling, butterfly>{g};
    if (!even) return hierarchical<ring, ring>{g};
    if (!detail::is_power_of_two(on.nodes())) return hierarchical<halving_doubling, ring>{g};
    return hierarchical<halving_doubling, halving_doubling>{g};
}

/// Shards over several such nodes. A rank's message to each other node is of one shard: in one message
/// delay while nodes are few, around a ring while much data is to go through one adapter a node.
[[nodiscard]] TUTTI_INLINE algorithm::any shards_across_nodes(std::size_t bytes, const topology& on) {
    using namespace algorithm;
    constexpr std::size_t much = std::size_t{4} << 20;
    constexpr int few_nodes = 16;
    const int g = on.ranks_per_node;
    if (!on.even()) return hierarchical<halving_doubling, parameter_server>{g};
    if (bytes <= much && on.nodes() <= few_nodes) return hierarchical<halving_doubling, parameter_server>{g};
    if (bytes <= much && detail::is_power_of_two(on.size)) return halving_doubling{};
    return detail::is_power_of_two(g) ? any(hierarchical<halving_doubling, ring>{g}) : any(hierarchical<ring, ring>{g});
}

namespace detail {

/// Everyone may well send to everyone at once.
[[nodiscard]] constexpr bool few(int ranks) noexcept { return ranks <= 8; }

/// The fewest bytes a rank. Many ranks over a network count rounds until a shard takes longer than some latencies; in
/// memory the ring's short messages stay in the caches.
[[nodiscard]] TUTTI_INLINE algorithm::any by_halves(std::size_t bytes, const topology& on) noexcept {
    using namespace algorithm;
    constexpr std::size_t little_shard = 64 * 1024;
    if (is_power_of_two(on.size)) return halving_doubling{};
    const bool in_memory = on.between() == transport::medium::memory;
    if (!in_memory && !few(on.size) && bytes / static_cast<unsigned>(on.size) <= little_shard) return circulant{};
    return ring{};
}

/// An allreduce through memory, where a rank that waits costs more than bytes that are copied. `one_shot` waits once,
/// for others who all have to be read, which shows as soon as they are more than a few bytes. `direct` has the fewest
/// waits, and reads symmetric memory in one pass; without it, operands are staged, which shows once they leave the
/// caches.
[[nodiscard]] TUTTI_INLINE algorithm::any allreduce_in_memory(std::size_t bytes, const topology& on, bool symmetric) {
    constexpr std::size_t very_little = 1024, little = 16 * 1024, staged = 64 * 1024;
    if (bytes <= very_little && 2 < on.size && few(on.size)) return algorithm::one_shot{};
    if (bytes <= little) return algorithm::butterfly{};
    if (2 < on.size && few(on.size) && (symmetric || bytes <= staged)) return algorithm::direct{};
    return by_halves(bytes, on);
}

/// An allreduce over a network, where each message costs system calls: the fewest rounds as long as the bytes that each
/// rank sends, log2 P times the data, are little.
[[nodiscard]] TUTTI_INLINE algorithm::any allreduce_over_network(std::size_t bytes, const topology& on) {
    constexpr std::size_t little = 128 * 1024;
    if (bytes * static_cast<unsigned>(std::bit_width(static_cast<unsigned>(on.size - 1))) <= little)
        return algorithm::butterfly{};
    return by_halves(bytes, on);
}

[[nodiscard]] TUTTI_INLINE algorithm::any allreduce(std::size_t bytes, const topology& on, bool commutative,
                                                    bool symmetric) {
    constexpr std::size_t little = 16 * 1024;
    constexpr int not_too_many = 64; // to send to each other, and for a plan to prove that the order is kept
    if (!commutative) {
        if (bytes <= little || on.size > not_too_many) return algorithm::butterfly{};
        return algorithm::direct{};
    }
    if (on.has_levels()) return across_nodes(bytes, on);
    if (on.between() == transport::medium::memory) return allreduce_in_memory(bytes, on, symmetric);
    return allreduce_over_network(bytes, on);
}

[[nodiscard]] TUTTI_INLINE algorithm::any shards(schedule::operation what, std::size_t bytes, const topology& on,
                                                 bool symmetric) {
    constexpr std::size_t little = 16 * 1024, staged = 64 * 1024, handled_by_carriers = 256 * 1024;
    const bool reduces = what == schedule::operation::reduce_scatter;
    const bool by_carriers = on.placed && !on.even() && bytes <= handled_by_carriers;
    if (on.has_levels() && (on.even() || by_carriers)) return shards_across_nodes(bytes, on);
    const bool in_memory = on.between() == transport::medium::memory && few(on.size);
    if (in_memory && (!reduces || symmetric || bytes <= staged)) return algorithm::direct{};
    if (bytes <= little) return algorithm::halving_doubling{};
    return by_halves(bytes, on);
}

/// Over a network, few messages for little data: by levels, whose messages between nodes are of one rank to a node.
/// Else each block straight to its rank.
[[nodiscard]] TUTTI_INLINE algorithm::any blocks(std::size_t bytes, const topology& on) {
    constexpr std::size_t little_block = 1024, little_of_node = 4 * 1024;
    const std::size_t block = bytes / static_cast<unsigned>(on.size);
    if (on.has_levels() && on.even() && block <= little_of_node)
        return algorithm::hierarchical<algorithm::direct, algorithm::direct>{on.ranks_per_node};
    const bool in_memory = on.between() == transport::medium::memory;
    const bool some = 4 < on.size && on.size <= algorithm::bruck::most_exchanging;
    if (!in_memory && some && block <= little_block) return algorithm::bruck{};
    return algorithm::direct{};
}

/// All data from or to one root. Over a network a rank's link is what counts: a tree sends all data once a level, by
/// halves they are sent twice, and in segments once. By levels each rank of a node carries its part, which pays until a
/// message costs less than its bytes. In memory all ranks share its bandwidth, and a tree moves the fewest bytes.
[[nodiscard]] TUTTI_INLINE algorithm::any whole_of_root(schedule::operation what, std::size_t bytes,
                                                        const topology& on) {
    using namespace algorithm;
    constexpr std::size_t KiB = 1024, MiB = KiB * KiB;
    const bool network = on.between() == transport::medium::network && on.size > 3;
    if (bytes >= (network ? 4 * MiB : 16 * MiB)) return double_binary_tree{};
    const int g = on.ranks_per_node;
    if (network && on.has_levels() && is_power_of_two(g) && on.even() && 8 * KiB <= bytes && bytes < 512 * KiB)
        return hierarchical<halving_doubling, binomial_tree>{g};
    if (!network || bytes < 128 * KiB) return binomial_tree{};
    return what == schedule::operation::reduce ? any(reduce_scatter_gather{}) : any(scatter_allgather{});
}

/// Parts from or to one root: few messages in a row for little data; for much, no byte twice.
[[nodiscard]] TUTTI_INLINE algorithm::any parts_of_root(std::size_t bytes, const topology& on) {
    constexpr std::size_t little = 4 * 1024; // a rank
    const bool in_memory = on.between() == transport::medium::memory && few(on.size);
    if (in_memory || bytes / static_cast<unsigned>(on.size) > little) return algorithm::naive{};
    return algorithm::binomial_tree{};
}

/// Few rounds for little data; for much, each rank's data once.
[[nodiscard]] TUTTI_INLINE algorithm::any prefixes(std::size_t bytes, const topology& on) {
    constexpr std::size_t little = 64 * 1024;
    if (on.size == 2 || bytes > little) return algorithm::chain{};
    return algorithm::hillis_steele{};
}

} // namespace detail

TUTTI_INLINE selection choose(schedule::operation what, std::size_t bytes, const topology& on, bool commutative,
                              bool symmetric) {
    using namespace algorithm;
    using schedule::operation;
    const auto pick = [&](const any& how) { return selection{on.of_nodes(how), segments_for(how, bytes)}; };
    switch (what) {
    case operation::allreduce: return pick(detail::allreduce(bytes, on, commutative, symmetric));
    case operation::reduce_scatter:
    case operation::allgather: return pick(detail::shards(what, bytes, on, symmetric));
    case operation::gather:
    case operation::scatter: return pick(detail::parts_of_root(bytes, on));
    case operation::alltoall: return pick(detail::blocks(bytes, on));
    case operation::scan:
    case operation::exscan: return pick(detail::prefixes(bytes, on));
    case operation::reduce:
        if (!commutative) return pick(naive{});
        [[fallthrough]];
    case operation::broadcast: return pick(detail::whole_of_root(what, bytes, on));
    }
    return pick(ring{});
}

} // namespace tutti::model
