// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../common/meeting.hpp"
#include "../common/threads.hpp"
#include "../run/local_ranks.hpp"
#include "bind.hpp"
#include "record.hpp"
#include "start.hpp"

#include <transport/memory.hpp>

namespace tutti::tools {

int bench_in_memory(const bench_settings& settings) {
    const auto fabric = transport::memory_world::create(settings.ranks);
    const auto room = shared_room::create(settings.ranks);
    bench_result found;
    const bool failed = !run_as_threads(settings.ranks, [&](int rank) {
        communicator world = make_world(transport::memory{fabric, rank}, settings);
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
                               {}};
        try {
            const bench_result result = take_part(self, settings);
            if (rank == 0) found = result; // read when all threads have been joined
        } catch (...) {
            room->lose(rank);
            throw;
        }
    });
    if (failed || found.wrong != 0) return 1;
    return found.slower != 0 ? became_slower : 0;
}

} // namespace tutti::tools
