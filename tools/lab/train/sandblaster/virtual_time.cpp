// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "virtual_time.hpp"

#include "../virtual_cluster.hpp"
#include "rank.hpp"

#include <collectives/any_communicator.hpp>

#include <chrono>

namespace tutti::tools {

sandblaster_result sandblaster_in_virtual_time(const train_settings& s, portion_maths& maths) {
    const virtual_cluster cluster = virtual_cluster_of(s, 0);
    sandblaster_result found;
    double seconds = 0;
    cluster.world->run([&](transport::simulated end) {
        const any_communicator all = type_erased(communicator{std::move(end)});
        sandblaster_hooks hooks;
        hooks.computes = cluster.computing(all.rank());
        hooks.tested = [&](const epoch_result& e) {
            seconds += e.seconds;
            found.tests.push_back({seconds, e.loss, e.test_loss, e.test_accuracy});
        };
        hooks.ended = [&](const std::vector<int>& lost, std::uint64_t unused) {
            found.lost = lost.size();
            found.unused = unused;
        };
        static_cast<void>(train_by_sandblaster(all, s, maths, hooks));
    });
    return found;
}

} // namespace tutti::tools
