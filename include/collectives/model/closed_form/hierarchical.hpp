// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "flat.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace tutti::model::detail {

template <class Model>
[[nodiscard]] std::optional<form> form_of(const collective& c, const Model& near, const Model& far);

template <class Model>
[[nodiscard]] std::optional<form> root_by_levels(const collective& c, const algorithm::levels& levels,
                                                 const Model& near, const Model& far);

/// The nodes of a hierarchy: the ranks of the largest, how many there are, and whether all have as many.
struct nodes_of_hierarchy {
    int g, nodes;
    bool even;

    nodes_of_hierarchy(const collective& c, const algorithm::levels& levels) noexcept
        : g(std::clamp(levels.ranks_per_node, 1, c.size)), nodes((c.size + g - 1) / g), even(c.size % g == 0) {
        if (const schedule::placement* const placed = c.how.placed()) {
            nodes = placed->nodes();
            even = placed->even();
        }
    }
};

/// A local part, a global one, and another local one; the costs between ranks of a node, and between nodes.
template <class Model>
[[nodiscard]] std::optional<form> in_three_parts(const collective& in, const collective& between, const collective& out,
                                                 const Model& near, const Model& far) {
    const auto first = form_of(in, near, near), second = form_of(between, far, far), third = form_of(out, near, near);
    if (!first || !second || !third) return std::nullopt;
    return *first + *second + *third;
}

/// Local's reduce-scatter on a node, Global's allreduce of each shard, Local's allgather: exact if each part is, and
/// all ranks end the first at once. Where the last node is smaller, binomial trees and Global's allreduce of
/// everything, which does not wait for it alone: a reduction to its first rank, then a broadcast, where it has these.
template <class Model>
[[nodiscard]] std::optional<form> levels_form(const collective& c, const algorithm::levels& levels, const Model& near,
                                              const Model& far) {
    using schedule::operation;
    const auto [g, nodes, even] = nodes_of_hierarchy(c, levels);
    const auto part = [&](operation what, const algorithm::any& how, int size, std::size_t bytes) {
        return collective{what, how, size, bytes, 0, c.segments, false, c.element_bytes};
    };
    const costs<Model> all(c, near);
    if (!even && levels.global.offers(operation::reduce) && levels.global.offers(operation::broadcast)) {
        collective up = c, down = c;
        up.what = operation::reduce;
        down.what = operation::broadcast;
        const auto first = root_by_levels(up, levels, near, far), second = root_by_levels(down, levels, near, far);
        return first && second ? std::optional(*first + *second) : std::nullopt;
    }
    if (!even) {
        const algorithm::binomial_tree tree;
        const auto sum = in_three_parts(part(operation::reduce, tree, g, c.bytes),
                                        part(operation::allreduce, levels.global, nodes, c.bytes),
                                        part(operation::broadcast, tree, g, c.bytes), near, far);
        return sum ? std::optional(*sum + form{0, false}) : sum;
    }
    const int chunks = c.how.chunks(c.what, c.size);
    const auto shard = static_cast<std::size_t>(all.first(chunks / g, chunks)); // the longest, of chunks in a row
    const auto sum =
        in_three_parts(part(operation::reduce_scatter, levels.local, g, shard * static_cast<std::size_t>(g)),
                       part(operation::allreduce, levels.global, nodes, shard),
                       part(operation::allgather, levels.local, g, shard * static_cast<std::size_t>(g)), near, far);
    // Where all send to all at once, ranks do not end a part together.
    const bool at_once = levels.local.has_bank_for_each_rank() || levels.global.has_bank_for_each_rank();
    const bool exact = all.divides(chunks) && levels.local.alike(g) && !at_once;
    const double held = all.hold(static_cast<double>(shard), 0); // each part, by the one before
    return sum ? std::optional(*sum + form{nodes > 1 && g > 1 ? 2 * held : held, exact}) : sum;
}

/// An operation of shards by levels: Local's for one block of shards, and what is longer: the chain of messages between
/// nodes, or what occupies a rank, which is messages between nodes and those of the other blocks. An estimate. Where
/// the last node is smaller, Global's alone.
template <class Model>
[[nodiscard]] std::optional<form> shards_by_levels(const collective& c, const algorithm::levels& levels,
                                                   const Model& near, const Model& far) {
    const int g = levels.ranks_per_node, nodes = c.size / g;
    const auto part = [&](const algorithm::any& how, int size, std::size_t bytes) {
        return collective{c.what, how, size, bytes, 0, c.segments, false, c.element_bytes};
    };
    if (nodes == 1) return form_of(part(levels.local, g, c.bytes), near, near);
    const costs<Model> all(c, near);
    const double shard = all.shard();
    const auto of_shards = [&](int n) { return static_cast<std::size_t>(n * shard); };
    const auto between = form_of(part(levels.global, nodes, of_shards(nodes)), far, far);
    const auto one = form_of(part(levels.local, g, of_shards(g)), near, near);
    if (!between || !one) return std::nullopt;
    const auto occupied = [&](const Model& p, double messages, double shards) {
        const costs<Model> m(c, p);
        const double each = messages > 0 ? shards * all.contribution() / messages : 0,
                     in = m.handled(each) + m.reduction(each);
        return messages * std::max(in + m.busy(each), m.port(each, 1, 1));
    };
    const auto shards_moved = [&](const algorithm::any& how, int size) {
        const schedule::cost most = how.stated(c.what, size);
        return static_cast<double>(std::max(most.sent, most.received)) * size / how.chunks(c.what, size);
    };
    const double far_shards = shards_moved(levels.global, nodes), near_shards = shards_moved(levels.local, g);
    const double port = occupied(far, far_shards, far_shards) +
                        (nodes - 1) * occupied(near, levels.local.stated(c.what, g).rounds, near_shards);
    return form{one->seconds + std::max(between->seconds, port), false};
}

/// An alltoall by levels: Local's and Global's, each of all data, in blocks as long as the longest. An estimate.
template <class Model>
[[nodiscard]] std::optional<form> blocks_by_levels(const collective& c, const algorithm::levels& levels,
                                                   const Model& near, const Model& far) {
    const int g = levels.ranks_per_node, nodes = c.size / g;
    collective in_node = c, between = c;
    in_node.how = levels.local;
    in_node.size = g;
    between.how = levels.global;
    between.size = nodes;
    in_node.bytes = between.bytes =
        static_cast<std::size_t>(costs<Model>(c, near).shard()) * static_cast<std::size_t>(c.size);
    const auto first = form_of(in_node, near, near), second = form_of(between, far, far);
    return first && second ? std::optional(*first + *second + form{0, false}) : std::nullopt;
}

/// From or to a root by levels: Global's of a rank's part, Local's half, and a tree in the root's node. An estimate.
/// Where the last node is smaller, a tree in each node, and Global's of all data.
template <class Model>
[[nodiscard]] std::optional<form> root_by_levels(const collective& c, const algorithm::levels& levels,
                                                 const Model& near, const Model& far) {
    using schedule::operation;
    const auto [g, nodes, even] = nodes_of_hierarchy(c, levels);
    const auto part = [&](operation what, const algorithm::any& how, int size, std::size_t bytes) {
        return collective{what, how, size, bytes, 0, c.segments, false, c.element_bytes};
    };
    const bool reduces = c.what == operation::reduce;
    if (nodes == 1 && c.what == operation::broadcast)
        return form_of(part(c.what, algorithm::scatter_allgather{}, g, c.bytes), near, near);
    const std::size_t carried =
        even ? (c.bytes + static_cast<std::size_t>(g) - 1) / static_cast<std::size_t>(g) : c.bytes;
    const auto between = form_of(part(c.what, levels.global, nodes, carried), far, far);
    const costs<Model> all(c, near), between_nodes(c, far);
    if (!between) return std::nullopt;
    if (!even) {
        const auto in_node = [&](int ranks) {
            return ranks > 1 ? form_of(part(c.what, algorithm::binomial_tree{}, ranks, c.bytes), near, near)->seconds
                             : 0;
        };
        const double bytes = all.whole(), each = all.reduction(bytes);
        if (nodes > 2) return form{in_node(g) + between->seconds + (reduces ? 0 : between_nodes.hold(bytes, 0)), false};
        const double of_root = reduces ? between_nodes.take(bytes, each) : between_nodes.send(bytes);
        return form{std::max(in_node(g) + of_root, in_node(c.size - g) + between->seconds), false};
    }
    const auto half =
        form_of(part(reduces ? operation::reduce_scatter : operation::allgather, levels.local, g, c.bytes), near, near);
    if (!half) return std::nullopt;
    double tree = 0;
    algorithm::detail::each_cut_down(0, g, [&](const auto& h) {
        const double bytes = all.first(h.last - h.middle, g);
        tree += all.message(bytes) + all.hold(bytes, 0);
    });
    return form{tree + between->seconds + half->seconds, false};
}

/// A hierarchical algorithm's.
template <class Model>
[[nodiscard]] std::optional<form> hierarchical_form(const collective& c, algorithm::levels levels, const Model& near,
                                                    const Model& far) {
    levels.ranks_per_node = std::clamp(levels.ranks_per_node, 1, c.size);
    const auto [g, nodes, even] = nodes_of_hierarchy(c, levels);
    if (c.what == schedule::operation::allreduce) return levels_form(c, levels, near, far);
    const bool of_sizes = c.how.placed() && nodes > 1 && !even; // by carriers, which no form knows
    if (of_sizes && schedule::has_shards(c.what) && c.what != schedule::operation::alltoall) return std::nullopt;
    if (c.what == schedule::operation::alltoall && even && g > 1) return blocks_by_levels(c, levels, near, far);
    if (g == 1 || (!even && schedule::has_shards(c.what))) {
        collective flat = c;
        flat.how = levels.global;
        return form_of(flat, far, far);
    }
    return schedule::has_shards(c.what) ? shards_by_levels(c, levels, near, far) : root_by_levels(c, levels, near, far);
}

/// Of any algorithm. One level is priced by `far`.
template <class Model>
[[nodiscard]] std::optional<form> form_of(const collective& c, const Model& near, const Model& far) {
    if (!c.how.offers(c.what)) return std::nullopt;
    if (c.size == 1) return form{0, true};
    return c.how.has_levels() ? hierarchical_form(c, c.how.levels(), near, far) : flat_form(c, far);
}

} // namespace tutti::model::detail
