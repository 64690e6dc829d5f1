// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "hierarchical_carriers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tutti::algorithm {

namespace detail {

template <class Local, class Global>
inline constexpr auto hierarchical_letters = [] {
    constexpr std::string_view head = "hierarchical:";
    std::array<char, head.size() + Local::name.size() + 1 + Global::name.size()> letters{};
    std::size_t at = 0;
    for (const std::string_view part : {head, Local::name, std::string_view(":"), Global::name})
        for (const char c : part) letters[at++] = c;
    return letters;
}();

/// "hierarchical:ring:ring" and so on.
template <class Local, class Global>
inline constexpr std::string_view hierarchical_name{hierarchical_letters<Local, Global>.data(),
                                                    hierarchical_letters<Local, Global>.size()};

/// What Global offers, if it can be done by levels.
template <class Local, class Global>
[[nodiscard]] constexpr bool offered_by(operation o) noexcept {
    switch (o) {
    case operation::allreduce: return true;
    case operation::reduce_scatter:
    case operation::allgather:
    case operation::reduce:
    case operation::broadcast: return offers<Global>(o);
    case operation::alltoall: return offers<Local>(o) && offers<Global>(o);
    default: return false;
    }
}

/// Distinguishes Local and Global from others of their names.
template <class Local, class Global>
[[nodiscard]] constexpr std::uint64_t parameter_of_levels(const Local& local, const Global& global) noexcept {
    std::uint64_t levels = 0;
    if constexpr (requires { global.parameter(); }) levels = global.parameter() * 0x100000001b3;
    if constexpr (requires { local.parameter(); }) levels = (levels ^ local.parameter()) * 0x100000001b3;
    return levels;
}

} // namespace detail

/// hierarchical over nodes of any sizes, which any::on makes of it. One rank of a node, its carrier, takes part in
/// Global, and binomial trees join the others to it. Between nodes goes what must, but a carrier handles all data of
/// its node. An alltoall is Global's alone. `Local` is not used.
///
/// Cost: bounds. There are N nodes of up to g ranks, and h = ceil(log2 g). The depth is 2h more than Global's at N; of
/// a reduce or a broadcast it is h more. The carrier handles all n up to 2h times besides.
template <class Local, class Global>
struct hierarchical_uneven {
    const schedule::placement* nodes; ///< its seats are the ranks
    const int ranks_per_node;         ///< of the largest node

    Local local{};
    Global global{};

    static constexpr std::string_view name = detail::hierarchical_name<Local, Global>;
    static constexpr std::string_view idea = "Within each node first, then between one rank of each, then back.";
    static constexpr std::string_view virtue = "the ranks of a node do among themselves what they can";

    [[nodiscard]] bool runs_on(int size) const noexcept {
        return algorithm::runs_on(global, nodes->nodes()) &&
               (!offers<Global>(operation::alltoall) || algorithm::runs_on(global, size));
    }
    [[nodiscard]] std::uint64_t parameter() const noexcept {
        return detail::parameter_of_levels(local, global) + nodes->id();
    }

    [[nodiscard]] constexpr int chunks(operation o, int size) const noexcept {
        if (o == operation::alltoall) return chunks_of(global, o, size);
        const int of_nodes = chunks_of(global, o, nodes->nodes());
        return schedule::has_shards(o) ? of_nodes / nodes->nodes() * size : of_nodes;
    }

    [[nodiscard]] constexpr cost stated(operation o, int size) const noexcept {
        if (o == operation::alltoall) return global.stated(o, size);
        const int all = chunks(o, size), wide = schedule::has_shards(o) ? ranks_per_node : 1;
        const cost far = global.stated(o, nodes->nodes());
        const cost down = binomial_tree::stated(operation::broadcast, ranks_per_node);
        const int rounds = 2 * (far.rounds + 4 * down.depth), both_ways = (down.depth + 1) * 2 * all;
        return {far.depth + 2 * down.depth,          rounds,
                far.sent * wide + both_ways,         far.received * wide + both_ways,
                ranks_per_node + nodes->nodes() - 1, true};
    }

    [[nodiscard]] static constexpr bool offered(operation o) noexcept { return detail::offered_by<Local, Global>(o); }
    constexpr void steps(operation o, const position& p, buffer partial, const detail::sink& put) const {
        const detail::level_of far(global);
        if (o == operation::alltoall) return far.steps(o, p, partial, put);
        detail::levels_of_carriers(far, detail::node_bounds(*nodes), o, p, chunks(o, p.size)).steps(o, partial, put);
    }
};

} // namespace tutti::algorithm
