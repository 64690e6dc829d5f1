// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "counts/chains.hpp"
#include "counts/symmetry.hpp"
#include "counts/traffic.hpp"

#include "../../base/error.hpp"
#include "../schedule/verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace tutti::model {

/// The most of any rank, and the mean of all.
struct per_rank {
    long long most = 0; ///< of the busiest rank
    double mean = 0;    ///< of all ranks
};

/// Bytes by level of a cluster of nodes with several ranks each.
struct by_level {
    long long near = 0;          ///< between ranks of a node
    long long far = 0;           ///< between nodes
    long long node_sent_max = 0; ///< to other nodes by all ranks of the busiest one
};

/// How a figure was found: by counting, or as the algorithm states it, which the tests prove to be exact.
enum class origin : std::uint8_t {
    counted, ///< of the very steps
    stated,  ///< by the algorithm's `stated`
};

/// What a call costs whatever the machine: exact counts from its schedule, in messages and bytes. What would take too
/// long to count is absent.
struct counts {
    long long messages = 0;               ///< of all ranks
    long long total_bytes = 0;            ///< sent by all ranks
    per_rank sent;                        ///< bytes that a rank sends
    per_rank received;                    ///< bytes that a rank receives
    per_rank reduced;                     ///< bytes that a rank adds to others
    std::optional<long long> scratch_max; ///< bytes of memory besides input and output
    std::optional<by_level> levels;       ///< where the nodes have several ranks, and there are several
    bool by_symmetry = false;             ///< counted for ranks that stand for all, with chunks of the mean size

    std::optional<long long> depth;       ///< schedule::cost::depth
    std::optional<long long> fan_in;      ///< schedule::cost::fan_in
    std::optional<long long> inbound_max; ///< the most bytes that one rank takes in at the same depth
    std::optional<long long> rounds;      ///< schedule::cost::rounds
    origin depth_from = origin::counted;  ///< also of fan_in
    origin rounds_from = origin::counted; ///< how `rounds` was found
};

namespace detail {

/// More steps than are kept in memory at once, each in some 60 bytes; where ranks are alike, one stands for all sooner.
inline constexpr long long most_kept = 1LL << 23, most_kept_alike = 1LL << 22;
/// Rounds of more steps take seconds to count, and of more ranks too much memory, which grows with P².
inline constexpr long long most_steps_for_rounds = 1LL << 20;
inline constexpr int most_ranks_for_rounds = 1024;
/// Beyond so many steps a price takes one node for all, also where nodes are no blocks of ranks.
inline constexpr long long most_walked_for_price = 1LL << 18;

/// Of the first so many ranks, by nodes.
[[nodiscard]] inline traffic walk_ranks(const collective& c, int ranks, const rank_nodes& nodes) {
    traffic sum(c, nodes);
    std::vector<schedule::step> steps;
    for (int k = 0; k < ranks; ++k) {
        const int rank = nodes.on_first(k);
        steps.clear();
        c.how.walk(c.what, {rank, c.size, c.root, c.in_place}, c.segments, steps);
        sum.add(rank, steps);
    }
    return sum;
}

/// The same collective on data of one byte a chunk.
[[nodiscard]] inline collective in_chunks(collective c) {
    const int chunks = c.how.chunks(c.what, c.size) / schedule::vectors_of(c.what, c.size); // of one vector
    c.bytes = static_cast<std::size_t>(chunks) * static_cast<std::size_t>(c.segments);
    c.element_bytes = 1;
    return c;
}

/// Bytes a chunk, on average.
[[nodiscard]] inline double chunk_bytes(const collective& c) {
    return static_cast<double>(c.bytes) / static_cast<double>(in_chunks(c).bytes);
}

/// So many chunks, in whole bytes.
[[nodiscard]] inline long long bytes_of(long long chunks, double bytes_each) {
    const double bytes = static_cast<double>(chunks) * bytes_each;
    if (bytes > static_cast<double>(most_counted)) refuse_count();
    return std::llround(bytes);
}

/// Elements beyond equal chunks: of so many segments each has one more.
[[nodiscard]] inline std::size_t longer_chunks(const collective& c) {
    return c.bytes / c.element_bytes % in_chunks(c).bytes;
}

/// Where chunks are unequal, the busiest rank is one at an end of the longer or of the shorter ones.
inline void count_busiest(counts& to, const collective& c) {
    const auto longer = static_cast<int>(longer_chunks(c) / static_cast<std::size_t>(c.segments));
    traffic sum(c, c.size);
    std::vector<schedule::step> steps;
    for (const int rank : {0, std::clamp(longer - 1, 0, c.size - 1), std::min(longer, c.size - 1), c.size - 1}) {
        steps.clear();
        c.how.walk(c.what, {rank, c.size, c.root, c.in_place}, c.segments, steps);
        sum.add(rank, steps);
    }
    to.sent.most = sum.sent_max;
    to.received.most = sum.received_max;
    to.reduced.most = sum.reduced_max;
}

/// One node, or one rank, stands for all: `of` counts its chunks.
inline void add_traffic_by_symmetry(counts& to, const traffic& of, const collective& c, bool whole_nodes) {
    const double unit = chunk_bytes(c), all = static_cast<double>(c.size) / of.ranks;
    const auto each = [&](long long chunks) {
        return per_rank{bytes_of(chunks, unit), static_cast<double>(chunks) * unit};
    };
    to.messages = of.messages * (c.size / of.ranks);
    to.total_bytes = bytes_of(of.total, unit * all);
    to.sent = each(of.sent_max);
    to.received = each(of.received_max);
    to.reduced = each(of.reduced_max);
    if (!has_too_many_banks(c.how, c.size)) to.scratch_max = bytes_of(of.scratch_max, unit);
    if (!whole_nodes) return;
    const long long far = bytes_of(of.far, unit * all);
    to.levels = by_level{to.total_bytes - far, far, bytes_of(of.node_sent_max, unit)};
}

inline void add_traffic(counts& to, const traffic& of) {
    const auto mean = [&](long long x) { return static_cast<double>(x) / of.ranks; };
    to.messages = of.messages;
    to.total_bytes = of.total;
    to.sent = {of.sent_max, mean(of.total)};
    to.received = {of.received_max, mean(of.total)};
    to.reduced = {of.reduced_max, mean(of.total_reduced)};
    to.scratch_max = of.scratch_max;
    to.levels = by_level{of.total - of.far, of.far, of.node_sent_max};
}

[[nodiscard]] inline std::optional<chain_counts> follow(const collective& c, bool by_symmetry, long long steps) {
    if (has_too_many_banks(c.how, c.size)) return std::nullopt;
    if (!by_symmetry) return steps <= most_kept ? chains(c, false).count() : std::nullopt;
    if (!c.how.rotates()) return std::nullopt;
    auto found = chains(in_chunks(c), true).count();
    const double longest = std::ceil(chunk_bytes(c) / static_cast<double>(c.element_bytes));
    if (found) found->inbound_max = bytes_of(found->inbound_max, longest * static_cast<double>(c.element_bytes));
    return found;
}

inline void add_chains(counts& to, const collective& c, long long steps) {
    if (const auto found = follow(c, to.by_symmetry, steps)) {
        to.depth = found->depth;
        to.fan_in = found->fan_in;
        to.inbound_max = std::min(found->inbound_max, to.received.most);
    } else if (const schedule::cost stated = c.how.stated(c.what, c.size); !stated.bound) {
        to.depth = stated.depth;
        to.fan_in = stated.fan_in;
        to.depth_from = origin::stated;
    }
}

inline void add_rounds(counts& to, const collective& c, long long steps) {
    if (c.size <= most_ranks_for_rounds && steps <= most_steps_for_rounds) {
        to.rounds = schedule::rounds_of(c.how.write(c.what, c.size, c.root, c.in_place, c.segments));
    } else if (const schedule::cost stated = c.how.stated(c.what, c.size); !stated.bound && c.segments == 1) {
        to.rounds = stated.rounds;
        to.rounds_from = origin::stated;
    }
}

/// Counts messages and bytes, on nodes of so many ranks; the steps of all ranks.
inline long long count_traffic(counts& to, const collective& c, const rank_nodes& nodes) {
    const long long steps = walk_ranks(in_chunks(c), 1, 1).all_steps * c.size;
    to.by_symmetry = steps > most_kept_alike && c.how.alike(c.size) && nodes.are_blocks();
    if (!to.by_symmetry) {
        const auto sum = walk_ranks(c, c.size, nodes);
        add_traffic(to, sum);
        return sum.all_steps;
    }
    const int node = nodes.most();
    const bool whole = nodes_alike(c.how, c.size, node);
    add_traffic_by_symmetry(to, walk_ranks(in_chunks(c), whole ? node : 1, node), c, whole);
    if (longer_chunks(c) > 0) count_busiest(to, c);
    return steps;
}

/// The same for a price, which has no time: one node stands for all wherever nodes are alike but perhaps for the last.
/// Where they are no blocks of ranks, all ranks are walked, or the first node's of many steps.
inline void estimate_traffic(counts& to, const collective& c, const rank_nodes& nodes) {
    const int node = std::min(nodes.most(), c.size);
    const bool blocks = nodes.are_blocks();
    const bool alike = c.how.rotates() || (c.how.alike(c.size) && (!blocks || nodes_alike(c.how, c.size, node)));
    const auto is_long = [&] { return walk_ranks(in_chunks(c), 1, 1).all_steps * c.size > most_walked_for_price; };
    if (!alike || (!blocks && !is_long())) {
        count_traffic(to, c, blocks ? rank_nodes(node) : nodes);
        return;
    }
    to.by_symmetry = true;
    add_traffic_by_symmetry(to, walk_ranks(in_chunks(c), nodes.ranks_on_first(c.size), nodes), c, true);
}

} // namespace detail

/// Counts a call; `ranks_per_node` consecutive ranks share a node. Throws tutti::error(invalid_argument) if the
/// algorithm has no schedule for the operation, there are no ranks, segments or bytes in an element, the root is none
/// of the ranks, or a sum of bytes is beyond 2^62.
///
/// Cost: walks the steps of all ranks, once in memory of one rank's, and once kept, up to 8 million of them, for depth,
/// fan-in and peak inbound bytes; beyond 4 million steps one rank stands for all where ranks are alike. Rounds are
/// counted up to a million steps and 1,024 ranks. Seconds at most, but for roots with very many peers.
[[nodiscard]] inline counts count(const collective& c, int ranks_per_node = 1) {
    detail::examine(c, "count");
    if (ranks_per_node < 1) reject("count", "there must be a rank on a node");
    if (!c.how.offers(c.what))
        reject("count", std::string(c.how.name()) + " has no " + std::string(schedule::name_of(c.what)));
    counts result;
    const long long steps = detail::count_traffic(result, c, std::min(ranks_per_node, c.size));
    detail::add_chains(result, c, steps);
    detail::add_rounds(result, c, steps);
    return result;
}

} // namespace tutti::model
