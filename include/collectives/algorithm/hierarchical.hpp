// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "hierarchy/hierarchical_blocks.hpp"
#include "hierarchy/hierarchical_rooted.hpp"
#include "hierarchy/hierarchical_shards.hpp"
#include "hierarchy/hierarchical_uneven.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace tutti::algorithm {

/// Two levels: every `ranks_per_node` consecutive ranks are a node. In an allreduce, Local's reduce-scatter in each
/// node, Global's allreduce of each shard among the ranks that hold it, Local's allgather. The slow links between nodes
/// carry 2(N-1)/N n per node when Global is bandwidth-optimal. When the last node has fewer ranks than the others, node
/// leaders take part instead: local binomial reduce, global allreduce among the leaders, local binomial broadcast.
/// Ranks of a node that are not consecutive, and nodes of any sizes: see any::on.
///
/// Other operations, where Global has them: see hierarchical_shards.hpp and hierarchical_rooted.hpp. Each is one half
/// of that in both levels. An alltoall, where both have it: see hierarchical_blocks.hpp. Where the last node is
/// smaller, those with shards are Global's alone.
///
/// Cost of the allreduce with g ranks on each of N nodes: depth and rounds of Local's reduce_scatter and allgather at
/// g, plus those of Global's allreduce at N; sent = Local's at g plus 1/g of Global's at N; fan-in the larger of both.
/// If a part's figures are bounds or the last node is smaller, all are bounds, with the fan-ins of the three parts
/// added; and with the rounds of the first part once more, if they are a bound themselves. Of other operations, bounds:
///
/// | P = g N ranks, n elements | depth | sent and received by a rank | between nodes, by a node |
/// |---|---|---|---|
/// | reduce_scatter, allgather | of both levels | N times Local's of n/N, and Global's of n/g | (N-1)/N n |
/// | reduce, broadcast | of both levels, log2 g | Local's of n, Global's of n/g, and up to 2n | Global's of n |
/// | alltoall | of both levels | Local's of n, and Global's of n | (N-1)/N n a rank |
///
/// Local needs reduce_scatter and allgather, Global an allreduce; both are algorithms themselves.
/// Source: the three-phase hierarchical allreduce of Goyal et al., Accurate, large minibatch SGD, 2017.
template <class Local, class Global>
struct hierarchical {
    static_assert(offers<Local>(operation::reduce_scatter) && offers<Local>(operation::allgather),
                  "tutti: hierarchical needs a local algorithm that has both reduce_scatter and allgather");
    static_assert(offers<Global>(operation::allreduce),
                  "tutti: hierarchical needs a global algorithm that has an allreduce");

    int ranks_per_node = 1; ///< at least 1; beyond the size it means one node

    Local local{};   ///< what runs among the ranks of a node
    Global global{}; ///< what runs between nodes

    static constexpr std::string_view name = detail::hierarchical_name<Local, Global>;
    static constexpr std::string_view idea =
        "Within each node first, then between nodes with one shard a rank, then within each node again.";
    static constexpr std::string_view virtue = "the ranks of a node do among themselves what they can";
    [[nodiscard]] constexpr bool alike(int size) const noexcept {
        const int g = per_node(size);
        return size % g == 0 && algorithm::alike(local, g) && algorithm::alike(global, size / g);
    }
    /// Both parts have to; where the last node is smaller, Global among the nodes and, for parts of ranks, among all.
    [[nodiscard]] constexpr bool runs_on(int size) const noexcept {
        const int g = per_node(size), nodes = (size + g - 1) / g;
        if (g == 1) return algorithm::runs_on(global, size);
        if (size % g == 0) return algorithm::runs_on(local, g) && algorithm::runs_on(global, nodes);
        return algorithm::runs_on(global, nodes) && (!detail::has_parts<Global> || algorithm::runs_on(global, size));
    }
    /// The examples that preserves_order proves: Global alone (one rank a node), both levels, and Local alone (one
    /// node).
    [[nodiscard]] static constexpr auto examples() noexcept {
        return std::array{hierarchical{1}, hierarchical{2}, hierarchical{3}, hierarchical{5}};
    }

    /// The same over nodes of any sizes, whose ranks are consecutive.
    [[nodiscard]] hierarchical_uneven<Local, Global> over(const schedule::placement& nodes) const noexcept {
        return {&nodes, nodes.most(), local, global};
    }

    /// Distinguishes algorithms of one name: the ranks per node of this level and, where Global has levels too, its.
    [[nodiscard]] constexpr std::uint64_t parameter() const noexcept {
        return detail::parameter_of_levels(local, global) + static_cast<std::uint64_t>(ranks_per_node);
    }

    TUTTI_COLD [[nodiscard]] constexpr int chunks(operation o, int size) const noexcept {
        const int g = per_node(size), nodes = (size + g - 1) / g;
        if (g == 1 || (size % g != 0 && schedule::has_shards(o))) return chunks_of(global, o, size);
        const int far = chunks_of(global, o, nodes);
        return size % g != 0 ? far : chunks_of(local, near_half(o), g) * far;
    }

    TUTTI_COLD [[nodiscard]] constexpr cost stated(operation o, int size) const noexcept {
        if (o != operation::allreduce) return stated_of_half(o, size);
        const int g = per_node(size), nodes = (size + g - 1) / g;
        const cost far = global.stated(operation::allreduce, nodes);
        if (size % g != 0)
            return sum(scaled(binomial_tree::stated(operation::reduce, g), chunks(o, size)), far,
                       scaled(binomial_tree::stated(operation::broadcast, g), chunks(o, size)), true);
        const int per = global_chunks(nodes);
        return sum(scaled(local.stated(operation::reduce_scatter, g), per), scaled(far, local_chunks(g) / g),
                   scaled(local.stated(operation::allgather, g), per), false);
    }

    template <class Put>
    TUTTI_COLD constexpr void allreduce(const position& p, Put&& put) const {
        const int g = per_node(p.size);
        if (g == 1)
            walk(global, operation::allreduce, p, put);
        else if (p.size % g == 0)
            by_shards(p, g, put);
        else
            by_carriers(operation::allreduce, p).allreduce(put);
    }

    template <class Put>
    constexpr void reduce_scatter(const position& p, buffer partial, Put&& put) const
        requires(detail::has_reduce_scatter<Global>)
    {
        const int g = per_node(p.size);
        if (p.size % g != 0 || g == 1) return global.reduce_scatter(p, partial, put);
        detail::levels_of_shards(local, global, operation::reduce_scatter, p, g).reduce_scatter(put);
    }

    template <class Put>
    constexpr void allgather(const position& p, Put&& put) const
        requires(detail::has_allgather<Global>)
    {
        const int g = per_node(p.size);
        if (p.size % g != 0 || g == 1) return global.allgather(p, put);
        detail::levels_of_shards(local, global, operation::allgather, p, g).allgather(put);
    }

    template <class Put>
    constexpr void reduce(const position& p, buffer partial, Put&& put) const
        requires(detail::has_reduce<Global>)
    {
        const int g = per_node(p.size);
        if (g == 1) return global.reduce(p, partial, put);
        if (p.size % g != 0) return by_carriers(operation::reduce, p).reduce(partial, put);
        detail::levels_of_root(local, global, operation::reduce, p, g).reduce(partial, put);
    }

    template <class Put>
    TUTTI_COLD constexpr void broadcast(const position& p, Put&& put) const
        requires(detail::has_broadcast<Global>)
    {
        const int g = per_node(p.size);
        if (g == 1) return global.broadcast(p, put);
        if (p.size % g != 0) return by_carriers(operation::broadcast, p).broadcast(put);
        detail::levels_of_root(local, global, operation::broadcast, p, g).broadcast(put);
    }

    template <class Put>
    constexpr void alltoall(const position& p, Put&& put) const
        requires(detail::has_alltoall<Local> && detail::has_alltoall<Global>)
    {
        const int g = per_node(p.size);
        if (p.size % g != 0 || g == 1) return global.alltoall(p, put);
        detail::levels_of_blocks(local, global, p, g).alltoall(put);
    }

private:
    /// Local's half of an operation of two levels.
    [[nodiscard]] static constexpr operation near_half(operation o) noexcept {
        if (o == operation::alltoall) return o;
        return o == operation::allgather || o == operation::broadcast ? operation::allgather
                                                                      : operation::reduce_scatter;
    }
    [[nodiscard]] constexpr int local_chunks(int ranks) const noexcept {
        return chunks_of(local, operation::reduce_scatter, ranks);
    }
    [[nodiscard]] constexpr int global_chunks(int nodes) const noexcept {
        return chunks_of(global, operation::allreduce, nodes);
    }
    [[nodiscard]] constexpr int per_node(int size) const noexcept {
        return ranks_per_node < 1 ? 1 : ranks_per_node < size ? ranks_per_node : size;
    }

    [[nodiscard]] constexpr detail::levels_of_carriers<Global> by_carriers(operation o, const position& p) const {
        return {global, node_bounds(p.size, per_node(p.size)), o, p, chunks(o, p.size)};
    }

    template <class Put>
    constexpr void by_shards(const position& p, int g, Put&& put) const {
        const int nodes = p.size / g, node = p.rank / g, self = p.rank % g, per = global_chunks(nodes);
        const int width = local_chunks(g) / g; // of a shard, in Local's chunks; then in ours of one of Global's chunks
        const detail::sink_to near([&](const step& s) { put(moved(s, node * g, 1, 0, per)); });
        const detail::sink_to far([&](const step& s) { put(in_output(moved(s, self, g, self * per * width, width))); });
        const position here{self, g, 0, p.in_place}, across{node, nodes, 0, true};
        local.reduce_scatter(here, buffer::output, near.erased());
        walk(global, operation::allreduce, across, far.erased());
        local.allgather(here, near.erased());
    }

    /// A step of a part as a step of the whole: peer k is rank base + k stride, chunk c the `per` chunks from
    /// offset + c per.
    [[nodiscard]] static constexpr step moved(step s, int base, int stride, int offset, int per) noexcept {
        if (communicates(s)) s.peer = base + s.peer * stride;
        for (place* x : {&s.from, &s.to}) *x = {x->where, offset + x->first * per, x->count * per};
        return s;
    }
    /// The global part works in place on the output.
    [[nodiscard]] static constexpr step in_output(step s) noexcept {
        const auto change = [](buffer& b) {
            if (b == buffer::input) b = buffer::output;
        };
        change(s.from.where);
        for (buffer& b : s.more) change(b);
        return s;
    }
    [[nodiscard]] static constexpr cost scaled(cost c, int per) noexcept {
        return {c.depth, c.rounds, c.sent * per, c.received * per, c.fan_in, c.bound};
    }
    /// Of an operation that is not an allreduce. Bounds, since its parts overlap: some message of the one may wait for
    /// any of the other.
    [[nodiscard]] constexpr cost stated_of_half(operation o, int size) const noexcept {
        const int g = per_node(size), nodes = (size + g - 1) / g, all = chunks(o, size);
        if (g == 1 || (size % g != 0 && schedule::has_shards(o))) return global.stated(o, size);
        const int per = chunks_of(global, o, nodes), width = all / per / g;
        const cost far = global.stated(o, nodes), near = local.stated(near_half(o), g);
        if (size % g != 0) return both(scaled(binomial_tree::stated(o, g), all), far, g, nodes);
        if (o == operation::alltoall)
            return both(scaled(near, per / nodes), scaled(far, all / per * nodes / size), g, nodes);
        if (schedule::has_shards(o)) {
            const int of_shard = per / nodes; // and each message between nodes is of one shard
            cost split = scaled(far, width);
            split.rounds = std::max(
                {far.rounds, static_cast<int>(far.sent / of_shard), static_cast<int>(far.received / of_shard)});
            return both({near.depth, nodes * near.rounds, nodes * near.sent * of_shard,
                         nodes * near.received * of_shard, 0, true},
                        split, g, nodes);
        }
        const cost in_root_node = scaled(detail::cost_by_halves(g), all / g);
        const cost nodes_part = both(scaled(near, per), in_root_node, g, g);
        return both(nodes_part, scaled(far, width), g, nodes);
    }
    [[nodiscard]] static constexpr cost both(const cost& a, const cost& b, int g, int nodes) noexcept {
        return {a.depth + b.depth, 2 * (a.rounds + b.rounds),
                a.sent + b.sent,   a.received + b.received,
                g + nodes - 2,     true};
    }
    /// One part after the other. Where the first part is uneven, ranks reach the others at different times, and
    /// messages of different parts compete: each round of the first may hold up the others by one.
    [[nodiscard]] static constexpr cost sum(const cost& a, const cost& b, const cost& c, bool uneven) noexcept {
        const bool bound = uneven || a.bound || b.bound || c.bound;
        const int wider = a.fan_in > b.fan_in ? a.fan_in : b.fan_in, widest = c.fan_in > wider ? c.fan_in : wider;
        return {a.depth + b.depth + c.depth,
                a.rounds + b.rounds + c.rounds + (a.bound ? a.rounds : 0),
                a.sent + b.sent + c.sent,
                a.received + b.received + c.received,
                bound ? a.fan_in + b.fan_in + c.fan_in : widest,
                bound};
    }
};

} // namespace tutti::algorithm
