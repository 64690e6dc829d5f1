// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "default_choice.hpp"

#include "../algorithm/all.hpp"
#include "many_ranks.hpp"
#include "several_nodes.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::model {

namespace detail {

/// An algorithm, cut as is worthwhile.
[[nodiscard]] TUTTI_INLINE selection cut_by_size(const algorithm::any& how, std::size_t bytes) noexcept {
    return {how, segments_for(how, bytes)};
}

/// There are more ranks than were measured, and a network between them.
[[nodiscard]] TUTTI_INLINE bool many_over_network(const topology& on) noexcept {
    return on.between() == transport::medium::network && !few(on.size);
}

/// The fewest bytes a rank. In memory the ring's short messages stay in the caches.
[[nodiscard]] TUTTI_INLINE algorithm::any by_halves(const topology& on) noexcept {
    return is_power_of_two(on.size) ? algorithm::any(algorithm::halving_doubling{}) : algorithm::any(algorithm::ring{});
}

/// An allreduce through memory, where a rank that waits costs more than bytes that are copied. `one_shot` waits once,
/// for others who all have to be read, which shows as soon as they are more than a few bytes. `direct` has the fewest
/// waits, and reads symmetric memory in one pass, in which it can write all ranks' results, too; without it, operands
/// are staged, which shows once they leave the caches.
[[nodiscard]] TUTTI_INLINE algorithm::any allreduce_in_memory(std::size_t bytes, const topology& on, bool symmetric) {
    constexpr std::size_t very_little = 1024, little = 16 * 1024, staged = 64 * 1024;
    if (bytes <= very_little && 2 < on.size && few(on.size)) return algorithm::one_shot{};
    if (bytes <= little) return algorithm::butterfly{};
    if (few(on.size) && (symmetric || (2 < on.size && bytes <= staged))) return algorithm::direct{};
    return by_halves(on);
}

/// An allreduce over a network, where each message costs system calls: the fewest rounds as long as the bytes that each
/// rank sends, log2 P times the data, are little.
[[nodiscard]] TUTTI_INLINE algorithm::any allreduce_over_network(std::size_t bytes, const topology& on) {
    constexpr std::size_t little = 128 * 1024;
    if (bytes * static_cast<unsigned>(rounds_of(on.size)) <= little) return algorithm::butterfly{};
    return by_halves(on);
}

[[nodiscard]] TUTTI_INLINE selection allreduce(std::size_t bytes, const topology& on, bool commutative,
                                               bool symmetric) {
    constexpr std::size_t little = 16 * 1024;
    constexpr int not_too_many = 64; // to send to each other, and for a plan to prove that the order is kept
    if (!commutative) {
        if (bytes <= little || on.size > not_too_many) return {algorithm::butterfly{}};
        return {algorithm::direct{}};
    }
    if (on.has_levels()) return {allreduce_across_nodes(bytes, on)};
    if (many_over_network(on)) return allreduce_among_many(bytes, on.size);
    if (on.between() == transport::medium::memory) return {allreduce_in_memory(bytes, on, symmetric)};
    return {allreduce_over_network(bytes, on)};
}

[[nodiscard]] TUTTI_INLINE algorithm::any shards(schedule::operation what, std::size_t bytes, const topology& on,
                                                 bool symmetric) {
    constexpr std::size_t little = 16 * 1024, staged = 64 * 1024;
    const bool reduces = what == schedule::operation::reduce_scatter;
    if (on.has_levels() && on.has_banks_for_levels(what)) return shards_across_nodes(bytes, on);
    if (many_over_network(on)) return by_halves_among_many(bytes, on.size);
    const bool in_memory = on.between() == transport::medium::memory && few(on.size);
    if (in_memory && (!reduces || symmetric || bytes <= staged)) return algorithm::direct{};
    if (bytes <= little) return algorithm::halving_doubling{};
    return by_halves(on);
}

/// Over a network, few messages for little data: by levels, whose messages between nodes are of one rank to a node. But
/// they are as many as nodes, so next to nothing goes by `bruck` where these are many; as do little blocks where there
/// are no such levels, the more ranks the longer ones, unless ranks share an adapter. Else each block straight to its
/// rank.
[[nodiscard]] TUTTI_INLINE algorithm::any blocks(std::size_t bytes, const topology& on) {
    constexpr std::size_t little_block = 1024, a_rank = 4, through_adapter = 384;
    constexpr std::size_t little_of_node = 2 * 1024, next_to_nothing = 16;
    constexpr int many_nodes = 32;
    const std::size_t block = part_of(bytes, on.size);
    const bool levels = on.has_levels() && on.even() && on.has_banks_for_levels(schedule::operation::alltoall);
    const bool can_hand_on =
        4 < on.size && on.size <= algorithm::bruck::most_exchanging && on.between() != transport::medium::memory;
    const std::size_t handed_on = levels            ? (on.nodes() < many_nodes ? 0 : next_to_nothing)
                                  : few(on.size)    ? little_block
                                  : on.has_levels() ? through_adapter
                                                    : std::min(little_block, a_rank * static_cast<unsigned>(on.size));
    if (can_hand_on && handed_on > 0 && block <= handed_on) return algorithm::bruck{};
    if (levels && block <= little_of_node)
        return algorithm::hierarchical<algorithm::direct, algorithm::direct>{on.ranks_per_node};
    return algorithm::direct{};
}

/// All data from or to one root. Over a network a rank's link is what counts: a tree sends all data once a level, by
/// halves they are sent twice, and in segments once. In memory all ranks share its bandwidth, and a tree moves the
/// fewest bytes. Four ranks of one host share it over its loopback as well.
[[nodiscard]] TUTTI_INLINE selection whole_of_root(schedule::operation what, std::size_t bytes, const topology& on) {
    using namespace algorithm;
    constexpr std::size_t KiB = 1024, MiB = KiB * KiB;
    const bool network = on.between() == transport::medium::network && on.size > 3;
    if (network && on.has_levels()) return root_across_nodes(bytes, on);
    if (many_over_network(on)) return root_among_many(bytes, on.size);
    if (bytes >= (network ? 4 * MiB : 16 * MiB)) return cut_by_size(double_binary_tree{}, bytes);
    const bool loopback = on.nodes() == 1 && on.size <= 4;
    if (!network || loopback || bytes < 128 * KiB) return {binomial_tree{}};
    return {what == schedule::operation::reduce ? any(reduce_scatter_gather{}) : any(scatter_allgather{})};
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

[[nodiscard]] TUTTI_INLINE selection chosen(schedule::operation what, std::size_t bytes, const topology& on,
                                            bool commutative, bool symmetric) {
    using schedule::operation;
    const auto pick = [&](const algorithm::any& how) { return cut_by_size(how, bytes); };
    switch (what) {
    case operation::allreduce: return allreduce(bytes, on, commutative, symmetric);
    case operation::reduce_scatter:
    case operation::allgather: return pick(shards(what, bytes, on, symmetric));
    case operation::gather:
    case operation::scatter: return pick(parts_of_root(bytes, on));
    case operation::alltoall: return pick(blocks(bytes, on));
    case operation::scan:
    case operation::exscan: return pick(prefixes(bytes, on));
    case operation::reduce:
        if (!commutative) return pick(algorithm::naive{});
        [[fallthrough]];
    case operation::broadcast: return whole_of_root(what, bytes, on);
    }
    return pick(algorithm::ring{});
}

} // namespace detail

TUTTI_INLINE selection choose(schedule::operation what, std::size_t bytes, const topology& on, bool commutative,
                              bool symmetric) {
    selection best = detail::chosen(what, bytes, on, commutative, symmetric || on.reads_in_place);
    best.how = on.of_nodes(best.how);
    return best;
}

} // namespace tutti::model
