// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include "../common/meeting.hpp"
#include "../common/threads.hpp"
#include "bind.hpp"
#include "record.hpp"

#include <transport/memory.hpp>

namespace tutti::tools {

int bench_in_memory(const bench_settings& settings) {
    const auto fabric = transport::memory_world::create(settings.ranks);
    const auto room = shared_room::create(settings.ranks);
    std::atomic<std::uint64_t> wrong = 0;
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
                               world.choice()};
        try {
            const std::uint64_t found = take_part(self, settings);
            if (rank == 0) wrong = found;
        } catch (...) {
            room->lose(rank);
            throw;
        }
    });
    return failed || wrong != 0 ? 1 : 0;
}

} // namespace tutti::tools
