// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/routed.hpp>

#include "enter.hpp"
#include "play.hpp"

namespace tutti::soak {

void play_over_routed(const plan& p, int rank, const reports& all, const reserved_port& at) {
    using fabric = transport::routed<transport::shared_memory, transport::tcp>;
    play(p, rank, all, [&] {
        return type_erased(communicator<fabric>{
            fabric{identity_of(p, rank, at), {}, limits_of<transport::tcp_limits>(p)}, progress_of(p, rank)});
    });
}

} // namespace tutti::soak
