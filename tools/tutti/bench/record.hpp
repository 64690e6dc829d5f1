// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "bench.hpp"

#include <collectives/collectives.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tutti::tools {

namespace detail {

/// What all ranks did, at rank 0. In turn, so that no other rank needs memory for more than one of them.
template <class Communicator>
[[nodiscard]] activities gather(const Communicator& world, const activities& mine) {
    std::array<std::uint64_t, 1> most{mine.size()};
    world.allreduce(most, maximum);
    activities all;
    for (int rank = 0; rank < world.size(); ++rank) {
        activities its;
        if (rank == world.rank()) its = mine;
        its.resize(most[0], schedule::activity{.rank = -1});
        world.broadcast(its, rank);
        if (world.rank() != 0) continue;
        std::erase_if(its, [](const schedule::activity& a) { return a.rank < 0; });
        all.insert(all.end(), its.begin(), its.end());
    }
    return all;
}

} // namespace detail

/// Records calls on this communicator, which must outlive it.
template <class Communicator>
[[nodiscard]] recorder recorder_of(const Communicator& world) {
    return [&world](const call& once, std::size_t most_steps, moment origin) -> std::optional<activities> {
        auto recording = world.record(most_steps, origin);
        once();
        const trace mine = recording.stop();
        std::array<std::uint64_t, 1> missed{mine.missed_calls};
        world.allreduce(missed, maximum);
        if (missed[0] > 0) return {};
        return detail::gather(world, mine.activities);
    };
}

} // namespace tutti::tools
