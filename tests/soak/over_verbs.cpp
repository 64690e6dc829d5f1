// SPDX-FileCopyrightText: 2026 The tutti authors
// SPDX-License-Identifier: MIT

#include <transport/verbs.hpp>

#include "enter.hpp"
#include "play.hpp"

namespace tutti::soak {

namespace {

/// On the devices of tests/verbs/guest. Few slots where few lanes were drawn, so that senders wait for them; windows as
/// they were drawn.
transport::verbs_limits limits_of_verbs(const plan& p) {
    transport::verbs_limits limits;
    if (p.hosts > 1) limits.devices = "rxe1"; // the device on lo reaches one host alone
    if (p.lanes > 1) limits.slot_count = 4;
    if (p.window_bytes > 0) limits.window_bytes = p.window_bytes;
    if (p.contexts_ahead > 0) limits.contexts_ahead = p.contexts_ahead;
    return limits;
}

} // namespace

void play_over_verbs(const plan& p, int rank, const reports& all, const reserved_port& at) {
    using fabric = transport::verbs;
    play(p, rank, all, [&] {
        return type_erased(
            communicator<fabric>{fabric{identity_of(p, rank, at), limits_of_verbs(p)}, progress_of(p, rank)});
    });
}

} // namespace tutti::soak
