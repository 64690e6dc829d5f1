// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../../base/simulated_network.hpp"
#include "../machine.hpp"
#include "event_queue.hpp"
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

/// The resources that the ranks of a simulation share:
/// - the cores of a node. A rank takes the core that lets it begin first, of those the one that was idle for the
///   shortest time, and rather its last one; changing the rank of a core takes switch_s;
/// - the adapters of a node, by which messages to and from other nodes go: each rank has one of them, in turn;
/// - the network between the nodes, which carries what all adapters can send, over the oversubscription.
/// Cores, and adapters that take in, serve requests in their order; for those that send see simulated_network.
class sharing {
public:
    sharing(const graph& g, const machine& m, const simulation_settings& s)
        : machine_(m), straggling_(s.straggling), seed_(s.seed), ranks_(g.ranks.size()), nodes_(count_nodes(g)),
          coming_(g.slot_list.size()) {
        for (const graph::rank& r : g.ranks) ++nodes_[r.node].ranks;
        std::uint32_t adapters = 0;
        for (node& n : nodes_) {
            if (m.cores > 0 && m.cores < n.ranks) n.cores.resize(static_cast<std::size_t>(m.cores));
            n.first_adapter = adapters;
            n.adapters = static_cast<std::uint32_t>(m.nics > 0 ? std::min(m.nics, n.ranks) : n.ranks);
            adapters += n.adapters;
        }
        network = {adapters, m.oversubscription};
        in_free_s_.resize(adapters);
        std::vector<std::uint32_t> seen(nodes_.size(), 0);
        for (std::size_t r = 0; r < ranks_.size(); ++r) {
            const std::uint32_t where = g.ranks[r].node;
            const node& on = nodes_[where];
            ranks_[r] = {where, on.first_adapter + seen[where]++ % on.adapters, 0};
        }
    }

    /// Lets a rank work for so long on a core, from `from` on at the earliest; when it begins and ends.
    [[nodiscard]] std::pair<double, double> work(std::uint32_t rank, std::uint32_t step, double from, double duration) {
        if (straggling_ > 0) duration *= 1 + straggling_ * chance(rank, step);
        auto& cores = nodes_[ranks_[rank].node].cores;
        if (cores.empty()) return {from, from + duration};
        core& c = *std::min_element(cores.begin(), cores.end(), [&](const core& a, const core& b) {
            const double at_a = std::max(from, a.free_s), at_b = std::max(from, b.free_s);
            if (is_later(at_a, at_b) || is_later(at_b, at_a)) return at_a < at_b;
            if ((a.rank == rank) != (b.rank == rank)) return a.rank == rank;
            return a.free_s > b.free_s;
        });
        double begin = std::max(from, c.free_s);
        if (c.rank != rank) begin += machine_.switch_s;
        c = {begin + duration, rank};
        return {begin, c.free_s};
    }

    /// Messages of other nodes come by adapters that are shared, and then by the rank's own port.
    [[nodiscard]] bool has_adapters() const noexcept { return machine_.nics > 0; }
    /// Messages to other nodes may have to wait on their way.
    [[nodiscard]] bool has_network() const noexcept { return has_adapters() || machine_.oversubscription > 1; }
    /// The way of messages of a rank to other nodes is by this adapter.
    [[nodiscard]] std::size_t adapter_of(std::uint32_t rank) const noexcept { return ranks_[rank].adapter; }
    tutti::detail::simulated_network network;
    /// When the adapter of a rank has taken in a message from another node whose header has arrived.
    [[nodiscard]] double take_in(std::uint32_t rank, double at, double stream) {
        double& free_s = in_free_s_[adapter_of(rank)];
        return free_s = std::max(at, free_s) + stream;
    }

    /// How much longer a header takes to ranks that share cores.
    [[nodiscard]] double latency_to(std::uint32_t rank) const noexcept {
        return nodes_[ranks_[rank].node].cores.empty() ? 0 : machine_.crowded_latency_s;
    }

    /// A message is under way to a rank, in its slot of the sender.
    void expect(std::uint32_t rank, std::size_t slot) noexcept {
        if (coming_[slot]++ == 0) ++ranks_[rank].senders;
    }
    /// A rank receives one of those that are under way to it: how much longer that takes for the number of senders.
    [[nodiscard]] double receive(std::uint32_t rank, std::size_t slot, std::size_t bytes) noexcept {
        const int beyond = ranks_[rank].senders - machine_.fan_in.threshold;
        if (--coming_[slot] == 0) --ranks_[rank].senders;
        return beyond > 0 ? beyond * machine_.fan_in.epsilon_s_per_byte * static_cast<double>(bytes) : 0;
    }

private:
    struct core {
        double free_s = 0;
        std::uint32_t rank = none; ///< that had it last
    };
    struct node {
        int ranks = 0;
        std::vector<core> cores; ///< none where each rank has its own
        std::uint32_t first_adapter = 0, adapters = 0;
    };
    struct place {
        std::uint32_t node = 0, adapter = 0;
        int senders = 0; ///< of messages under way to it
    };

    [[nodiscard]] static std::size_t count_nodes(const graph& g) noexcept {
        std::uint32_t last = 0;
        for (const graph::rank& r : g.ranks) last = std::max(last, r.node);
        return std::size_t{last} + 1;
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
    std::vector<double> in_free_s_;     ///< of each adapter
    std::vector<std::uint32_t> coming_; ///< messages under way, by the receiver's slot
};

} // namespace tutti::model::detail
