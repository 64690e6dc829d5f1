// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/shared_memory.hpp>

#include "enter.hpp"
#include "play.hpp"

namespace tutti::soak {

void play_over_shared_memory(const plan& p, int rank, const reports& all, const reserved_port& at) {
    using fabric = transport::shared_memory;
    play(p, rank, all, [&] {
        return type_erased(communicator<fabric>{fabric{identity_of(p, rank, at)}, progress_of(p, rank)});
    });
}

} // namespace tutti::soak
