// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../common/meeting.hpp"
#include "../common/threads.hpp"
#include "../run/local_ranks.hpp"
#include "bind.hpp"

#include <transport/memory.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace tutti::tools {

int bench_in_memory(const bench_settings& settings) {
    const std::vector<int> processors = settings.bind.processors_for(settings.ranks);
    std::optional<bound_thread> all_bound; // while the world is made, which looks where its ranks may run
    if (!processors.empty()) {
        processor_set of_all;
        for (const int p : processors) of_all.add(p);
        all_bound.emplace(of_all);
    }
    const auto fabric = transport::memory_world::create(settings.ranks);
    const auto room = shared_room::create(settings.ranks);
    bench_result found;
    const bool failed = !run_as_threads(settings.ranks, [&](int rank) {
        std::optional<bound_thread> bound;
        if (!processors.empty()) bound.emplace(processor_set{processors[static_cast<std::size_t>(rank)]});
        transport::memory mine{fabric, rank};
        const bool crowded = mine.crowded();
        any_communicator world = make_world(transport::any(std::move(mine)), settings);
        world.default_deadline(settings.deadline());
        shared_meeting others{room, rank, settings.deadline(), [&] { world.barrier(); }};
        const participant self{rank,
                               settings.ranks,
                               others,
                               binder_of(world),
                               allocator_of(world, settings),
                               recorder_of(world),
                               CLOCK_THREAD_CPUTIME_ID,
                               world.choice(),
                               starter_of(world),
                               {},
                               {},
                               {},
                               crowded};
        try {
            const bench_result result = take_part(self, settings);
            if (rank == 0) found = result; // read when all threads have been joined
        } catch (...) {
            room->lose(rank);
            throw;
        }
    });
    return failed ? result_is_wrong : found.status(); // what failed is printed
}

} // namespace tutti::tools
