// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../base/linkage.hpp"
#include "hierarchy/hierarchical_uneven.hpp"
#include "hierarchy/two_levels.hpp"

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
        "Within each node first, then between nodes with one shard a rank (by one rank of a node where the last is "
        "smaller), then within each node again.";
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
        return algorithm::runs_on(global, nodes) && (!offers_parts<Global>() || algorithm::runs_on(global, size));
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
        return levels(size, [&](const detail::two_levels& both) { return both.chunks(o, size); });
    }
    TUTTI_COLD [[nodiscard]] constexpr cost stated(operation o, int size) const noexcept {
        return levels(size, [&](const detail::two_levels& both) { return both.stated(o, size); });
    }

    [[nodiscard]] static constexpr bool offered(operation o) noexcept { return detail::offered_by<Local, Global>(o); }
    constexpr void steps(operation o, const position& p, buffer partial, const detail::sink& put) const {
        levels(p.size, [&](const detail::two_levels& both) { both.steps(o, p, partial, put); });
    }

private:
    [[nodiscard]] constexpr int per_node(int size) const noexcept {
        return ranks_per_node < 1 ? 1 : ranks_per_node < size ? ranks_per_node : size;
    }
    [[nodiscard]] constexpr auto levels(int size, const auto& with) const {
        const detail::level_of near(local);
        const detail::level_of far(global);
        return with(detail::two_levels(near, far, per_node(size)));
    }
};

} // namespace tutti::algorithm
