// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/tcp.hpp>

#include "enter.hpp"
#include "play.hpp"

namespace tutti::soak {

void play_over_tcp(const plan& p, int rank, const reports& all, const reserved_port& at) {
    using fabric = transport::tcp;
    play(p, rank, all, [&] {
        return type_erased(communicator<fabric>{fabric{identity_of(p, rank, at), limits_of<transport::tcp_limits>(p)},
                                                progress_of(p, rank)});
    });
}

} // namespace tutti::soak
