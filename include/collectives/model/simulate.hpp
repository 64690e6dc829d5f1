// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "collective.hpp"
#include "counts/symmetry.hpp"
#include "machine.hpp"
#include "simulation/build.hpp"
#include "simulation/event_simulation.hpp"
#include "simulation/settings.hpp"
#include "working_set.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace tutti::model {

/// A collective made ready to be simulated, on one machine after the other. Memory: 16 bytes a step for a run, and the
/// structure of each rank's schedule once for all ranks that share it.
class simulation {
public:
    /// Makes the call ready. Throws tutti::error(invalid_argument) as simulate() does.
    explicit simulation(const collective& c, const rank_nodes& nodes = 1, const simulation_settings& s = {})
        : settings_(s), graph_(make(c, nodes, s)), working_set_(working_set_bytes(c, nodes)),
          ranks_on_node_(std::min(nodes.most(), c.size)) {}

    /// Throws tutti::error(invalid_argument) where one rank stands for all and they share what the machine has too few
    /// of.
    [[nodiscard]] simulated run(const machine& with_all_cached) const {
        const machine m = detail::without_plenty(with_misses(with_all_cached, working_set_), ranks_on_node_,
                                                 ranks_on_node_ == graph_.size);
        if (settings_.receiver == receiver_rule::hockney && detail::has_contention(m, settings_))
            reject("simulate", "by Hockney's rule ranks share nothing, and none is held up by chance");
        if (!detail::has_contention(m, settings_))
            return detail::event_simulation<detail::nothing_shared>(graph_, m, settings_).run();
        if (graph_.by_symmetry)
            reject("simulate", "so many ranks are simulated by one that stands for all, which shares nothing");
        return detail::event_simulation<detail::sharing>(graph_, m, settings_).run();
    }
    /// How many messages are simulated; of one rank where one stands for all.
    [[nodiscard]] std::size_t messages() const noexcept { return graph_.messages; }

private:
    /// By symmetry all ranks see the same links, and none is alone.
    [[nodiscard]] static detail::graph make(const collective& c, const rank_nodes& nodes,
                                            const simulation_settings& s) {
        examine(c, nodes);
        const bool level = nodes.most() == 1 || nodes.most() >= c.size;
        if (level && c.size > 1 && c.how.steps_rotate(c.what)) {
            detail::graph one = detail::builder(c, nodes, s).by_symmetry();
            if (one.messages * static_cast<std::size_t>(c.size) > s.symmetric_beyond) return one;
        }
        return detail::builder(c, nodes, s).step_by_step();
    }
    static void examine(const collective& c, const rank_nodes& nodes) {
        if (!c.how.offers(c.what))
            reject("simulate", std::string(c.how.name()) + " has no " + std::string(name_of(c.what)));
        detail::examine(c, "simulate");
        if (!nodes.fit(c.size)) reject("simulate", "there must be a rank on a node, and a node for each rank");
    }

    simulation_settings settings_;
    detail::graph graph_;
    double working_set_;
    int ranks_on_node_; ///< of the largest
};

/// Executes the very steps of a schedule on a machine, and says when each rank is done.
///
/// A rank is one processor, which does its steps as their data and their turn on their channels come, the earliest
/// first and, of those of the same time, the first in the program. For a message of m bytes it is busy for o + (m - 1)O
/// at the sender, where the next one may begin g + (m - 1)G after this one, if that is longer; the header arrives o + L
/// after the beginning; what the receiver is charged is the rule's. A send is complete when the sender is no longer
/// busy, a receive when the receiver is, m gamma later where it reduces. A copy takes m copy_s_per_byte, a reduction of
/// k operands (k - 1) m gamma. Between ranks of a node it is the link `near` that counts, which steps within a rank
/// take their prices from as well. Every rank is busy for call_s before its first step; what the call works in beyond
/// the caches costs a processor miss_s_per_byte more for each byte: see with_misses().
///
/// By receiver_rule::hockney messages take ports instead, and nothing of a processor: see there.
///
/// Contention is what the machine says: cores that are fewer than the ranks of a node, adapters that ranks share on the
/// way to other nodes, a network between nodes that carries less than they send, and what many senders to one rank
/// cost on top: see detail::sharing. What the adapter and the network have not carried has not come.
///
/// Where the schedule rotates and has many messages, one rank stands for all, and every chunk is as long as the
/// longest. Throws tutti::error(invalid_argument) where there would be too many messages. Deterministic. Source:
/// Alexandrov et al., LogGP, SPAA 1995; Hoefler et al., LogGOPSim, LSAP 2010.
///
/// @snippet reference.cpp simulate
[[nodiscard]] inline simulated simulate(const collective& c, const machine& m, const rank_nodes& nodes = 1,
                                        const simulation_settings& s = {}) {
    return simulation(c, nodes, s).run(m);
}

} // namespace tutti::model
