// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/memory.hpp>

#include "enter.hpp"
#include "play.hpp"

#include "support/run_ranks.hpp"

namespace tutti::soak {

void play_over_memory(const plan& p, const reports& all) {
    const auto fabric = transport::memory_world::create(p.ranks);
    test::run_ranks(p.ranks, [&](int rank) {
        play(p, rank, all, [&] {
            return type_erased(communicator<transport::memory>{transport::memory{fabric, rank}, progress_of(p, rank)});
        });
    });
}

} // namespace tutti::soak
