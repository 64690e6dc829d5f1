// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "virtual_time.hpp"

#include "../../plan/cluster.hpp"
#include "../compute_law.hpp"
#include "rank.hpp"

#include <collectives/simulated_machine.hpp>
#include <transport/simulated.hpp>

#include <chrono>

namespace tutti::tools {

sandblaster_result sandblaster_in_virtual_time(const train_settings& s, portion_maths& maths) {
    const auto takes = compute_time_of(s.compute, s.stragglers, s.seed);
    const auto cluster = planner::cluster_of(s.cluster);
    const auto world =
        transport::simulated_world::create(simulated_options_of(cluster.links, s.virtual_ranks, cluster.gpus_per_node));
    sandblaster_result found;
    double seconds = 0;
    world->run([&](transport::simulated end) {
        const communicator all{std::move(end)};
        sandblaster_hooks hooks;
        hooks.computes = [&](std::size_t n, std::size_t slices) {
            world->compute(takes.of(all.rank(), n) / static_cast<long>(slices));
        };
        hooks.clock = [&] { return std::chrono::duration<double>(world->now()).count(); };
        hooks.tested = [&](const epoch_result& e) {
            seconds += e.seconds;
            found.tests.push_back({seconds, e.loss, e.test_loss, e.test_accuracy});
        };
        hooks.ended = [&](std::size_t lost, std::uint64_t unused) {
            found.lost = lost;
            found.unused = unused;
        };
        static_cast<void>(train_by_sandblaster(all, s, maths, hooks));
    });
    return found;
}

} // namespace tutti::tools
