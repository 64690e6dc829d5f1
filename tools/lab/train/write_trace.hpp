// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../tutti/common/text_output.hpp"
#include "step_trace.hpp"

#include <collectives/collectives.hpp>

#include <numeric>
#include <span>
#include <string>

namespace tutti::tools {

/// The texts of all ranks, one after the other, on rank 0; nothing elsewhere. Collective.
template <class Communicator>
[[nodiscard]] std::string gather_text(const Communicator& world, std::string own) {
    const auto counts = world.allgather(own.size());
    std::string all(world.rank() == 0 ? std::accumulate(counts.begin(), counts.end(), std::size_t{0}) : 0, ' ');
    auto to = std::span(all);
    world.gatherv(std::span(own), to, counts, 0);
    return all;
}

/// Writes what all ranks have recorded to a file of rank 0, as Chrome trace-event JSON, which opens in Perfetto. Times
/// count from rank 0's first step. Ranks of one host read one clock; on several hosts, clocks are set equal where the
/// ranks leave a barrier, and are no more exact than that. Simulated ranks have `one_clock` on any hosts. Collective.
/// Throws std::system_error on rank 0.
template <class Communicator>
void write_trace(const Communicator& world, const step_trace& own, bool one_clock, const std::string& file) {
    using clock = step_trace::clock;
    world.barrier();
    const auto mine = own.now().time_since_epoch();
    const clock::duration first(world.broadcast(mine.count(), 0));
    const clock::duration begin(world.broadcast(own.begin().time_since_epoch().count(), 0));
    const bool is_skewed = !one_clock && world.topology().nodes() > 1;
    const clock::duration skew = is_skewed ? mine - first : clock::duration{};
    const std::string events = own.events(world.rank(), clock::time_point(begin + skew));
    const bool is_last = world.rank() + 1 == world.size();
    const std::string all = gather_text(world, events + (is_last ? "\n" : ",\n"));
    if (world.rank() == 0) write_whole("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n" + all + "]}\n", file);
}

} // namespace tutti::tools
