// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../machine.hpp"
#include "graph.hpp"
#include "settings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tutti::model::detail {

/// The machine without what is enough for all of the ranks on a node, and, if there is only one, without a network.
[[nodiscard]] inline machine without_plenty(machine m, int ranks_on_node, bool one_node) noexcept {
    if (m.cores >= ranks_on_node) m.cores = 0;
    if (m.nics >= ranks_on_node || one_node) m.nics = 0;
    if (one_node) m.oversubscription = 1;
    return m;
}

/// True if ranks must wait for each other for more than messages, or are held up by chance.
[[nodiscard]] inline bool has_contention(const machine& m, const simulation_settings& s) noexcept {
    return m.cores > 0 || m.nics > 0 || m.oversubscription > 1 || m.fan_in.epsilon_s_per_byte > 0 || s.straggling > 0;
}

/// The resources that the ranks of a simulation share. Each serves requests in their order:
/// - the cores of a node. A rank takes the core that lets it begin first, of those the one that was idle for the
///   shortest time, and rather its last one; changing the rank of a core takes switch_s;
/// - the adapters of a node, by which messages to and from other nodes go: each rank has one of them, in turn;
/// - the network between the nodes, which carries what all adapters send, over the oversubscription.
class sharing {
public:
    sharing(const graph& g, const machine& m, const simulation_settings& s)
        : machine_(m), straggling_(s.straggling), seed_(s.seed), ranks_(g.ranks.size()), nodes_(count_nodes(g)) {
        for (const graph::rank& r : g.ranks) ++nodes_[r.node].ranks;
        for (node& n : nodes_) {
            if (m.cores > 0 && m.cores < n.ranks) n.cores.resize(static_cast<std::size_t>(m.cores));
            n.adapters.resize(static_cast<std::size_t>(m.nics > 0 ? std::min(m.nics, n.ranks) : n.ranks));
            adapters_ += n.adapters.size();
        }
        std::vector<std::uint32_t> seen(nodes_.size(), 0);
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            const std::uint32_t where = g.ranks[r].node;
            ranks_[r] = {where, seen[where]++ % static_cast<std::uint32_t>(nodes_[where].adapters.size()), 0};
        }
    }

    /// Lets a rank work for so long on a core, from `from` on at the earliest; when it begins and ends.
    [[nodiscard]] std::pair<double, double> work(std::uint32_t rank, std::uint32_t step, double from, double duration) {
        if (straggling_ > 0) duration *= 1 + straggling_ * chance(rank, step);
        auto& cores = nodes_[ranks_[rank].node].cores;
        if (cores.empty()) return {from, from + duration};
        core& c = *std::min_element(cores.begin(), cores.end(), [&](const core& a, const core& b) {
            const double at_a = std::max(from, a.free_s), at_b = std::max(from, b.free_s);
            if (at_a != at_b) return at_a < at_b;
            if ((a.rank == rank) != (b.rank == rank)) return a.rank == rank;
            return a.free_s > b.free_s;
        });
        double begin = std::max(from, c.free_s);
        if (c.rank != rank) begin += machine_.switch_s;
        c = {begin + duration, rank};
        return {begin, c.free_s};
    }

    /// Ranks come in by adapters that are shared, not by a port of their own.
    [[nodiscard]] bool has_adapters() const noexcept { return machine_.nics > 0; }
    /// How much later a message's header arrives, which goes to another node from `at` on and is `stream` long.
    [[nodiscard]] double leave(std::uint32_t rank, double at, double stream) {
        double& free_s = adapter_of(rank).out_free_s;
        const double begin = std::max({at, free_s, network_free_s_});
        free_s = begin + stream;
        if (machine_.oversubscription > 1)
            network_free_s_ = begin + stream * machine_.oversubscription / static_cast<double>(adapters_);
        return begin - at;
    }
    /// When the adapter of a rank has taken in a message from another node whose header has arrived.
    [[nodiscard]] double take_in(std::uint32_t rank, double at, double stream) {
        double& free_s = adapter_of(rank).in_free_s;
        return free_s = std::max(at, free_s) + stream;
    }

    /// How much longer a header takes to ranks that share cores.
    [[nodiscard]] double latency_to(std::uint32_t rank) const noexcept {
        return nodes_[ranks_[rank].node].cores.empty() ? 0 : machine_.crowded_latency_s;
    }

    /// A message is under way to a rank.
    void expect(std::uint32_t rank) noexcept { ++ranks_[rank].coming; }
    /// A rank receives one of those that are under way to it: how much longer that takes for their number.
    [[nodiscard]] double receive(std::uint32_t rank, std::size_t bytes) noexcept {
        const int beyond = ranks_[rank].coming-- - machine_.fan_in.threshold;
        return beyond > 0 ? beyond * machine_.fan_in.epsilon_s_per_byte * static_cast<double>(bytes) : 0;
    }

private:
    struct core {
        double free_s = 0;
        std::uint32_t rank = none; ///< that had it last
    };
    struct adapter {
        double out_free_s = 0, in_free_s = 0;
    };
    struct node {
        int ranks = 0;
        std::vector<core> cores; ///< none where each rank has its own
        std::vector<adapter> adapters;
    };
    struct place {
        std::uint32_t node = 0, adapter = 0;
        int coming = 0; ///< messages
    };

    [[nodiscard]] static std::size_t count_nodes(const graph& g) noexcept {
        std::uint32_t last = 0;
        for (const graph::rank& r : g.ranks) last = std::max(last, r.node);
        return std::size_t{last} + 1;
    }
    [[nodiscard]] adapter& adapter_of(std::uint32_t rank) noexcept {
        return nodes_[ranks_[rank].node].adapters[ranks_[rank].adapter];
    }

    /// Drawn from the exponential distribution of mean 1: by seed, rank and step alone, whatever the order.
    [[nodiscard]] double chance(std::uint32_t rank, std::uint32_t step) const noexcept {
        std::uint64_t x = seed_ * 0x9e3779b97f4a7c15 + (std::uint64_t{rank} << 32 | step);
        for (const std::uint64_t factor : {0xbf58476d1ce4e5b9, 0x94d049bb133111eb}) x = (x ^ (x >> 30)) * factor;
        const double uniform = static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53;
        return -std::log1p(-uniform);
    }

    machine machine_;
    double straggling_;
    std::uint64_t seed_;
    std::vector<place> ranks_;
    std::vector<node> nodes_;
    std::size_t adapters_ = 0; ///< of all nodes
    double network_free_s_ = 0;
};

} // namespace tutti::model::detail
